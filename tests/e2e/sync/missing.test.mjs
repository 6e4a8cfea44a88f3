// Records that are missing at the service: named before they are removed here, and in Activity.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeAccessible } from '../support/a11y.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import { connect, listThere, pull, rest } from '../support/service.mjs'

const pair = pairForEach('--limits', 'off')
const TITLES = ['Menu of the week', 'Map of the hall', 'Opening hours']
const ALL = { page_number: 1, page_size: 50, query: null, tags: [], from: null, to: null, order: 'DESC' }
const contacts = (from, count) =>
  Array.from({ length: count }, (_, n) => ({
    phone_number: `+4477009004${String(from + n).padStart(2, '0')}`,
  }))
const activity = async (tab) =>
  (await tab.locator('main li .step-text').allTextContents()).map((text) => text.trim())

test('lists and links that are missing at the service are named before they are removed, and in Activity', async () => {
  const { service, call } = pair
  const gone = await listThere(service, 'Lunch club', contacts(0, 6))
  await listThere(service, 'Members', contacts(20, 2))
  for (const title of TITLES)
    await rest(service, 'POST', '/assets/v1/shortlink', { title, target_url: 'https://shop.example/lunch' })
  await connect(call, service)
  await pull(call)
  const page = await pair.open()
  const { tab } = page
  await page.run('location.hash = "#/activity"')
  await soon(async () => {
    const lines = await activity(tab)
    for (const line of [
      'Pulled 6 contacts of “Lunch club” from the service',
      'Pulled 2 records from the service: +447700900420, +447700900421',
    ])
      assert.ok(lines.includes(line), `${line}: ${lines.join('\n')}`)
    assert.ok(
      lines.some((line) => /^Pulled 3 records from the service: .*Menu of the week/.test(line)),
      lines.join('\n'),
    )
  })

  await service.call('list_delete', { uid: gone, typed_name: 'Lunch club' })
  const { items } = await service.call('short_link_page', ALL)
  await service.call('short_link_delete', { uids: items.map(({ link_id }) => link_id) })
  await pull(call)
  await page.run('location.hash = "#/sync/changes"')
  await tab.getByText(/^Missing short links: /).waitFor()
  await tab.getByRole('button', { name: 'Confirm the deletions…' }).click()
  const dialog = tab.locator('dialog[open]')
  await dialog.waitFor()
  await soon(async () => {
    assert.deepEqual(await page.texts('[data-testid=believe-lists] li'), ['“Lunch club” with 6 contacts'])
    assert.deepEqual((await page.texts('[data-testid=believe-links] li')).toSorted(), TITLES.toSorted())
  })
  await seeAccessible(page, 'the question about deletions')
  await dialog.getByRole('button', { name: 'Read and remove' }).click()
  await until('the links are removed', async () => {
    const left = await call('short_link_page', ALL)
    return left.items.length === 0
  })
  await page.run('location.hash = "#/activity"')
  await soon(async () => {
    const lines = await activity(tab)
    assert.ok(
      lines.includes('Removed list “Lunch club” with 6 contacts (no longer at the service)'),
      lines.join('\n'),
    )
    assert.ok(
      lines.some((line) => line.startsWith('Removed 3 short links (no longer at the service): ')),
      lines.join('\n'),
    )
  })
})
