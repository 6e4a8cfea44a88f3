// The grid of contacts in Chromium: typing, pasting, searching, filtering, and changing many rows at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { addFields } from '../support/commands.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at, cell, column, count, listOf, phones, announced } from '../support/grid.mjs'
import { groups } from '../support/imports.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()

const NAMES = ['ada', 'Ben', 'CLEO', 'dan', 'Eva', 'finn']
const CITIES = ['Leeds', 'York', undefined]
const WIDE = { viewport: { width: 1800, height: 900 } }

/** Opens a list of thirty contacts, with +447700900010 last in view. */
async function open(options = WIDE) {
  const people = Array.from({ length: 30 }, (_, n) => ({
    number: 10 + n,
    firstname: NAMES[n % NAMES.length],
    city: CITIES[n % CITIES.length],
  }))
  const list = await listOf(here, 'Newsletter', people)
  const page = await at(here, list, options)
  const { tab } = page
  return {
    ...page,
    list,
    press: async (...keys) => {
      for (const key of keys) await tab.keyboard.press(key)
    },
    paste: (text) =>
      page.run(
        `const data = new DataTransfer()
         data.setData('text/plain', arguments[0])
         document.querySelector('[role=grid]').dispatchEvent(
           new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))`,
        text,
      ),
    click: async (number, title) => (await cell(page, `+4477009000${number}`, title)).click(),
    total: (text) =>
      until(`there are ${text}`, async () => (await page.text('[data-testid=contact-count]')) === text),
    dialog: tab.locator('dialog'),
    closed: () => until('the dialog is closed', async () => (await page.count('dialog')) === 0),
    focused: () =>
      until('the grid has the focus', () => page.run("return document.activeElement?.role === 'grid'")),
  }
}

const REFUSED =
  'This is not a valid phone number. Check its digits, or begin with + and the country code, such as +44 7700 900123.'
const first = (page, title, n) => async () => (await column(page, title)).slice(0, n).join()

test('cells are typed into; a refused value is stored, explained, found and reverted', async () => {
  const page = await open()
  const { tab } = page
  await page.click(39, 'First name')
  await tab.keyboard.type('Zoe')
  await page.press('Enter')
  await until('it is there', async () => (await first(page, 'First name', 1)()) === 'Zoe')
  await page.click(38, 'Phone number')
  await tab.keyboard.type('12')
  await until('the rule says why', async () => (await page.text('.editor .fault')) === REFUSED)
  await seeAccessible(page, 'the editor with a fault')
  await page.press('Enter')
  await until('it is kept', async () => (await phones(page))[1] === '12')
  await until('and marked', async () => (await page.count('main [role=gridcell][aria-invalid=true]')) === 1)
  await page.press('Control+End', 'F8')
  await until(
    'it is found and explained',
    async () => (await page.text('[data-testid=selection]')) === REFUSED,
  )
  await page.press('Control+Shift+Backspace', 'Control+Home')
  await until('it is reverted', async () => (await phones(page))[1] === '38')
  await page.press('Control+z', 'Control+z', 'Control+z')
  await until('everything is undone', async () => (await first(page, 'First name', 1)()) === 'finn')
})

test('blocks are filled, copied and pasted; a paste with faults is shown first', async () => {
  const page = await open()
  const { tab } = page
  await page.click(39, 'Last name')
  await page.paste('One\nTwo\nThree\n')
  await until('three cells', async () => (await first(page, 'Last name', 4)()) === 'One,Two,Three,')
  // The pasted cells are selected.
  await page.press('Control+d')
  await until('filled down', async () => (await first(page, 'Last name', 3)()) === 'One,One,One')
  await until('the choice is summed up', async () =>
    (await page.text('[data-testid=selection]'))?.includes(
      '3 rows · 3 cells · 0 blank cells · 1 distinct value',
    ),
  )
  await page.press('Delete')
  await until('cleared', async () => (await first(page, 'Last name', 3)()) === ',,')
  await page.press('Control+End', 'Home')
  await page.paste('+447700900900\n+447700900901\n5\n')
  await page.dialog.waitFor()
  await until('what stays out is shown', async () =>
    (await page.texts('dialog li')).join().startsWith('Line 3'),
  )
  await seeAccessible(page, 'a paste with faults')
  await matchAria(page, 'contacts/paste-choice', 'dialog')
  await page.dialog.getByRole('button', { name: 'Paste', exact: true }).click()
  await until(
    'the line that made no contact can be fixed',
    async () => (await groups(page)) === 'All rows1,Invalid1,Blank or header1',
  )
  await tab.goBack()
  await tab.goBack()
  await page.total('31 contacts')
  await tab.keyboard.press('Control+z')
  await page.total('30 contacts')
})

test('texts are found from place to place, and replaced with a preview in one step', async () => {
  const page = await open()
  const { tab } = page
  await page.press('Control+f')
  await tab.keyboard.type('leeds')
  await until('they are counted', async () =>
    (await page.texts('main search [role=status]')).includes('10 cells in 10 rows'),
  )
  await seeAccessible(page, 'the find bar')
  await page.press('Enter', 'Enter', 'F3', 'Shift+F3')
  await until(
    'the second is chosen',
    async () =>
      (await page.run("return document.querySelector('.line .focused')?.closest('.line').ariaRowIndex")) ===
      '7',
  )
  await page.press('Escape')
  await page.focused()
  await page.press('Control+h')
  await page.dialog.getByLabel('Replace with').fill('Bath')
  const act = page.dialog.getByRole('button', { name: 'Change 10 cells' })
  await act.waitFor()
  await soon(async () => assert.equal(await page.count('dialog tbody tr'), 10))
  await seeAccessible(page, 'a replacement')
  await matchAria(page, 'contacts/replace', 'dialog')
  await act.click()
  await page.closed()
  await until(
    'they are replaced',
    async () => (await column(page, 'City')).filter((city) => city === 'Bath').length > 5,
  )
  await tab.getByTestId('toast').last().getByRole('button', { name: 'Undo' }).click()
  await until('and back', async () => !(await column(page, 'City')).includes('Bath'))
})

test('rows and columns are reached by number and by name', async () => {
  const page = await open()
  const { tab } = page
  await tab.getByRole('grid').focus()
  await page.press('Control+g')
  await tab.keyboard.type('31')
  await page.press('Enter')
  await until(
    'there is no such row',
    async () => (await page.text('dialog [role=alert]')) === 'Enter a number from 1 to 30.',
  )
  await page.press('Control+a')
  await tab.keyboard.type('30')
  await page.press('Enter')
  await page.closed()
  await page.press('Control+Shift+g')
  await tab.keyboard.type('postc')
  await page.press('Enter')
  await page.closed()
  await until('the hidden column is shown', async () => (await column(page, 'Postcode')).length > 0)
  await page.focused()
  await tab.keyboard.type('LS1')
  await page.press('Enter')
  await until('and written in the last row', async () => (await column(page, 'Postcode')).at(-1) === 'LS1')
})

test('a filter is put together, chosen by values, saved as a view and frozen into a list', async () => {
  const page = await open()
  const { tab } = page
  await page.click(39, 'City')
  await page.press('Control+Shift+Enter')
  await page.total('10 contacts')
  await page.press('Control+Shift+e')
  const panel = tab.getByRole('region', { name: 'Filter' })
  await panel.getByRole('button', { name: 'Add rule', exact: true }).click()
  const rule = panel.getByRole('group', { name: 'Rule' }).last()
  await rule.getByLabel('Field').selectOption({ label: 'First name' })
  await rule.getByLabel('Condition').selectOption({ label: 'matches the expression' })
  await rule.getByLabel('Value', { exact: true }).fill('(')
  await until('the fault stands at its rule', async () =>
    (
      await rule
        .getByRole('alert')
        .textContent()
        .catch(() => '')
    )?.startsWith('This is not a valid regular expression'),
  )
  await seeAccessible(page, 'the filter with a fault')
  await rule.getByLabel('Value', { exact: true }).fill('^c')
  await page.total('5 contacts')
  await matchAria(page, 'contacts/filter', 'section[aria-label=Filter]')
  await panel.getByRole('button', { name: 'Save view…' }).click()
  await page.dialog.getByLabel('View name').fill('Some')
  await page.press('Enter')
  await page.closed()
  await panel.getByRole('button', { name: 'Create a list…' }).click()
  await page.press('Enter')
  await until(
    'a list is made',
    async () => (await announced(page)) === 'Created the list “Some” with 5 contacts.',
  )
  await panel.getByRole('button', { name: 'Clear filter' }).click()
  await page.total('30 contacts')
  await panel.getByRole('button', { name: 'Close' }).click()
  await tab.getByRole('button', { name: 'Values', exact: true }).click()
  const values = tab.getByRole('region', { name: 'Values' })
  await values.getByRole('checkbox', { name: /York/ }).check()
  await page.total('10 contacts')
  await values.getByRole('checkbox', { name: /blank/ }).check()
  await page.total('20 contacts')
  await seeAccessible(page, 'the values')
  await tab.locator('main [aria-haspopup=menu]', { hasText: 'Some' }).click()
  await tab.getByRole('menuitemcheckbox', { name: 'Some' }).click()
  await page.total('5 contacts')

  const place = new URL(await tab.url()).hash
  await tab.evaluate(() => (location.hash = '#/lists'))
  await until('the lists are shown', async () => (await page.text('main h1')) === 'Lists')
  await tab.evaluate((hash) => (location.hash = hash), place)
  await page.total('5 contacts')
})

test('many rows are changed by acts with a preview, each one step', async () => {
  await addFields(here.call)
  const page = await open()
  const { tab } = page
  const act = async (name, fill) => {
    await tab.getByRole('button', { name: 'Actions' }).click()
    await tab.getByRole('menuitem', { name }).click()
    await fill?.(page.dialog)
    const go = page.dialog.getByRole('button', { name: /^Change \d/ })
    await go.waitFor()
    await go.click()
    await page.closed()
  }
  await page.click(39, 'First name')
  await page.press('Control+Space')
  await act('Change case…')
  await until(
    'names are in title case',
    async () => (await first(page, 'First name', 3)()) === 'Finn,Eva,Dan',
  )
  await page.click(39, 'Last name')
  await act('Number rows…', async (dialog) => dialog.getByLabel('Prefix').fill('No. '))
  await until('rows are numbered', async () => (await first(page, 'Last name', 2)()) === 'No. 1,No. 2')
  await act('Split a column…', async (dialog) => {
    await dialog.getByLabel('Columns for the parts: 1').selectOption({ label: 'Company' })
    await dialog.getByRole('button', { name: 'Add a column' }).click()
    await dialog.getByLabel('Columns for the parts: 2').selectOption({ label: 'Field 1' })
  })
  await until('split', async () => (await first(page, 'Company', 2)()) === 'No.,No.')
  await until('and the other parts', async () => (await first(page, 'Field 1', 2)()) === '1,2')
  await page.press('Control+z', 'Control+z', 'Control+z')
  await until('all undone', async () => (await first(page, 'First name', 3)()) === 'finn,Eva,dan')
})

test('changes of others appear, and the position stays', async () => {
  const page = await open()
  const { call } = here
  await page.click(25, 'First name')
  const { list } = page
  await call('contact_paste', { list, contacts: [{ phone_number: '+447700900950' }], region: null })
  await page.total('31 contacts')
  await until('the same contact has the focus', async () =>
    (await page.tab.locator('.line:has(.focused)').textContent())?.includes('+447700900025'),
  )
  await soon(async () => assert.ok((await count(page)) > 5))
})

test('a value that a rule refused in the grid is shown in the record until it is corrected or reverted', async () => {
  const page = await open()
  const { tab } = page
  const number = tab.locator('[data-testid=contact-record] [name=phone_number]')
  const refusal = () => page.texts('[data-testid=contact-record] [role=alert]')
  await page.click(39, 'Phone number')
  await page.press('F4')
  await soon(async () => assert.equal(await number.inputValue(), '+447700900039'))
  await page.click(39, 'Phone number')
  await tab.keyboard.type('xyz')
  await page.press('Enter', 'ArrowUp')
  await until('it is shown beside the kept number', async () => (await refusal()).join().includes('“xyz”'))
  await soon(async () => assert.equal(await number.inputValue(), '+447700900039'))
  await seeAccessible(page, 'the record of a row with a refused value')
  await number.fill('+447700900099')
  await until('the typed text replaces it', async () => !(await refusal()).join().includes('“xyz”'))
  await number.press('Enter')
  await soon(async () => assert.deepEqual([(await phones(page))[0], (await refusal()).join('')], ['99', '']))
})

test('a list whose columns cannot be read says why, and shows its rows after another attempt', async () => {
  const list = await listOf(here, 'Newsletter', [{ number: 10, firstname: 'Ann' }])
  const page = await here.open(WIDE)
  const { tab } = page
  const asking = '**/__console/call/contact_fields'
  await tab.route(asking, (route) =>
    route.fulfill({ status: 500, json: { code: 'internal', message: 'A page is damaged.', details: [] } }),
  )
  await page.run("location.hash = '#/lists/' + arguments[0]", list)
  const fault = tab.locator('main [role=alert]', { hasText: 'A page is damaged.' })
  await fault.waitFor()
  await until(
    'its rows are counted',
    async () => (await page.text('[data-testid=contact-count]')) === '1 contact',
  )
  assert.equal(await fault.count(), 1)
  await tab.unroute(asking)
  await fault.getByRole('button').click()
  await until('its rows are there', async () => (await page.texts('main [role=gridcell]')).includes('Ann'))
  assert.equal(await fault.count(), 0)
})
