// Common behaviour of all tables of records in Chromium: a click shows the record beside the table, and dates are not
// cut off.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksOf, consoleForEach } from '../support/console.mjs'
import { sleep, soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { post } = asksOf(here)

/** Creates at least one record of every kind. */
async function seeded() {
  const { call } = here
  const { uid } = await call('list_create', { name: 'Newsletter' })
  const entries = [{ number: '+447700900001', channels: ['SMS'], asset: null }]
  await call('opt_out_add', { entries, reason: 'asked', region: null })
  await call('short_link_create', {
    links: [{ title: 'Sale', target_url: 'https://shop.example', tags: [], track_clicks: true }],
  })
  await call('sender_request', { name: 'Roost' })
  await post('/contacts/v1/contacts', {
    list_id: uid,
    merge_type: 'mergeByPhoneNumberInList',
    contacts: [{ phone_number: '+447700900002' }],
  })
}

const SCREENS = ['lists', 'optouts', 'links', 'senders', 'activity/jobs', 'server', 'server/jobs']

test('a click on a row shows its record beside the table, on every screen', async () => {
  await seeded()
  const page = await here.open()
  const { tab } = page
  for (const screen of SCREENS) {
    await tab.evaluate((hash) => (location.hash = hash), `#/${screen}`)
    const row = tab.locator('main [role=grid] tbody tr[data-key]').first()
    await row.waitFor()
    // Wait longer than a double click, whose second press the next screen ignores.
    await sleep(600)
    await row
      .locator('td')
      .last()
      .click({ position: { x: 4, y: 4 } })
    await until(`${screen}: its record is shown`, () => page.count('#panel h2, [data-testid=job]'))
    await soon(async () => assert.equal(await row.getAttribute('aria-selected'), 'true', screen))
  }
})

test('dates are whole where there is room for them', async () => {
  await seeded()
  for (const locale of ['en-GB', 'en-US']) {
    const page = await here.open({
      locale,
      viewport: { width: 1920, height: 1000 },
    })
    for (const screen of ['lists', 'optouts', 'links', 'activity/jobs', 'server/jobs']) {
      await page.run('location.hash = arguments[0]', `#/${screen}`)
      const cells = page.tab.locator('main [role=grid] tbody td', { hasText: /20\d\d/ })
      await cells.first().waitFor()
      const cut = await cells.evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      )
      assert.deepEqual(cut, [], `${screen}, ${locale}`)
    }
    await page.close()
  }
})
