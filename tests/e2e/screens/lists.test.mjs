// The lists in Chromium: created, named, combined, deleted by typing their name, and restored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { keeps } from '../support/commands.mjs'
import { consoleForEach } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()

async function open(options) {
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/lists"]').click()
  await until('the lists are there', async () => (await page.text('main h1')) === 'Lists')
  return page
}

async function make(page, name) {
  await page.tab.keyboard.press('Alt+n')
  await page.tab.locator('dialog').getByLabel('Name', { exact: true }).fill(name)
  await page.tab.keyboard.press('Enter')
  await until('the dialog is closed', async () => (await page.count('dialog')) === 0)
  await until('it is first', async () => (await rows(page))[0]?.includes(name))
}

const rows = (page) => page.texts('main tbody th')
const row = (page, name) => page.tab.locator('main tbody tr', { hasText: name })
const names = async (page) => (await rows(page)).toSorted()
const numbers = (from, count) =>
  Array.from({ length: count }, (_, n) => ({
    phone_number: `+4477009000${String(from + n).padStart(2, '0')}`,
  }))

/** Creates lists of contacts with consecutive numbers, before the page is opened. */
async function seeded(lists) {
  const { call } = here
  for (const [name, from, count] of lists) {
    const { uid } = await call('list_create', { name })
    if (count > 0) await call('contact_paste', { list: uid, contacts: numbers(from, count), region: null })
  }
  return call
}

/** Selects rows as with the mouse: the first by a click, the others with Ctrl. */
async function select(page, ...wanted) {
  for (const [at, name] of wanted.entries())
    await row(page, name).click(at === 0 ? {} : { modifiers: ['Control'] })
  await until(
    'they are selected',
    async () => (await page.count('main tbody tr[aria-selected=true]')) === wanted.length,
  )
}

const announced = (page) => page.text('[data-testid=announcement]')

test('a list is made, gets an alias, is deleted by its typed name, and comes back by undo', async () => {
  const page = await open()
  const { tab } = page
  await until('the empty screen says what to do', async () =>
    (await page.texts('main h2')).includes('No lists yet'),
  )
  await seeAccessible(page, 'the empty screen')
  await make(page, 'Newsletter')
  await row(page, 'Newsletter').click()
  await tab.keyboard.press('F2')
  await tab.locator('dialog').getByLabel('Alias', { exact: true }).fill('news')
  await tab.getByRole('button', { name: 'Save' }).click()
  await until('the alias stands in the panel', async () =>
    (await page.text('#panel section'))?.includes('news'),
  )
  await row(page, 'Newsletter').focus()
  await tab.keyboard.press('Delete')
  const confirm = tab.getByRole('button', { name: 'Delete list' })
  await tab.getByLabel('Type “Newsletter” to confirm').fill('Newslette')
  await soon(async () => assert.equal(await confirm.isDisabled(), true))
  await tab.getByLabel('Type “Newsletter” to confirm').fill('Newsletter')
  await confirm.click()
  await until('it is gone', async () => (await page.texts('main h2')).includes('No lists yet'))
  await tab.getByTestId('toast').last().getByRole('button', { name: 'Undo' }).click()
  await until('it is back', async () => (await rows(page)).some((name) => name.includes('Newsletter')))
})

test('a bad name is refused at its field', async () => {
  const page = await open()
  const { tab } = page
  await tab.keyboard.press('Alt+n')
  await tab.getByRole('button', { name: 'Create list' }).click()
  const fault = () => page.text('dialog [role=alert]')
  await until('a missing name is shown', async () => (await fault()) === 'Give the list a name.')
  await tab.getByLabel('Name', { exact: true }).fill('é'.repeat(121))
  await until('a long one, too', async () => (await fault()) === 'Shorten the name by 1 character.')
  await seeAccessible(page, 'a fault at its field')
  await tab.keyboard.press('Escape')
  await until('Esc closes it', async () => (await page.count('dialog')) === 0)
})

test('sets are counted before they are made, all by keys', async () => {
  const page = await open()
  const { tab } = page
  await make(page, 'One')
  await make(page, 'Two')
  await row(page, 'One').focus()
  await tab.keyboard.press('Home')
  await tab.keyboard.press('Shift+ArrowDown')
  await tab.keyboard.press('Control+Shift+m')
  await until(
    'it is counted',
    async () => (await page.text('[data-testid=combine-total]')) === 'The new list would be empty.',
  )
  await tab.keyboard.press('Enter')
  await until('the set is there', async () => (await rows(page)).length === 3)
  await until('it is announced', async () => (await announced(page)).startsWith('Created “All of'))
})

test('an import goes into the list that is selected, or the only one there is', async () => {
  const call = await seeded([['Newsletter', 0, 1]])
  const page = await open()
  const place = () => page.run('return location.hash')
  await row(page, 'Newsletter').waitFor()
  await page.tab.keyboard.press('Control+i')
  await until('it is meant without a word', async () => (await place()).startsWith('#/import?list='))
  await call('list_create', { name: 'Regulars' })
  await page.run('location.hash = "#/lists"')
  await row(page, 'Regulars').waitFor()
  await page.tab.keyboard.press('Control+i')
  await until('it is not clear which', async () => (await place()) === '#/import')
  await page.run('location.hash = "#/lists"')
  await row(page, 'Regulars').click()
  await page.tab.keyboard.press('Control+i')
  await until('the selected one is meant', async () => (await place()).startsWith('#/import?list='))
})

test('a list that is shown beside the rows leaves them where they are, so that a double click opens it', async () => {
  await seeded([['Newsletter', 0, 1]])
  const page = await open()
  const newsletter = row(page, 'Newsletter')
  await newsletter.waitFor()
  const before = await newsletter.boundingBox()
  await newsletter.click()
  await page.tab.locator('#panel').waitFor()
  assert.equal((await newsletter.boundingBox()).y, before.y)
  await newsletter.dblclick()
  await until('it is open', async () => (await page.text('main h1')) === 'Newsletter')
})

test('the full screen reads well, light and dark', async () => {
  const call = await seeded([
    ['Newsletter', 0, 3],
    ['Regulars', 2, 2],
  ])
  await call('opt_out_add', {
    entries: [{ number: '+447700900000', channels: ['SMS'], asset: null }],
    reason: 'asked',
    region: null,
  })
  for (const colorScheme of ['light', 'dark']) {
    const page = await open({ colorScheme })
    await row(page, 'Newsletter').click()
    await until(
      'the facts are counted',
      async () => !(await page.text('[data-testid=list-facts]'))?.includes('counting'),
    )
    await until('and stand in the row', async () =>
      (await row(page, 'Newsletter').textContent()).includes('310'),
    )
    await seeAccessible(page, `the full screen, ${colorScheme}`)
    if (colorScheme === 'light') await matchAria(page, 'lists/grid')
    await page.close()
  }
})

test('lists are merged and split, and one undo takes each back', async () => {
  await seeded([
    ['Newsletter', 0, 4],
    ['Regulars', 2, 4],
  ])
  const page = await open()
  const { tab } = page
  await select(page, 'Newsletter', 'Regulars')
  await tab.locator('#panel').getByRole('button', { name: 'Merge…' }).click()
  await tab.getByLabel('Delete the other lists afterwards').check()
  await tab.getByTestId('clashes-total').waitFor()
  await seeAccessible(page, 'the dialog of merging')
  await matchAria(page, 'lists/merge', 'dialog')
  await tab.getByRole('button', { name: 'Merge lists', exact: true }).click()
  await until(
    'one is left, with every number once',
    async () =>
      (await row(page, 'Newsletter').textContent()).includes('6') && (await rows(page)).length === 1,
  )
  await tab.keyboard.press('Control+z')
  await until('both are back', async () => (await names(page)).join() === 'Newsletter,Regulars')
  await select(page, 'Newsletter')
  await tab.locator('#panel').getByRole('button', { name: 'More' }).click()
  await tab.getByRole('menuitem', { name: /^Split/ }).click()
  await tab.getByLabel('Parts', { exact: true }).fill('0')
  await until('a part too few is shown', async () =>
    (await page.texts('dialog [role=alert]')).includes('Enter a whole number, 1 or more.'),
  )
  await tab.getByLabel('Parts', { exact: true }).fill('2')
  await tab.getByRole('button', { name: 'Create 2 lists' }).click()
  await until('the parts are there', async () => (await rows(page)).length === 4)
  await tab.keyboard.press('Control+z')
  await until('and gone', async () => (await names(page)).join() === 'Newsletter,Regulars')
})

test('what lists share and what only one has is counted and made; a list is duplicated by keys', async () => {
  await seeded([
    ['Newsletter', 0, 4],
    ['Regulars', 3, 3],
  ])
  const page = await open()
  const { tab } = page
  const total = () => page.text('[data-testid=combine-total]')
  for (const [choice, counted, made] of [
    ['In every list', '1 contact', 'In all of Newsletter and Regulars'],
    ['Only in the first list', '3 contacts', 'Newsletter without Regulars'],
  ]) {
    await select(page, 'Newsletter', 'Regulars')
    await tab.keyboard.press('Control+Shift+m')
    await tab.getByLabel(choice).check()
    await until(`${choice}: counted`, async () => (await total()) === counted)
    const name = await soon(async () => {
      const offered = await tab.getByLabel('Name of the new list').inputValue()
      assert.equal(offered, made)
      return offered
    })
    await tab.getByRole('button', { name: 'Create list' }).click()
    await until('it is there', async () => (await rows(page)).includes(name))
    await tab.keyboard.press('Control+z')
    await until('and gone', async () => (await rows(page)).length === 2)
  }
  await select(page, 'Newsletter')
  await tab.keyboard.press('Control+d')
  await until('a name is offered', async () =>
    (await tab.locator('dialog').getByLabel('Name', { exact: true }).inputValue()).includes('Newsletter'),
  )
  await tab.keyboard.press('Enter')
  await until(
    'the copy is first, with all contacts',
    async () => (await page.text('main tbody tr'))?.includes('4') && (await rows(page)).length === 3,
  )
})

test('several lists are deleted by typing their number, undone, and restored from the trash', async () => {
  await seeded([
    ['Newsletter', 0, 2],
    ['Regulars', 2, 1],
    ['Spring', 0, 0],
  ])
  const page = await open()
  const { tab } = page
  await select(page, 'Newsletter', 'Regulars')
  await tab.keyboard.press('Delete')
  const act = tab.getByRole('button', { name: 'Delete lists' })
  const typed = tab.getByLabel('Type the number of lists, 2, to confirm')
  await typed.fill('3')
  await soon(async () => assert.equal(await act.isDisabled(), true))
  await typed.fill('2')
  await seeAccessible(page, 'the dialog of deleting several')
  await matchAria(page, 'lists/delete-many', 'dialog')
  await tab.keyboard.press('Enter')
  await until('both are gone', async () => (await rows(page)).join() === 'Spring')
  await tab.keyboard.press('Control+z')
  await until('one undo brings both back', async () => (await rows(page)).length === 3)
  await tab.keyboard.press('Control+Shift+z')
  await until('and redo takes them again', async () => (await rows(page)).join() === 'Spring')
  await tab.locator('nav a[href="#/trash"]').click()
  const deleted = tab.locator('main tbody tr').first()
  await deleted.click()
  await tab.keyboard.press('r')
  await until('the trash is empty', async () => (await page.texts('main h2')).includes('The trash is empty'))
  await tab.locator('nav a[href="#/lists"]').click()
  await until('they are back', async () => (await names(page)).join() === 'Newsletter,Regulars,Spring')
})

test('the order and the selected list are found again, and keys walk and open', async () => {
  await seeded([
    ['Beta', 0, 1],
    ['Alpha', 0, 2],
    ['Gamma', 0, 0],
  ])
  const page = await open()
  const { tab } = page
  const keptOrder = keeps(tab, 'lists.view')
  await tab.locator('main thead').getByRole('button', { name: 'Name' }).click()
  await until('they are sorted', async () => (await rows(page)).join() === 'Alpha,Beta,Gamma')
  await keptOrder
  const kept = keeps(tab, 'frame.selection')
  await select(page, 'Beta')
  await kept
  await tab.reload()
  await until('the order is kept', async () => (await rows(page)).join() === 'Alpha,Beta,Gamma')
  await until('the selection, too', async () => (await page.text('#panel h2')) === 'Beta')
  await row(page, 'Beta').focus()
  await tab.keyboard.press('ArrowUp')
  await until('the one above', async () => (await page.text('#panel h2')) === 'Alpha')
  await tab.keyboard.press('Enter')
  await until('it is open', async () => (await page.text('main h1')) === 'Alpha')
})
