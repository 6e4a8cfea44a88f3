// Backups and safety: the account goes back to a backup, its file is checked, and everything about a number is shown and
// deleted. A console cannot close its account, so only the window restores and deletes.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { newestContact } from '../support/journeys.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach({ isFile: true })
const ADA = '+447700900001'
const BEN = '+447700900002'
const COPIES = 'main li[data-occasion]'

/** Opens the screen on an account with a list of one contact. */
async function open(options) {
  const { call } = here
  const { uid: list } = await call('list_create', { name: 'Guests' })
  await add(list, ADA)
  const page = await here.open(options)
  await until('a screen is shown', () => page.count('main h1'))
  await page.run('location.hash = "#/safety"')
  await until('the copies are listed', async () =>
    (await page.texts('main section p')).includes('No copies yet'),
  )
  return { page, list }
}
const add = (list, number) =>
  here.call('contact_paste', {
    list,
    contacts: [{ phone_number: number, firstname: 'Ada' }],
    region: null,
  })
const press = (page, name) => page.tab.getByRole('button', { name, exact: true }).click()
const rows = (page, css) =>
  page.run(
    `return [...document.querySelectorAll(arguments[0])].map(({ cells }) =>
      [...cells].map((cell) => cell.textContent.trim()).join(' '))`,
    css,
  )
const occasions = (page) =>
  page.run('return [...document.querySelectorAll(arguments[0])].map((one) => one.dataset.occasion)', COPIES)
const sees = (page, text) => async () => (await page.texts('[data-testid=toast]')).join().includes(text)
const contacts = async () => (await here.call('overview_get')).counts.contacts

async function backUp(page) {
  await press(page, 'Back up now')
  await until('the backup is listed', async () => (await occasions(page)).join() === 'backup')
}

async function lookUp(page, number) {
  await page.fill('input[name=held_number]', number)
  await press(page, 'Show what is held')
  await until('the report is there, and has the focus', () => page.count('main section h3:focus'))
}

test('the account goes back to a backup after its difference was shown', async () => {
  const { page, list } = await open()
  const { tab } = page
  await seeAccessible(page, 'the screen without copies')
  await backUp(page)
  await seeAccessible(page, 'the copies')
  await add(list, BEN)
  await here.call('opt_out_add', {
    entries: [{ number: BEN, channels: ['SMS'], asset: null }],
    reason: 'Asked by telephone',
    region: null,
  })
  const restores = await tab.getByRole('button', { name: /^Restore the copy of/ }).count()
  if (tab.kind !== 'window') {
    assert.equal(restores, 0)
    assert.ok((await page.texts('main p')).join().includes('use the Roost window'))
    return
  }
  await tab.getByRole('button', { name: /^Restore the copy of/ }).click()
  await until('the difference is shown', () => page.count('dialog tr.differs'))
  await soon(async () =>
    assert.deepEqual(await rows(page, 'dialog tr.differs'), ['Contacts 2 1 1', 'Opt-outs 1 0 1']),
  )
  assert.match((await page.texts('dialog p')).join(), /1 opt-out of the account is not in the copy. It stays/)
  await seeAccessible(page, 'the difference')
  await press(page, 'Restore')
  await until('it is restored', sees(page, 'Restored the copy'), 30_000)
  await until('what was there is a copy', async () => (await occasions(page)).includes('replacement'))
  const { counts } = await here.call('overview_get')
  assert.deepEqual([counts.contacts, counts.opt_outs], [1, 1])
  await add(list, BEN)
  assert.equal(await contacts(), 2, 'the account is open')
})

test('the file is checked, in the dark and in a narrow window', async () => {
  const { page } = await open({
    colorScheme: 'dark',
    viewport: { width: 1024, height: 700 },
  })
  const status = () => page.text('[data-testid=check-status]')
  assert.equal(await status(), 'Not checked yet')
  await press(page, 'Check the file')
  await until('it is sound', async () => (await status()).startsWith('No damage found'))
  await seeAccessible(page, 'the check')
})

test('what is held about a number is saved as a report, and deleted after the number was typed', async () => {
  const { page, list } = await open()
  const { tab } = page
  await add(list, BEN)
  await backUp(page)
  await press(page, 'Show what is held')
  await until('a number is asked for', async () =>
    (await page.texts('main [role=alert]')).includes('Enter a phone number.'),
  )
  await lookUp(page, ADA)
  await soon(async () => assert.match((await rows(page, 'main tbody tr')).join(), /Contacts in lists 1/))
  assert.match((await rows(page, 'main tbody tr')).join(), /saved-.*\.backup/)
  await seeAccessible(page, 'the report')
  const coming = tab.waitForEvent('download')
  await press(page, 'Save the report…')
  const report = JSON.parse(await readFile(await (await coming).path(), 'utf8'))
  assert.equal(report.number, ADA)
  if (tab.kind !== 'window') {
    assert.equal(await tab.getByRole('button', { name: 'Delete everything…' }).count(), 0)
    return
  }
  await press(page, 'Delete everything…')
  await tab.getByRole('dialog').waitFor()
  await seeAccessible(page, 'the question')
  await page.fill('dialog input:not([type=checkbox])', BEN)
  assert.equal(await tab.getByRole('button', { name: 'Delete permanently' }).isDisabled(), true)
  await page.fill('dialog input:not([type=checkbox])', ADA)
  await press(page, 'Delete permanently')
  await until('it is deleted', sees(page, 'Deleted what was held about'), 30_000)
  assert.equal(await contacts(), 1)
  await lookUp(page, ADA)
  await soon(async () =>
    assert.doesNotMatch((await rows(page, 'main tbody tr')).join(), /Contacts in lists|saved-/),
  )
  assert.ok((await page.texts('main p')).join().includes('What was held about the number was deleted'))
  assert.ok(await newestContact(here.call, list), 'the other contact is there')
})
