// The contacts of a list in Chromium: pasted, edited, opted out, deleted and restored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { keeps } from '../support/commands.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at, cell, column, count, listOf, phones, row, announced } from '../support/grid.mjs'
import { groups } from '../support/imports.mjs'
import { pasteRows } from '../support/sheets.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()

async function open() {
  await here.call('list_create', { name: 'Newsletter' })
  const page = await here.open()
  await page.tab.locator('nav a[href="#/lists"]').click()
  await page.tab.locator('main tbody tr', { hasText: 'Newsletter' }).dblclick()
  await until('the contacts are there', async () => (await page.text('main h1')) === 'Newsletter')
  return page
}

/** Ten people as a spreadsheet puts them on the clipboard. */
const PASTED = [
  'Name\tMobile\tCity',
  ...Array.from({ length: 10 }, (_, n) => `Contact ${n}\t07700 90000${n}\tLeeds`),
]
const NOBODY = 'Nobody\t123\tYork'

async function paste(page, rows = PASTED, look = undefined) {
  await pasteRows(page, rows)
  const act = page.tab.getByRole('button', { name: 'Add 10 contacts' })
  await act.waitFor()
  await look?.()
  await act.click()
  if (rows === PASTED) await until('all ten are there', async () => (await count(page)) === 10)
}

const field = (page, name) => page.tab.locator(`[data-testid=contact-record] [name=${name}]`)
const number = (page) => field(page, 'phone_number').inputValue()

test('ten rows are pasted into an empty list, and the bad one waits in an import to be fixed', async () => {
  const page = await open()
  await until('the empty list says what to do', async () =>
    (await page.texts('main h2')).includes('No contacts yet'),
  )
  await seeAccessible(page, 'the empty list')
  await paste(page, [...PASTED, NOBODY], async () => {
    await soon(async () => {
      const summary = (await page.text('dialog [role=status]')) ?? ''
      assert.match(summary, /1 row cannot be added yet\. It opens in an import, where you can fix it\./)
      assert.match(summary, /Row 12: “123” is not a valid phone number/)
    })
    await seeAccessible(page, 'the dialog of pasting')
    await matchAria(page, 'contacts/paste', 'dialog')
  })
  await until(
    'the bad row is shown',
    async () => (await groups(page)) === 'All rows1,Invalid1,Blank or header1',
  )
  await soon(async () =>
    assert.match((await page.text('[data-testid=import-added]')) ?? '', /^Added 10 contacts from the paste/),
  )
  await page.tab.goBack()
  await page.tab.goBack()
  await until(
    'they are in the order of the table',
    async () => (await phones(page)).join() === '00,01,02,03,04,05,06,07,08,09',
  )
  await until(
    'they are counted',
    async () => (await page.text('[data-testid=contact-count]')) === '10 contacts',
  )
  await page.tab.keyboard.press('Control+z')
  await until('one undo takes all ten', async () => (await page.texts('main h2')).includes('No contacts yet'))
  await page.tab.keyboard.press('Control+Shift+z')
  await until('redo brings all ten', async () => (await count(page)) === 10)
})

test('a contact is edited, restored from its history, opted out and deleted with undo', async () => {
  const page = await open()
  const { tab } = page
  await paste(page)
  await (await cell(page, '900000', 'First name')).click()
  await tab.keyboard.press('F4')
  await field(page, 'firstname').fill('Zoe')
  await tab.keyboard.press('Enter')
  await until('it is saved', async () => (await announced(page))?.startsWith('Saved Zoe'))
  await until('and shown', async () => (await column(page, 'First name'))[0] === 'Zoe')
  const history = tab.getByTestId('contact-history')
  await history.getByRole('button', { name: 'Restore First name to “Contact”' }).click()
  await until('it is as before', async () => (await field(page, 'firstname').inputValue()) === 'Contact')
  await tab.keyboard.press('Control+Shift+o')
  await tab.getByLabel('Reason').fill('Asked on the phone')
  await tab.locator('dialog').getByRole('button', { name: 'Opt out', exact: true }).click()
  await until('the panel shows it', async () =>
    (await page.text('[data-testid=contact-optouts]')).includes('Opted out of all messages'),
  )
  await until('and the row', async () =>
    /opted out: SMS/.test((await row(page, '900000').getByRole('rowheader').getAttribute('title')) ?? ''),
  )
  await (await cell(page, '900008', 'First name')).click()
  await tab.keyboard.press('Control+Backspace')
  await until('it is gone', async () => (await count(page)) === 9)
  await tab.getByTestId('toast').last().getByRole('button', { name: 'Undo' }).click()
  await until('it is back', async () => (await count(page)) === 10)
})

test('an invalid number is refused at its field, and a draft survives a visit elsewhere', async () => {
  const page = await open()
  const { tab } = page
  await paste(page)
  const first = await cell(page, '900009', 'First name')
  await first.click()
  await tab.keyboard.press('F4')
  await field(page, 'phone_number').fill('12')
  await tab.keyboard.press('Enter')
  await until(
    'the field is marked',
    async () => (await page.count('[name=phone_number][aria-invalid=true]')) === 1,
  )
  await (await cell(page, '900008', 'First name')).click()
  await until('another is shown', async () => (await number(page)) === '+447700900008')
  await first.click()
  await until('the draft is still there', async () => (await number(page)) === '12')
})

test('records are stepped through, changed and reverted by keys', async () => {
  const page = await open()
  const { tab } = page
  await paste(page)
  await tab.getByRole('grid').focus()
  await tab.keyboard.press('Control+Home')
  await tab.keyboard.press('F4')
  await until('the record has the focus', () =>
    page.run("return document.activeElement?.getAttribute('name') === 'phone_number'"),
  )
  await tab.keyboard.press('Control+ArrowDown')
  await until('the next one', async () => (await number(page)) === '+447700900001')
  await field(page, 'city').fill('York')
  await tab.keyboard.press('Control+Shift+Backspace')
  await until('reverted', async () => (await field(page, 'city').inputValue()) === 'Leeds')
  await field(page, 'city').fill('York')
  await tab.keyboard.press('Control+Enter')
  await until('saved, and the next one', async () => (await number(page)) === '+447700900002')
})

/** Creates two lists that share a number, one of whose contacts is opted out, before the page is opened. */
async function seeded() {
  const regulars = await listOf(here, 'Regulars', [{ firstname: 'Cleo', number: 12 }])
  const newsletter = await listOf(here, 'Newsletter', [
    { firstname: 'Cleo', number: 12 },
    { firstname: 'Ann', number: 10 },
    { firstname: 'Ben', number: 11 },
  ])
  const entries = [{ number: '+447700900011', channels: ['SMS'], asset: null }]
  await here.call('opt_out_add', { entries, reason: 'Asked by e-mail', region: null })
  return { regulars, newsletter }
}

test('the grid and the record read well, light and dark', async () => {
  const { newsletter } = await seeded()
  for (const colorScheme of ['light', 'dark']) {
    const page = await at(here, newsletter, { colorScheme })
    await (await cell(page, '900011', 'First name')).click()
    await page.tab.keyboard.press('F4')
    await until('history is there', async () =>
      (await page.text('[data-testid=contact-history]'))?.includes('Created'),
    )
    await seeAccessible(page, `grid and record, ${colorScheme}`)
    if (colorScheme === 'light') {
      await matchAria(page, 'contacts/table')
      await matchAria(page, 'contacts/record', '#panel')
    }
    await page.close()
  }
})

test('contacts are sorted by a heading and filtered as one types, by pointer and by keys', async () => {
  const { newsletter } = await seeded()
  const page = await at(here, newsletter)
  const { tab } = page
  const heading = tab.getByRole('columnheader', { name: 'First name' })
  await heading.locator('.title').click()
  await tab.keyboard.press('Alt+Shift+ArrowUp')
  await until('rising', async () => (await phones(page)).join() === '10,11,12')
  await heading.locator('.sort').click()
  await until('falling', async () => (await phones(page)).join() === '12,11,10')
  await tab.keyboard.press('Control+Shift+l')
  await tab.keyboard.type('be')
  await until('one fits', async () => (await phones(page)).join() === '11')
  await tab.keyboard.press('Control+a')
  await tab.keyboard.type('nobody')
  await until('none fits, and the screen says so', async () =>
    (await page.texts('main h2')).includes('No matching contacts'),
  )
  await seeAccessible(page, 'no contact fits')
  await tab.locator('main').getByRole('button', { name: 'Show all contacts' }).click()
  await until('all are back', async () => (await phones(page)).length === 3)
})

test('contacts are copied and moved to another list, announced there, and moved back', async () => {
  const { newsletter, regulars } = await seeded()
  const page = await at(here, newsletter)
  const { tab } = page
  const choose = async (one, other) => {
    await (await cell(page, one, 'First name')).click()
    await (await cell(page, other, 'First name')).click({ modifiers: ['Control'] })
  }
  await (await cell(page, '900012', 'First name')).click()
  await tab.keyboard.press('F4')
  await until('the same number in another list is shown', async () =>
    (await page.text('#panel'))?.includes('Regulars'),
  )
  await choose('900010', '900012')
  const send = async (act, rule = 'Skip the contact') => {
    await tab.getByRole('button', { name: 'Actions' }).click()
    await tab.getByRole('menuitem', { name: /Move or copy/ }).click()
    const dialog = tab.locator('dialog')
    await dialog.getByRole('radio', { name: act }).check()
    await until('no number is there twice unasked', () =>
      dialog.getByRole('radio', { name: 'Skip the contact' }).isChecked(),
    )
    await dialog.getByRole('radio', { name: rule }).check()
    const button = dialog.getByRole('button', { name: `${act} contacts`, exact: true })
    await button.click()
    await until('a list is asked for', async () =>
      (await page.texts('dialog [role=alert]')).includes('Choose a list.'),
    )
    await tab.getByLabel('Target list').fill('Regulars')
    await tab.getByRole('option', { name: 'Regulars' }).click()
    await seeAccessible(page, `the dialog, ${act}`)
    await button.click()
  }
  await send('Copy')
  await until('one was there already', async () => /1 contact.*1 /s.test((await announced(page)) ?? ''))
  await soon(async () => assert.equal((await phones(page)).length, 3))
  await choose('900010', '900011')
  await send('Move', 'Add it again')
  await until('they left', async () => (await phones(page)).join() === '12')
  await tab.keyboard.press('Control+z')
  await until('and are back', async () => (await phones(page)).length === 3)
  await tab.keyboard.press('Control+Shift+z')
  await until('and left again', async () => (await phones(page)).join() === '12')
  await page.run("location.hash = '#/lists/' + arguments[0]", regulars)
  await until('they are there', async () => (await phones(page)).length === 4)
})

test('a column that was hidden is so after a restart, and is shown again from the list of all columns', async () => {
  const { newsletter } = await seeded()
  const page = await at(here, newsletter)
  const { tab } = page
  const heads = () => page.texts('main [role=columnheader] .title')
  await soon(async () => assert.ok((await heads()).includes('Last name')))
  await tab.getByRole('columnheader', { name: 'Last name' }).click({ button: 'right' })
  const kept = keeps(tab, `contacts.grid.${newsletter}`)
  await tab.getByRole('menuitem', { name: 'Hide column', exact: true }).click()
  await kept
  await until('it is gone', async () => !(await heads()).includes('Last name'))
  await tab.reload()
  await until('the rows are there', async () => (await phones(page)).length === 3)
  await until('it stays away', async () => !(await heads()).includes('Last name'))
  await (await cell(page, '900010', 'First name')).click()
  await tab.keyboard.press('Alt+ArrowDown')
  await tab.getByRole('menuitem', { name: 'Show and hide columns…' }).click()
  const dialog = tab.locator('dialog')
  await seeAccessible(page, 'all columns')
  await dialog.getByRole('checkbox', { name: 'Last name' }).check()
  await until('it is back', async () => (await heads()).includes('Last name'))
  await dialog.getByRole('checkbox', { name: 'Postcode' }).check()
  await until('others come, too', async () => (await heads()).includes('Postcode'))
  await dialog.getByRole('button', { name: 'Reset columns' }).click()
  await until('all as usual', async () => !(await heads()).includes('Postcode'))
  await dialog.getByRole('button', { name: 'Done' }).click()
  await until('the rows have the focus', () => page.run("return document.activeElement?.role === 'grid'"))
})
