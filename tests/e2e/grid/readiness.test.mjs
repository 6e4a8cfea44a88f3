// How many contacts of a list can be messaged, in Chromium: each contact counts once per channel, and each group has a
// link.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { openView } from '../support/commands.mjs'
import { consoleForEach } from '../support/console.mjs'
import { layoutFaults } from '../support/window/layout.mjs'
import { picture, until } from '../support/places.mjs'

const here = consoleForEach()

const mobile = (last) => `+44770090000${last}`

/** Creates a list with a contact in every group, and two own numbers, one with an opt-out. */
async function seeded() {
  const { call } = here
  const { uid: list } = await call('list_create', { name: 'Spring sale' })
  const contacts = [
    { phone_number: mobile(1), whatsapp_id: mobile(1) },
    ...[2, 3, 4, 1, 8].map((last) => ({ phone_number: mobile(last) })),
    { phone_number: '+442079460001' },
    { whatsapp_id: mobile(7) },
  ]
  await call('contact_paste', { list, contacts, region: null })
  const [one] = await Promise.all(
    ['+447700900100', '+447700900101'].map((number) => call('asset_add', { channel: 'SMS', number })),
  )
  const optOut = (number, asset) =>
    call('opt_out_add', { entries: [{ number, channels: ['SMS'], asset }], reason: 'asked', region: null })
  await optOut(mobile(3), null)
  await optOut(mobile(4), one.asset.id)
  const filter = { field: 'phone_number', op: 'is', value: mobile(8) }
  const { view } = await openView(call, list, filter)
  const cells = [{ row: 0, field: 'phone_number', text: '0770' }]
  await call('grid_edit', { view, generation: null, cells, region: null })
  await call('grid_close', { view })
  return { list, optOut }
}

const STATUSES = ['ready', 'opted_out', 'no_number', 'invalid', 'landline', 'duplicate']

/** Returns the counts of a channel by status. */
async function counts(page, channel) {
  const found = await Promise.all(
    STATUSES.map(async (status) => [status, await page.text(`[data-testid=readiness-${channel}-${status}]`)]),
  )
  return Object.fromEntries(
    found.filter(([, count]) => count !== undefined).map(([of, n]) => [of, Number(n)]),
  )
}
const shows = (page, channel, wanted) =>
  until(
    `${channel}: ${JSON.stringify(wanted)}`,
    async () => JSON.stringify(await counts(page, channel)) === JSON.stringify(wanted),
  )

const SMS = { ready: 2, opted_out: 2, no_number: 1, invalid: 1, landline: 1, duplicate: 1 }

test('every contact is counted once, and a click shows those of a group', async () => {
  const { list, optOut } = await seeded()
  const page = await here.open()
  const { tab } = page
  await tab.locator('nav a[href="#/lists"]').click()
  await tab.locator('main tbody tr', { hasText: 'Spring sale' }).click()
  await tab.locator('#panel').getByRole('button', { name: 'Readiness' }).click()
  await shows(page, 'sms', SMS)
  await shows(page, 'whatsapp', { ready: 2, opted_out: 0, no_number: 6, invalid: 0, duplicate: 0 })
  await matchAria(page, 'lists/readiness', 'main', [[/num_\w+/g, '«asset»']])

  const total = () => page.text('[data-testid=contact-count]')
  for (const [status, number] of [
    ['duplicate', mobile(1)],
    ['landline', '+442079460001'],
    ['invalid', '0770'],
  ]) {
    await tab.getByTestId(`readiness-sms-${status}`).click()
    await until(`${status}: one contact`, async () => (await total()) === '1 contact')
    await until(`${status}: it is the one`, async () => (await page.text('[role=grid]'))?.includes(number))
    await tab.goBack()
    await shows(page, 'sms', SMS)
  }
  await tab.getByTestId('readiness-sms-opted_out').click()
  await until('who opted out of either number', async () => (await total()) === '2 contacts')
  const rule = tab.getByRole('group', { name: 'Rule', exact: true })
  await rule.getByLabel('Group', { exact: true }).selectOption({ label: 'WhatsApp: No number' })
  await until('the rule can be changed', async () => (await total()) === '6 contacts')
  await tab.keyboard.press('Control+e')
  await tab.locator('dialog').getByText('All 6 rows in view').waitFor()
  await tab.keyboard.press('Escape')
  await tab.goBack()
  await shows(page, 'sms', SMS)

  const ours = tab.getByRole('row', { name: '+447700900101' })
  await ours.getByRole('link', { name: 'Ready: 3. Show these contacts.' }).click()
  await until('the other number may message three', async () => (await total()) === '3 contacts')
  await tab.goBack()
  await shows(page, 'sms', SMS)
  await optOut(mobile(2), null)
  await shows(page, 'sms', { ...SMS, ready: 1, opted_out: 3 })

  const coming = tab.waitForEvent('download')
  await tab.keyboard.press('Control+e')
  const file = await coming
  assert.equal(file.suggestedFilename(), 'Spring sale readiness.csv')
  assert.deepEqual((await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n'), [
    'Channel,Your number,Contacts,Opted out,No number,Invalid number,Landline,Duplicate,Ready',
    'SMS,All,8,3,1,1,1,1,1',
    'SMS,+447700900100,8,3,1,1,1,1,1',
    'SMS,+447700900101,8,2,1,1,1,1,2',
    'WhatsApp,All,8,0,6,0,0,0,2',
  ])
  await tab.keyboard.press('Control+k')
  await tab.keyboard.type('go to the contacts')
  await tab.keyboard.press('Enter')
  await until('the palette leads to all contacts', async () => (await total()) === '8 contacts')
  assert.ok((await page.tab.url()).endsWith(`#/lists/${list}`))
  assert.deepEqual(page.complaints, [])
})

test('it reads well, light and dark, and has room in every window', async () => {
  const { list } = await seeded()
  for (const colorScheme of ['light', 'dark']) {
    const page = await here.open({ colorScheme, reducedMotion: 'reduce' })
    await page.tab.evaluate((uid) => (location.hash = `#/lists/${uid}/readiness`), list)
    await shows(page, 'sms', SMS)
    await seeAccessible(page, `the readiness, ${colorScheme}`)
    await page.screenshot(await picture(`readiness-${colorScheme}`))
    for (const [width, height] of [
      [1440, 900],
      [1024, 700],
    ]) {
      await page.tab.setViewportSize({ width, height })
      assert.deepEqual(await layoutFaults(page), [], `${width} × ${height}`)
      await page.screenshot(await picture(`readiness-${colorScheme}-${width}`))
    }
    await page.close()
  }
})
