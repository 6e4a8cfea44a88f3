// Short addresses that nobody else can open, in Chromium: they are marked, passing them on gives a warning, and they
// are final once the service has the link.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../../support/a11y.mjs'
import { pairForEach } from '../../support/pair.mjs'
import { soon, until } from '../../support/places.mjs'
import { connect, pull, push, rest } from '../../support/service.mjs'

const pair = pairForEach('--limits', 'off')
const UNSENT = 'The service does not have this link yet'
const COMPUTER = 'This short address works on this computer only'
const create = (...titles) =>
  pair.call('short_link_create', {
    links: titles.map((title) => ({
      title,
      target_url: `https://shop.example/${title}`,
      tags: [],
      track_clicks: true,
    })),
  })

async function open(options) {
  const page = await pair.open(options)
  await page.run('location.hash = "#/links"')
  await until('the screen is there', async () => (await page.text('main h1')) === 'Short links')
  return page
}
const row = (page, title) => page.tab.locator('main tbody tr', { hasText: title })
const marks = async (page) =>
  (await page.texts('main tbody tr')).map((text) => /Not sent yet|This computer only/.exec(text)?.[0] ?? '')

test('a link that the service does not have says so wherever it is shown, until it is sent', async () => {
  await rest(pair.service, 'POST', '/assets/v1/shortlink', {
    title: 'there',
    target_url: 'https://shop.example/there',
  })
  await connect(pair.call, pair.service)
  await pull(pair.call)
  await create('fresh')
  const page = await open()
  const { tab } = page
  await soon(async () => assert.deepEqual((await marks(page)).toSorted(), ['', 'Not sent yet']))
  await row(page, 'fresh').focus()
  await tab.keyboard.press('Control+c')
  await soon(async () =>
    assert.match(await page.text('[data-testid=announcement]'), /will change.*Send your changes first/),
  )
  await tab.keyboard.press('Enter')
  await tab.locator('#panel').getByText(UNSENT).waitFor()
  await seeAccessible(page, 'a link that was not sent')
  await row(page, 'fresh').focus()
  await tab.keyboard.press('q')
  await tab.locator('dialog[open]').getByText(UNSENT).waitFor()
  await seeAccessible(page, 'the code of a link that was not sent')
  await matchAria(page, 'links/qr-unsent', 'dialog[open]', [[/\/s\/\w{6}/g, '/s/«code»']])
  await tab.keyboard.press('Escape')

  await row(page, 'there').click()
  await row(page, 'fresh').click({ modifiers: ['Shift'] })
  await tab.keyboard.press('Shift+Q')
  const dialog = tab.locator('dialog[open]')
  await dialog.getByText('Not at the service yet: 1 of 2 links').waitFor()
  await dialog.getByRole('button', { name: 'Print 1 code' }).waitFor()
  assert.deepEqual(await page.texts('body > .printed .title'), ['there'])
  await dialog.getByRole('checkbox', { name: /^Also print 1 code/ }).click()
  await dialog.getByRole('button', { name: 'Print 2 codes' }).waitFor()
  await soon(async () => assert.deepEqual(await page.texts('body > .printed .mark'), ['Not sent yet']))
  await seeAccessible(page, 'the print dialog with a link that was not sent')
  await dialog.getByRole('link', { name: 'Review and send changes' }).click()
  await until('the changes are shown', async () =>
    /#\/sync\/changes/.test(await page.run('return location.hash')),
  )

  await push(pair.call)
  await page.run('location.hash = "#/links"')
  await soon(async () => assert.deepEqual(await marks(page), ['', '']))
  await row(page, 'fresh').click()
  await tab.keyboard.press('Control+c')
  await soon(async () =>
    assert.equal(await page.text('[data-testid=announcement]'), 'Copied the short address.'),
  )
  await tab.keyboard.press('q')
  await dialog.getByRole('img', { name: /QR code/ }).waitFor()
  assert.equal(await dialog.getByText(UNSENT).count(), 0)
  assert.deepEqual(page.complaints, [])
})

test('without a service an address of this computer says so, in the dark too', async () => {
  await create('one', 'two')
  const page = await open({ colorScheme: 'dark' })
  const { tab } = page
  await soon(async () => assert.deepEqual(await marks(page), ['This computer only', 'This computer only']))
  await row(page, 'one').focus()
  await tab.keyboard.press('Enter')
  await tab.locator('#panel').getByText(COMPUTER).waitFor()
  await seeAccessible(page, 'a link of this computer in the dark')
  await tab.locator('main tbody tr').first().focus()
  await tab.keyboard.press('Control+a')
  await tab.keyboard.press('Shift+Q')
  const dialog = tab.locator('dialog[open]')
  await dialog.getByText('None of these codes can be given to others yet.').waitFor()
  assert.equal(await dialog.getByRole('button', { name: /^Print/ }).isDisabled(), true)
  await dialog.getByRole('checkbox').click()
  await dialog.getByRole('button', { name: 'Print 2 codes' }).waitFor()
  await dialog.getByRole('link', { name: 'Connect a service' }).click()
  await until('the connection is shown', async () =>
    /#\/sync\/connection/.test(await page.run('return location.hash')),
  )
})
