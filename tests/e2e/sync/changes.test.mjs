// Changes that have not been sent yet, in Chromium: reviewed, held, discarded and restored, by mouse and keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { deleteContacts, openView } from '../support/commands.mjs'
import { testNeeding } from '../support/console.mjs'
import { at as openList, cell, count, lines as gridLines, row as gridRow, titleOf } from '../support/grid.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import { connect, contactsThere, listThere, pull } from '../support/service.mjs'
import { rowsInSight } from '../support/window/layout.mjs'

const pair = pairForEach('--limits', 'off')
const it = testNeeding('played answers')

const NAMES = ['Ada', 'Grace', 'Alan', 'Edsger']
const contact = (firstname, n) => ({ phone_number: `+44770090000${n}`, firstname, city: 'Leeds' })

/** Creates a list on both sides, with two contacts changed here, one added and one deleted, and another list only
 *  here. */
async function edited() {
  const list = await listThere(pair.service, 'Newsletter', NAMES.map(contact))
  await connect(pair.call, pair.service)
  await pull(pair.call)
  const uid = Object.fromEntries(
    (await contactsThere(pair.service, list)).map((one) => [one.firstname, one.uid]),
  )
  const change = (name, fields) => pair.call('contact_update', { uid: uid[name], fields, region: null })
  await change('Ada', { city: 'York', email_address: 'ada@example.com' })
  await change('Grace', { city: 'York' })
  await pair.call('contact_paste', {
    list,
    contacts: [{ phone_number: '+447700900050', firstname: 'Barbara' }],
    region: null,
  })
  await deleteContacts(pair.call, list, [uid.Edsger])
  await pair.call('list_create', { name: 'Ideas' })
  return { list, uid, change }
}

async function open(options) {
  const page = await pair.open(options)
  await page.run('location.hash = "#/sync/changes"')
  return page
}
const sum = (page) => page.text('[data-testid=changes-sum] strong')
const lines = (page) => page.texts('[data-testid=changes-tree] [role=treeitem] .count')
const line = (page, name) => page.tab.getByRole('treeitem', { name })
const row = (page, name) => page.tab.locator('main tbody tr', { hasText: name })
const announced = (page) => page.text('[data-testid=announcement]')
const shows = (page, words) => until(words, async () => (await sum(page)) === words)
const isHeld = (page, name) =>
  until(`${name} is held back`, async () => !(await row(page, name).getByRole('checkbox').isChecked()))

test('changes are shown with counts that add up, before and after, and are held or discarded by mouse', async () => {
  await edited()
  const page = await open()
  const { tab } = page
  await shows(page, '5 changes')
  await soon(async () =>
    assert.deepEqual(await page.texts('[data-testid=changes-sum] li'), ['2 New', '2 Changed', '1 Deleted']),
  )
  await soon(async () => assert.deepEqual(await lines(page), ['4', '1', '2', '1', '1', '1']))
  await soon(async () => assert.deepEqual(await row(page, 'Ada').locator('del').allTextContents(), ['Leeds']))
  await soon(async () =>
    assert.deepEqual(await row(page, 'Ada').locator('ins').allTextContents(), ['York', 'ada@example.com']),
  )
  await seeAccessible(page, 'the changes')
  await matchAria(page, 'sync/changes')

  await tab.getByRole('button', { name: 'Before and after side by side' }).click()
  await row(page, 'Ada').locator('.beside').waitFor()
  await seeAccessible(page, 'before beside after')
  await tab.getByRole('button', { name: 'Before and after side by side' }).click()

  await tab.getByRole('searchbox').fill('york')
  await shows(page, '2 of 5 changes')
  await tab.getByRole('searchbox').fill('nobody')
  await tab.getByRole('heading', { name: 'No matching changes' }).waitFor()
  await seeAccessible(page, 'no change fits')
  await tab.getByRole('button', { name: 'Clear filters' }).click()
  await shows(page, '5 changes')
  await tab.getByLabel('Column', { exact: true }).selectOption('email_address')
  await shows(page, '1 of 5 changes')
  await tab.getByLabel('Column', { exact: true }).selectOption('')
  await shows(page, '5 changes')

  await row(page, 'Grace').getByRole('checkbox').click()
  await isHeld(page, 'Grace')
  await soon(async () => assert.deepEqual((await lines(page)).slice(0, 3), ['3 of 4', '1', '1 of 2']))
  await tab.getByRole('button', { name: 'Columns…' }).click()
  await seeAccessible(page, 'the columns')
  await tab.getByRole('checkbox', { name: /^City/ }).click()
  await until('the column is held back', async () => (await page.count('main .cell.held')) === 2)
  await tab.getByRole('button', { name: 'Close' }).last().click()

  await row(page, 'Ada').click()
  await tab.getByRole('button', { name: 'Discard…' }).click()
  await tab.getByText('1 record gets its previous values back').waitFor()
  await seeAccessible(page, 'what would be given up')
  await matchAria(page, 'sync/changes-discard', 'dialog')
  await tab.getByRole('button', { name: 'Discard 1 change' }).click()
  await shows(page, '4 changes')
  await tab.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
  await shows(page, '5 changes')

  await row(page, 'Ada').click({ button: 'right' })
  await tab.getByRole('menuitem', { name: 'Discard everything changed with it…' }).click()
  await tab.getByRole('button', { name: 'Discard 1 change' }).click()
  await shows(page, '4 changes')
  assert.deepEqual(page.complaints, [])
})

test('everything can be done by keys, in the dark too, and the way leads to the plan', async () => {
  await edited()
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await shows(page, '5 changes')
  await line(page, /^Newsletter/).focus()
  await tab.keyboard.press('Space')
  await until('the list is held back', async () => (await lines(page))[0] === '0 of 4')
  await tab.keyboard.press('Space')
  await until('and released', async () => (await lines(page))[0] === '4')
  await tab.keyboard.press('ArrowDown')
  await tab.keyboard.press('ArrowDown')
  await until('the changed ones', async () => (await page.count('main tbody tr')) === 2)
  await soon(async () => assert.equal(await line(page, /^Changed/).getAttribute('aria-selected'), 'true'))

  await row(page, 'Ada').focus()
  await tab.keyboard.press('Space')
  await isHeld(page, 'Ada')
  await until('it is announced', async () => (await announced(page)) === '1 change held back')
  await tab.keyboard.press('Shift+Space')
  await isHeld(page, 'Grace')
  await line(page, /^Lists/).focus()
  await tab.keyboard.press('Space')
  await line(page, /^New, 1|^New 1/)
    .first()
    .focus()
  await tab.keyboard.press('Space')
  await line(page, /^Deleted/).focus()
  await tab.keyboard.press('Space')
  await tab.getByText('All changes are held back').waitFor()
  await seeAccessible(page, 'everything is held back')

  await line(page, /^Newsletter/).click()
  await until('all of the list', async () => (await page.count('main tbody tr')) === 4)
  await row(page, 'Ada').focus()
  await tab.keyboard.press('ArrowDown')
  await tab.keyboard.press('Shift+ArrowDown')
  await tab.keyboard.press('d')
  await page.tab.locator('.beside').first().waitFor()
  await tab.keyboard.press('Control+Shift+Backspace')
  await tab.getByRole('button', { name: 'Discard 2 changes' }).waitFor()
  await tab.keyboard.press('Escape')
  await until('nothing was done', async () => (await page.count('dialog')) === 0)
  await soon(async () => assert.equal(await sum(page), '5 changes'))
  await tab.keyboard.press('Control+Shift+Backspace')
  await tab.getByRole('button', { name: 'Discard 2 changes' }).press('Enter')
  await shows(page, '3 changes')
  await until('the rows have the focus', () =>
    page.run('return document.activeElement.closest("main tbody tr") !== null'),
  )
  await tab.keyboard.press('Control+z')
  await shows(page, '5 changes')
  await tab.keyboard.press('Control+Enter')
  await until('the plan is shown', () => page.run('return location.hash.startsWith("#/sync/plan")'))
})

it('without a service it says how to get one, and when the service is down the changes to send', async () => {
  const page = await open()
  const { tab } = page
  await tab.getByRole('heading', { name: 'No service is connected' }).waitFor()
  await seeAccessible(page, 'no service')
  const { change } = await edited()
  await shows(page, '5 changes')
  await pair.service.cut()
  await change('Alan', { city: 'Hull' })
  await shows(page, '6 changes')
  await row(page, 'Alan').getByRole('checkbox').click()
  await isHeld(page, 'Alan')

  const call = '**/__console/call/changes_summary'
  await tab.route(call, (route) =>
    route.fulfill({ status: 500, json: { code: 'internal', message: 'It did not count.', details: [] } }),
  )
  await change('Alan', { city: 'Bath' })
  const fault = tab.locator('main [role=alert]', { hasText: 'It did not count.' })
  await fault.waitFor()
  await seeAccessible(page, 'the fault')
  await tab.unroute(call)
  await fault.getByRole('button').click()
  await until('the fault is gone', async () => (await fault.count()) === 0)
  await until('the latest is shown', async () => (await row(page, 'Alan').textContent()).includes('Bath'))
})

test('nothing waits after a pull, and many changes come in pages', async () => {
  const list = await listThere(pair.service, 'Newsletter', NAMES.map(contact))
  await connect(pair.call, pair.service)
  await pull(pair.call)
  const page = await open()
  const { tab } = page
  await tab.getByRole('heading', { name: 'No changes to send' }).waitFor()
  await seeAccessible(page, 'nothing waits')
  await pair.call('contact_paste', {
    list,
    contacts: Array.from({ length: 250 }, (_, n) => ({
      phone_number: `+447700900${String(n + 100)}`,
      firstname: `Contact ${n + 1}`,
    })),
    region: null,
  })
  await shows(page, '250 changes')
  await soon(async () => assert.equal(await page.count('main tbody tr'), 100))
  await tab.setViewportSize({ width: 1024, height: 700 })
  await until('a low window shows five of them', async () => (await rowsInSight(page, 'main tbody tr')) >= 5)
  await tab.setViewportSize({ width: 1280, height: 800 })
  await tab.getByRole('button', { name: 'Next page' }).click()
  await tab.getByRole('button', { name: 'Next page' }).click()
  await until('the rest', async () => (await page.count('main tbody tr')) === 50)
  await row(page, 'Contact 201').focus()
  await tab.keyboard.press('Shift+Space')
  await tab.getByText('All changes are held back').waitFor()
  await soon(async () => assert.equal(await page.text('[data-testid=changes-sum] .warm'), '250 held back'))
})

it('every row shows its change, and a discard that changes nothing does not report success', async () => {
  const { list, uid } = await edited()
  const { view } = await openView(pair.call, list)
  const { row: at } = await pair.call('grid_locate', { view, uid: uid.Alan })
  const to = (await pair.call('list_create', { name: 'Autumn' })).uid
  await pair.call('grid_move', { view, generation: null, rows: [[at, at + 1]], list: to, duplicates: 'keep' })
  const page = await open()
  const { tab } = page
  await shows(page, '7 changes')
  // The service may receive more changes than can be shown.
  await tab.route('**/__console/call/changes_rows', async (route) => {
    const response = await route.fetch()
    const answer = await response.json()
    for (const one of answer.rows) if (one.title === 'Grace') one.cells = []
    await route.fulfill({ response, json: answer })
  })
  await tab.reload()
  await line(page, /^Newsletter/).click()
  await until('it says so', async () =>
    (await row(page, 'Grace').textContent()).includes('Every value is the same as at the service'),
  )
  await tab.route('**/__console/call/changes_discard', (route) =>
    route.fulfill({ json: { count: 0, opt_outs_kept: 0 } }),
  )
  await row(page, 'Grace').click()
  await tab.getByRole('button', { name: 'Discard…' }).click()
  await tab.getByRole('button', { name: 'Discard 1 change' }).click()
  await until('nothing was done', async () =>
    (await page.text('dialog [role=alert]'))?.includes('None of these changes could be discarded.'),
  )
  await seeAccessible(page, 'a discard that changed nothing')
  await soon(async () => assert.deepEqual(await page.texts('[data-testid=toast]'), []))
  await tab.keyboard.press('Escape')
  await tab.unroute('**/__console/call/changes_discard')
  await line(page, /^Autumn/).click()
  await row(page, 'Alan').click()
  await tab.getByRole('button', { name: 'Discard…' }).click()
  await tab.locator('dialog').getByText('From “Autumn” to “Newsletter”').waitFor()
})

test('the rows of a list say how many changes wait, and lead to them', async () => {
  const { list } = await edited()
  const page = await open()
  const { tab } = page
  await tab.evaluate((hash) => (location.hash = hash), `#/lists/${list}`)
  const strip = tab.getByTestId('changes-strip')
  await strip.getByText('4 changes in this list', { exact: true }).waitFor()
  assert.equal(await strip.getByRole('link').last().textContent(), 'All 5 changes in the account')
  await seeAccessible(page, 'the strip of changes')
  await strip.getByRole('link', { name: 'Review' }).click()
  await shows(page, '5 changes')
  await until('the list is chosen', () =>
    page.count('[data-testid=changes-tree] [role=treeitem][aria-selected=true]'),
  )
  await tab.evaluate((hash) => (location.hash = hash), `#/lists/${list}`)
  await strip.getByRole('link', { name: 'Discard…' }).click()
  await tab.locator('dialog').getByText('Every other change stays.').waitFor()
  await tab.getByRole('button', { name: 'Discard 4 changes' }).click()
  await shows(page, '1 change')
  await tab.evaluate((hash) => (location.hash = hash), `#/lists/${list}`)
  await strip.getByText('No changes in this list').waitFor()
  await strip.getByRole('link', { name: '1 change in the account' }).waitFor()
})

test('the rows of a list show what is not yet sent, with the value the service has', async () => {
  const { list, change } = await edited()
  await change('Ada', { firstname: 'Augusta', lastname: 'King' })
  const page = await openList(pair, list)
  const { tab } = page
  const mark = (name, title) => cell(page, name, title)
  await soon(async () =>
    assert.match(await (await mark('Augusta', 'First name')).getAttribute('class'), /\bchanged\b/),
  )
  assert.doesNotMatch(await (await mark('Alan', 'First name')).getAttribute('class'), /\bchanged\b/)
  await (await mark('Augusta', 'First name')).hover()
  await soon(async () =>
    assert.equal(
      await titleOf(await mark('Augusta', 'First name')),
      'Changed here, not sent yet. The service has: Ada',
    ),
  )
  await (await mark('Augusta', 'Last name')).click()
  await until('the status bar has the value of the service', async () =>
    (await page.text('[data-testid=selection]')).includes('The service has no value.'),
  )
  assert.equal(await gridRow(page, 'Barbara').locator('.lead .marks').textContent(), '+')
  const gone = gridRow(page, 'Edsger')
  assert.match(await gone.getAttribute('class'), /\bgone\b/)
  assert.match(await gone.locator('.lead').getAttribute('title'), /deleted here, not sent yet/)
  assert.equal(await page.text('[data-testid=contact-count]'), '4 contacts')
  await seeAccessible(page, 'unsent changes in the rows')

  await tab.getByRole('button', { name: 'Deleted, not sent: 1' }).click()
  await until('the deleted row is hidden', async () => (await count(page)) === 4)
  await tab.getByRole('button', { name: 'Show deleted contacts' }).click()
  await gone.waitFor()

  await gridRow(page, 'Alan').locator('[aria-colindex="2"]').click()
  await tab.keyboard.press('Control+Backspace')
  await until(
    'two rows are struck through',
    async () => (await gridLines(page).and(tab.locator('.gone')).count()) === 2,
  )
  await until('three are left', async () => (await page.text('[data-testid=contact-count]')) === '3 contacts')
  await tab.keyboard.press('Control+z')
  await until('one is back', async () => (await gridLines(page).and(tab.locator('.gone')).count()) === 1)
  await until('four are there', async () => (await page.text('[data-testid=contact-count]')) === '4 contacts')
})
