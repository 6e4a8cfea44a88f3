// The clipboard between spreadsheets and the grid in Chromium: ten thousand rows with all the markup of LibreOffice,
// Excel and Google Sheets are previewed, counted, pasted, and undone in one step.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { openView } from '../support/commands.mjs'
import { consoleForAll } from '../support/console.mjs'
import { longList, onlyList, openLong } from '../support/long-list.mjs'
import { groups } from '../support/imports.mjs'
import { soon, until } from '../support/places.mjs'
import {
  cellsOf,
  copyElsewhere,
  fromExcel,
  fromGoogle,
  fromLibreOffice,
  readClipboard,
  tabbed,
} from '../support/sheets.mjs'

const ROWS = 20_000
const LAST = ROWS - 1
const PASTED = 10_000
const LONG_MS = 120_000
const words = (count) => count.toLocaleString('en-GB')

const here = consoleForAll({ fill: (file) => longList(file, ROWS) })
const { call } = here
let list

beforeEach(async () => (list ??= await onlyList(call)))

const open = () => openLong(here, list, ROWS, { viewport: { width: 1800, height: 900 } })

/** Returns the core's texts of some rows of the whole list. */
async function held(from, count, columns) {
  const { view } = await openView(call, list)
  try {
    const text = await call.text('grid_copy', { view, rows: [[from, from + count]], columns, headings: [] })
    const rows = cellsOf(text)
    assert.equal(rows.length, count)
    return rows
  } finally {
    await call('grid_close', { view })
  }
}

/** Counts the cells that differ between two readings of the same rows. */
function differing(old, now) {
  let cells = 0
  for (const [at, row] of old.entries())
    for (const [column, text] of row.entries()) if (text !== now[at][column]) cells += 1
  return cells
}

const NAMES = ['firstname', 'lastname', 'email_address']
const people = Array.from({ length: PASTED }, (_, n) => [
  `Given & <${n}>`,
  n % 100 === 7 ? `Family\nno. ${n}` : `Family "${n}"`,
  `person.${n}@example.net`,
])

test('ten thousand LibreOffice rows are previewed, pasted over existing rows, and undone', async () => {
  const page = await open()
  const { tab, dialog } = page
  const at = 5_000
  const old = await held(at, PASTED + 1, NAMES)
  const rows = people.map((row, n) => (n === 123 ? ['x'.repeat(51), ...row.slice(1)] : row))
  await copyElsewhere(tab, { html: fromLibreOffice('People', rows), text: tabbed(rows) })
  await page.goTo(at, 'First name')
  await page.press('Control+v')
  await dialog.waitFor({ timeout: LONG_MS })
  const seen = await soon(async () => {
    const lines = await page.texts('dialog [role=status] p')
    assert.match(lines[1], /^1 cell would have an invalid value/)
    return Number(/^([\d,]+) cells change\./.exec(lines[0])[1].replaceAll(',', ''))
  })
  await soon(async () =>
    assert.deepEqual(await page.texts('dialog li'), [
      `Row ${words(at + 125)}: First name: 51 characters; at most 50 are allowed.`,
    ]),
  )
  await soon(async () =>
    assert.deepEqual(await held(at, 3, NAMES), old.slice(0, 3), 'nothing is written before the answer'),
  )
  await dialog.getByRole('button', { name: 'Paste', exact: true }).click()
  await page.closed(LONG_MS)
  await page.done(`Changed ${words(seen)} cells. 1 cell has an invalid value, kept as a draft`)
  await page.shows(at, 'People')
  await page.shows(at + 1, 'Given & <0>')

  const now = await soon(async () => {
    const cells = await held(at, PASTED + 1, NAMES)
    assert.deepEqual(cells, [['People', '', ''], ...rows])
    return cells
  })
  assert.equal(differing(old, now), seen + 1)
  await page.goTo(at + 124)
  await until('the refused one is marked', async () =>
    (
      await page
        .line(at + 124)
        .locator('[aria-invalid=true]')
        .textContent()
    )?.startsWith('xxx'),
  )
  await page.press('Control+z')
  await page.done('Undone', LONG_MS)
  await soon(async () => assert.deepEqual(await held(at, PASTED + 1, NAMES), old))
  assert.deepEqual(page.complaints, [])
})

test('ten thousand Excel rows at the end become contacts; invalid ones are listed by line', async () => {
  const page = await open()
  const { tab, dialog } = page
  const rows = Array.from({ length: PASTED }, (_, n) => [
    n === 41 || n === 4_041 ? 'no number' : `+447700900${String(n % 1_000).padStart(3, '0')}`,
    '',
    `Person number ${n}`,
  ])
  const old = await held(LAST, 1, ['phone_number', 'firstname'])
  await copyElsewhere(tab, { html: fromExcel('People', rows), text: tabbed(rows) })
  await page.goTo(LAST, 'Phone number')
  await page.press('Control+v')
  await dialog.waitFor({ timeout: LONG_MS })
  await soon(async () => {
    const lines = await page.texts('dialog [role=status] p')
    assert.deepEqual(lines.slice(1), [
      `${words(PASTED - 2)} contacts are added.`,
      '1 cell would have an invalid value; it is kept as a draft until you fix it.',
      '2 rows cannot be added yet. They open in an import, where you can fix them.',
    ])
    const faults = await page.texts('dialog li')
    assert.equal(faults.length, 3)
    assert.match(faults[0], new RegExp(`^Row ${words(ROWS)}: Phone number: `))
    assert.match(faults[1], /^Line 43: Phone number: /)
    assert.match(faults[2], /^Line 4,043: Phone number: /)
  })
  await dialog.getByRole('button', { name: 'Paste', exact: true }).click()
  await page.closed(LONG_MS)
  await until(
    'the rows that made no contact are shown',
    async () => (await groups(page)) === 'All rows2,Invalid2,Blank or header1',
    LONG_MS,
  )
  await tab.evaluate((uid) => (location.hash = `#/lists/${uid}`), list)
  await page.counted(`${words(ROWS + PASTED - 2)} contacts`)
  await page.press('Control+z')
  await page.done('Undone', LONG_MS)
  await page.counted(`${words(ROWS)} contacts`)
  await soon(async () => assert.deepEqual(await held(LAST, 1, ['phone_number', 'firstname']), old))
})

test('Google Sheets cells fill the selection: one value, one row, or a block over filtered rows', async () => {
  const page = await open()
  const { tab } = page
  const paste = async (rows) => {
    await copyElsewhere(tab, { html: fromGoogle(undefined, rows), text: tabbed(rows) })
    await page.press('Control+v')
  }
  await page.goTo(10, 'City')
  await page.press(...Array.from({ length: 4 }, () => 'Shift+ArrowDown'))
  await paste([['Köln\nam Rhein']])
  await page.shows(14, 'Köln\nam Rhein')
  await soon(async () => {
    const towns = (await held(9, 7, ['city'])).map(([town]) => town === 'Köln\nam Rhein')
    assert.deepEqual(towns, [false, true, true, true, true, true, false])
  })

  await page.goTo(20, 'First name')
  await page.press('Shift+ArrowRight', 'Shift+ArrowDown', 'Shift+ArrowDown')
  await paste([['Zoë', 'Ωmega']])
  await page.shows(22, 'Ωmega')
  await soon(async () =>
    assert.deepEqual(
      await held(20, 3, ['firstname', 'lastname']),
      Array.from({ length: 3 }, () => ['Zoë', 'Ωmega']),
    ),
  )

  await page.press('Control+Shift+l')
  await tab.keyboard.type('ΩMEGA')
  await page.counted('3 contacts')
  await page.press('Enter')
  await page.grid.focus()
  await page.press('Control+Home')
  await page.goTo(0, 'Company')
  await paste([['One'], ['Two'], ['Three']])
  await page.shows(2, 'Three')
  await page.press('Control+Shift+l', 'Control+a', 'Delete')
  await page.counted(`${words(ROWS)} contacts`)
  await soon(async () => assert.deepEqual(await held(20, 3, ['company_name']), [['One'], ['Two'], ['Three']]))
  await page.grid.focus()
  for (const what of ['three companies', 'three names', 'five towns']) {
    const undone = (await call('history_standing')).undo.id
    await page.press('Control+z')
    await until(`${what} are undone`, async () => (await call('history_standing')).undo?.id !== undone)
  }
  await soon(async () => assert.ok(!(await held(10, 1, ['city']))[0][0].includes('Köln')))
})

test('a cell merged downwards is pasted once, and the cells beside it keep their rows', async () => {
  const page = await open()
  const html = `<table cellspacing="0" border="0">
    <tr><td rowspan=2 height="34" align="left" valign=middle>Family</td><td align="left">Ada</td></tr>
    <tr><td align="left">Ben</td></tr></table>`
  await copyElsewhere(page.tab, { html, text: 'Family\tAda\n\tBen\n' })
  await page.goTo(60, 'First name')
  await page.press('Control+v')
  await page.shows(61, 'Ben')
  await soon(async () =>
    assert.deepEqual(await held(60, 2, ['firstname', 'lastname']), [
      ['Family', 'Ada'],
      ['', 'Ben'],
    ]),
  )
})

test('a block is copied as text and as a table, and comes back as it was, new lines and quotes with it', async () => {
  const page = await open()
  const { tab } = page
  await page.goTo(30, 'First name')
  await copyElsewhere(tab, { text: 'Al "Bo"\t"two\nlines, ""quoted"""\r\n5" pipe\tplain\r\n' })
  await page.press('Control+v')
  await page.shows(30, 'two\nlines, "quoted"')
  await page.shows(31, '5" pipe')
  // The pasted cells are selected now.
  await page.press('Control+c')
  const forms = await readClipboard(tab)
  assert.equal(forms.text, '"Al ""Bo"""\t"two\nlines, ""quoted"""\n"5"" pipe"\tplain')
  assert.match(forms.html, /<table>.*<td>two<br>lines, "quoted"<\/td>/s)
  await page.goTo(40, 'First name')
  await page.press('Control+v')
  await page.shows(41, '5" pipe')
  await soon(async () =>
    assert.deepEqual(
      await held(40, 2, ['firstname', 'lastname']),
      await held(30, 2, ['firstname', 'lastname']),
    ),
  )
  await page.press('Control+Shift+c')
  await until('with headings', async () =>
    (await readClipboard(tab)).text.startsWith('First name\tLast name'),
  )
  assert.deepEqual(page.complaints, [])
})
