// A contact that was deleted here and changed at the service, in Chromium: the pull that restores it names it, and the
// trash no longer offers to delete it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { deleteContacts } from '../support/commands.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import { connect, listThere, pull, upload } from '../support/service.mjs'

const pair = pairForEach('--limits', 'off')
const { call } = pair
const NUMBERS = ['+447700900001', '+447700900002', '+447700900003']

test('a deleted contact that a pull brings back is named, and leaves the trash', async () => {
  const list = await listThere(
    pair.service,
    'Newsletter',
    NUMBERS.map((phone_number, at) => ({
      phone_number,
      firstname: ['Ann', 'Bob', 'Cleo'][at],
      lastname: 'Lee',
    })),
  )
  await connect(call, pair.service)
  await pull(call)
  const { items } = await call('contact_page', {
    list,
    page_number: 1,
    page_size: 10,
    sort: null,
    filter: 'Ann',
    opted_out: null,
  })
  await deleteContacts(call, list, [items[0].uid])
  await upload(pair.service, list, [{ phone_number: NUMBERS[0], firstname: 'Anna' }])
  const page = await pair.open()
  const { tab } = page
  await page.run('location.hash = "#/sync/changes"')
  await tab.getByRole('button', { name: 'Pull', exact: true }).click()
  const notice = tab.getByTestId('restored')
  await notice.getByText('1 contact that you deleted was restored').waitFor()
  await notice.getByRole('link', { name: 'Anna Lee' }).waitFor()
  assert.match(await page.text('[data-testid=sync-pulled]'), /^1 deleted contact restored$/)
  await seeAccessible(page, 'a contact that a pull brought back')
  for (const place of ['#/activity', '#/']) {
    await page.run('location.hash = arguments[0]', place)
    await tab.getByText('Restored deleted contact “Anna Lee”, which changed at the service').waitFor()
  }
  await page.run('location.hash = "#/trash"')
  await tab.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  await page.run('location.hash = arguments[0]', `#/lists/${list}`)
  await until('it is in its list', async () => (await page.text('main')).includes('Anna'))
  await soon(async () => assert.deepEqual(page.complaints, []))
})
