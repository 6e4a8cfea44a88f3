// A walk through the grid of contacts with a screen reader: position, heading, value and state of each cell, and the
// result of each act, from the accessibility tree and the live regions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at, cell } from '../support/grid.mjs'
import { soon, until } from '../support/places.mjs'
import { copyElsewhere } from '../support/sheets.mjs'
import { listener } from '../support/walk.mjs'

const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva']
const CITIES = ['Leeds', 'York']
const ROWS = 60
const WIDE = { viewport: { width: 1800, height: 700 }, permissions: ['clipboard-read', 'clipboard-write'] }
const REFUSED =
  'This is not a valid phone number. Check its digits, or begin with + and the country code, such as +44 7700 900123.'
const number = (row) => `+4477009000${String(ROWS - row).padStart(2, '0')}`

const here = consoleForEach()

/** Creates sixty contacts; the number of the first in view ends in 60, that of the last in 01. */
async function walk() {
  const { call } = here
  const { uid } = await call('list_create', { name: 'Newsletter' })
  const contacts = Array.from({ length: ROWS }, (_, n) => ({
    phone_number: number(n),
    firstname: NAMES[(ROWS - n - 1) % NAMES.length],
    city: CITIES[(ROWS - n - 1) % CITIES.length],
  }))
  await call('contact_paste', { list: uid, contacts, region: null })
  const page = await at(here, uid, WIDE)
  const { tab } = page
  await tab.getByRole('grid').focus()
  return {
    ...page,
    call,
    hears: await listener(page),
    press: async (...keys) => {
      for (const key of keys) await tab.keyboard.press(key)
    },
    type: (text) => tab.keyboard.type(text),
    to: async (row, title) => (await cell(page, number(row), title)).click(),
    status: (text) =>
      until(`a status says “${text}”`, async () => (await page.texts('main [role=status]')).includes(text)),
  }
}

/** A cell in its normal state, as a screen reader gets it. */
const heard = (value, heading, row, column, others = {}) => ({
  role: 'gridcell',
  value,
  heading,
  row: `${row} of ${ROWS}`,
  column: `${column} of 12`,
  number: String(row),
  isSelected: true,
  isInvalid: false,
  states: '',
  rowStates: '',
  ...others,
})

test('moving: each cell by its value, its heading and its place; a row that replaces another is announced', async () => {
  const { hears, press } = await walk()
  const grid = await hears.grid()
  assert.deepEqual(
    [grid.role, grid.name, grid.of('multiselectable')],
    ['grid', 'Contacts of Newsletter', true],
  )
  await press('Control+Home')
  await hears.at(heard('+447700900060', 'Phone number', 1, 2))
  await press('ArrowDown', 'ArrowRight', 'ArrowRight')
  await hears.at(heard('Dan', 'First name', 2, 4))
  await press('ArrowRight')
  await hears.at(heard('', 'Last name', 2, 5))
  await hears.says('')
  await press('Control+End')
  await hears.at(heard('', 'Updated', ROWS, 12))
  await press('Home', 'Control+Home')
  await hears.at({ row: `1 of ${ROWS}` })
  await press('Shift+ArrowDown')
  await hears.says('2 cells in 2 rows selected.')
  await press('Escape')
  await hears.says('')
  // The elements stay and their rows change, which the accessibility tree alone does not announce.
  await press('PageDown')
  await until('another row in the same place', async () => (await hears.cell()).row !== `1 of ${ROWS}`)
  const { row, value } = await soon(async () => {
    const shown = await hears.cell()
    assert.equal(shown.value, number(Number.parseInt(shown.row, 10) - 1))
    return shown
  })
  await hears.says(`Phone number: ${value}. Row ${row}.`)
})

test('selecting: how many cells in how many rows, and which ones', async () => {
  const { hears, press, tab, to } = await walk()
  await to(0, 'First name')
  await press('Shift+ArrowDown', 'Shift+ArrowRight')
  await hears.says('4 cells in 2 rows selected.')
  await soon(async () => assert.equal(await tab.getByRole('gridcell', { selected: true }).count(), 4))
  await press('Shift+Space')
  await hears.says('22 cells in 2 rows selected.')
  await press('Control+Shift+a')
  await hears.says(`${ROWS * 11} cells in ${ROWS} rows selected.`)
  await press('ArrowDown')
  await hears.at({ row: `2 of ${ROWS}`, isSelected: true })
})

test('editing: the field and its rule while one types, what became of it, and the draft when one comes back', async () => {
  const page = await walk()
  const { hears, press, type, to } = page
  await to(0, 'First name')
  await press('F2')
  const field = {
    role: 'textbox',
    name: 'First name, row 1',
    value: 'Eva',
    description: '',
    isInvalid: false,
  }
  await soon(async () => assert.deepEqual(await hears.field(), field))
  await press('Control+a')
  await type('Zoe')
  await soon(async () => assert.deepEqual(await hears.field(), { ...field, value: 'Zoe' }))
  await press('Enter')
  await hears.says('Changed 1 cell.')
  await hears.at(heard('Dan', 'First name', 2, 4))

  await to(1, 'Phone number')
  await type('12')
  await until('the rule is shown', async () => (await hears.field()).isInvalid)
  await soon(async () =>
    assert.deepEqual(await hears.field(), {
      role: 'textbox',
      name: 'Phone number, row 2',
      value: '12',
      description: REFUSED,
      isInvalid: true,
    }),
  )
  await press('Enter')
  await hears.says(`1 cell has an invalid value, kept as a draft until you fix it. ${REFUSED}`)
  await press('ArrowUp')
  await hears.says(`Phone number: 12. ${REFUSED} Row 2 of ${ROWS}.`)
  const draft = 'invalid, kept as a draft'
  await hears.at({ value: '12', heading: 'Phone number', isInvalid: true, number: '! 2', rowStates: draft })
  await press('End')
  await type('x')
  await hears.says('This column cannot be changed.')
  await matchAria(page, 'contacts/walk', 'main [role=row][aria-rowindex="3"]', [
    [/\d\d [A-Z][a-z]{2} \d{4}.*?(?=")/g, '«moment»'],
  ])
})

test('the result of each act: cleared, pasted, filled, copied, reverted, deleted, undone and done again', async () => {
  const page = await walk()
  const { hears, press, to, tab } = page
  await to(0, 'Last name')
  await copyElsewhere(tab, { text: 'One\nTwo\nThree\n' })
  await press('Control+v')
  await hears.says('Changed 3 cells.')
  await hears.at({ value: 'One' })
  // The pasted cells are selected now.
  await soon(async () => assert.equal(await tab.getByRole('gridcell', { selected: true }).count(), 3))
  await press('Control+d')
  await hears.says('Changed 2 cells.')
  await press('Control+c')
  await hears.says('Copied 3 cells.')
  await press('Control+x')
  await hears.says('Changed 3 cells.')
  await press('Delete')
  await hears.says('Nothing changed.')
  await press('Escape', 'Control+Backspace')
  await hears.announces('Deleted 1 contact.')
  await hears.at({ row: `1 of ${ROWS - 1}` })
  await press('Control+z')
  await hears.announces('Undone: ')
  await until(
    'it is there again',
    async () => (await hears.grid()).name !== '' && (await hears.cell()).row.endsWith(`of ${ROWS}`),
  )
  await press('Control+Shift+z')
  await hears.announces('Redone: ')
  await until('it is gone again', async () => (await hears.cell()).row.endsWith(`of ${ROWS - 1}`))
})

test('filter and find: how many there are, where one is, and a row that no longer fits', async () => {
  const { hears, press, type, status, tab, to } = await walk()
  await to(0, 'City')
  await press('Control+Shift+l')
  await type('leeds')
  await status('30 contacts')
  await tab.getByRole('grid').focus()
  await press(
    'Control+Home',
    'ArrowRight',
    'ArrowRight',
    'ArrowRight',
    'ArrowRight',
    'ArrowRight',
    'ArrowRight',
  )
  await hears.at({ value: 'Leeds', heading: 'City', row: '1 of 30' })
  await type('York')
  await press('Enter', 'ArrowUp')
  const left = 'no longer matches the filter'
  await hears.at({ value: 'York', row: '1 of 30', number: '↷ 1', states: left, rowStates: left })
  await press('Control+f')
  await type('leeds')
  await status('29 cells in 29 rows')
  await press('Shift+Enter')
  await hears.announces('Continued from the last row.')
  await press('Escape')
  await hears.at({ value: 'Leeds', row: '30 of 30' })
})

test('a contact that is opted out, and the next problem, are announced', async () => {
  const { hears, press, type, to, call, tab } = await walk()
  const entries = [{ number: number(3), channels: ['SMS'], asset: null }]
  await call('opt_out_add', { entries, reason: 'Asked by e-mail', region: null })
  await tab.locator('main .body .line', { hasText: '⊘' }).waitFor()
  await to(3, 'First name')
  const out = 'opted out: SMS'
  await hears.at({ row: `4 of ${ROWS}`, number: '⊘ 4', states: out, rowStates: out })
  await to(5, 'Phone number')
  await type('1')
  await press('Enter')
  await hears.says(`1 cell has an invalid value, kept as a draft until you fix it. ${REFUSED}`)
  await press('Control+End', 'F8')
  await hears.at({ row: `6 of ${ROWS}`, isInvalid: true })
  await hears.says(`Phone number: 1. ${REFUSED} Row 6 of ${ROWS}.`)
  await soon(async () => assert.ok((await hears.cell()).isInvalid))
})
