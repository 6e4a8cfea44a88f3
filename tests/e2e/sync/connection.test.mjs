// The connection in Chromium, with a second server as the service: connecting, a wrong key, pulling, a sealed key,
// read-only access, an unreachable service, probing its capabilities, and disconnecting.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { testNeeding } from '../support/console.mjs'
import { pairForEach } from '../support/pair.mjs'
import { soon, until } from '../support/places.mjs'
import { connect, listThere } from '../support/service.mjs'

const KEY = 'right-key-of-the-test-7f3a'
const WRONG = 'wrong-key-of-the-test-1111'
const PASSPHRASE = 'several words of this test'
const QUICK = { reducedMotion: 'reduce' }

const pair = pairForEach('--limits', 'off', '--auth', 'keys', '--set', `auth.keys=${KEY}`)
const it = testNeeding('played answers')

const number = (last) => `+44770090000${last}`
const contacts = (...lasts) => lasts.map((last) => ({ phone_number: number(last), firstname: 'Contact' }))

/** Connects as the page would, so that a test can start at its own subject. */
const connected = ({ key = KEY } = {}) => connect(pair.call, pair.service, { key, passphrase: PASSPHRASE })

async function open(options, place = 'sync') {
  const page = await pair.open({ ...QUICK, ...options })
  await until('the page is there', () => page.count('main h1'))
  await page.run('location.hash = arguments[0]', `#/${place}`)
  await until('the screen is there', () => page.count('main [role=tab]'))
  return page
}

const box = (page, name) => page.tab.getByRole('textbox', { name, exact: true })
const button = (page, name) => page.tab.getByRole('button', { name })
const dialog = (page) => page.tab.locator('dialog[open]')
const bar = (page) => page.text('[data-testid=sync-bar]')
const noDialog = (page) => until('the dialog is closed', async () => (await page.count('dialog[open]')) === 0)
const toastWith = (page, text) =>
  until(`a message says ${text}`, async () =>
    (await page.texts('[data-testid=toast]')).some((shown) => shown.includes(text)),
  )
const pulled = (page) =>
  until('it is pulled', async () => ((await bar(page)) ?? '').startsWith('Pulled'), 20_000)
const focused = (page) => page.run('return document.activeElement?.textContent.trim() ?? ""')

/** Checks that neither the page nor its stored state contains the secrets, in any form. */
async function seeNoSecret(page, ...secrets) {
  const kept = await page.run(`
    const values = [...document.querySelectorAll('input, textarea')].map((one) => one.value)
    return JSON.stringify([document.documentElement.outerHTML, values, { ...localStorage }, { ...sessionStorage }, location.href])`)
  for (const secret of secrets) assert.ok(!kept.includes(secret), 'a secret is in the page')
}

test('an account is connected by keys, a wrong key is reported and corrected, and the account is pulled', async () => {
  await listThere(pair.service, 'Newsletter', contacts(1, 2, 3), KEY)
  await listThere(pair.service, 'Customers', contacts(4), KEY)
  const page = await open()
  const { tab } = page
  await until('it says that there is no connection', async () =>
    (await page.texts('main h2')).includes('Not connected to a service'),
  )
  await seeAccessible(page, 'no connection')
  await matchAria(page, 'sync/connection-none')
  await page.press('Alt+n')
  await until('the form is there', () => page.count('[data-testid=connection-form]'))
  await until('its first field has the focus', () =>
    page.run('return document.activeElement?.matches("[data-testid=connection-form] input") ?? false'),
  )
  await page.press('Enter')
  await until('everything that is missing is marked', async () => {
    const faults = (await page.texts('main form [role=alert]')).filter((text) => text !== '')
    return faults.slice(0, 3).join(' ') === 'Enter a name. Enter the address. Enter the key.'
  })
  await until('the first missing field has the focus', () =>
    box(page, 'Name').evaluate((input) => input === document.activeElement),
  )
  await page.tab.keyboard.type('Service')
  await box(page, 'Address').fill(pair.service.url)
  await box(page, 'Key').fill(WRONG)
  await page.press('Enter')
  await until('the passphrase is missed', async () =>
    (await page.texts('main form [role=alert]')).includes('Use at least 10 characters.'),
  )
  await seeAccessible(page, 'the form with a fault')
  await matchAria(page, 'sync/connection-form', 'main form', [
    [/\(.*?\)/g, '(why)'],
    [WRONG, '«key»'],
  ])
  await box(page, 'Passphrase').fill(PASSPHRASE)
  await box(page, 'Repeat the passphrase').fill(`${PASSPHRASE}!`)
  await page.press('Enter')
  await until('the two are compared', async () =>
    (await page.texts('main form [role=alert]')).includes('The passphrases do not match.'),
  )
  await box(page, 'Repeat the passphrase').fill(PASSPHRASE)
  await page.press('Enter')
  await toastWith(page, 'Saved the connection “Service”')
  await until('the pull is next', async () => (await focused(page)) === 'Pull')
  await until('the test says no', async () =>
    (await page.texts('main [role=alert]')).some((text) =>
      text.includes('The service refused the request (401)'),
    ),
  )
  await seeNoSecret(page, WRONG, PASSPHRASE)
  await seeAccessible(page, 'a refused key')

  await button(page, 'Replace…').focus()
  await page.press('Enter')
  await dialog(page).getByRole('textbox', { name: 'Key', exact: true }).fill(KEY)
  await dialog(page).getByRole('textbox', { name: 'Passphrase', exact: true }).fill(PASSPHRASE)
  await dialog(page).getByRole('textbox', { name: 'Repeat the passphrase' }).fill(PASSPHRASE)
  await seeAccessible(page, 'the dialog of the key')
  await page.press('Enter')
  await noDialog(page)
  await until('it answers', async () =>
    /It responds: 2 lists/.test((await page.text('[data-testid=tested]')) ?? ''),
  )
  await seeNoSecret(page, WRONG, KEY, PASSPHRASE)
  await soon(async () => assert.equal(await page.text('[data-testid=masked-key]'), '••••7f3a'))

  await page.press('F5')
  await pulled(page)
  await until('what came is shown', async () =>
    /4 new contacts/.test((await page.text('[data-testid=sync-pulled]')) ?? ''),
  )
  await until('the lists are here', async () => (await page.text('[data-testid=count-lists]')) === '2')
  await until('what was read is listed', async () =>
    (await page.texts('[data-testid=scopes] tbody th')).some((text) => text.includes('Newsletter')),
  )
  await until('the status bar says so', async () =>
    ((await page.text('[data-testid=sync-chip] a')) ?? '').startsWith('Pulled'),
  )
  await seeAccessible(page, 'the connection')
  await matchAria(page, 'sync/connection', 'main', [[/in \d+ ms/g, 'in «time»']])
  await pair.call('list_create', { name: 'Created here' })
  await until('what waits is counted', async () => (await page.text('[data-testid=count-sync]')) === '1')
  await until('in the status bar, too', async () =>
    (await page.texts('[data-testid=sync-chip] a')).includes('1 change to send'),
  )
  await tab.reload()
  await until('it is as it was', () => page.count('[data-testid=masked-key]'))
  await seeNoSecret(page, KEY, PASSPHRASE)
  const { current } = await pair.call('account_list')
  const file = await readFile(current.path)
  assert.ok(!file.includes(KEY), 'the key is not in the account')
})

test('a connection is made read-only, its speed is judged, an open way is warned of, in the dark', async () => {
  await connected()
  const page = await open({ colorScheme: 'dark' }, 'sync/connection')
  const { tab } = page
  await tab.getByLabel('Read-only').focus()
  await page.press('Space')
  await tab.getByText('Speed and paths').click()
  await box(page, 'Requests per second').fill('many')
  await page.press('Control+Enter')
  await until('the speed is not a number', async () =>
    (await page.texts('main form [role=alert]')).includes('Enter a whole number.'),
  )
  await box(page, 'Requests per second').fill('40')
  await page.press('Control+Enter')
  await until('the core judges it', async () =>
    (await page.texts('main form [role=alert]')).some((text) => text.includes('1 to 9')),
  )
  await seeAccessible(page, 'a fault of the speed')
  await box(page, 'Requests per second').fill('5')
  await box(page, 'Delete lists').fill('/elsewhere')
  await page.press('Control+Enter')
  await until('the path needs its identifier', async () =>
    (await page.texts('main form [role=alert]')).some((text) => text.includes('list_uid')),
  )
  await box(page, 'Delete lists').fill('')
  const warned = () => tab.getByText('Anyone on the network can read').count()
  await soon(async () => assert.equal(await warned(), 0, 'an address of this computer needs no encryption'))
  await box(page, 'Address').fill('http://api.example')
  await until('the open way is warned of', warned)
  await seeAccessible(page, 'an open way')
  await box(page, 'Address').fill('https://api.example')
  await until('a closed one is not', async () => (await warned()) === 0)
  await box(page, 'Address').fill(pair.service.url)
  await page.press('Control+Enter')
  await toastWith(page, 'Saved the connection.')
  await until('the mark is there', async () => /Read-only/.test(await bar(page)))
  const known = await pair.call('connection_get')
  assert.equal(known.connection.calls_per_second, 5)
  assert.equal(known.connection.read_only, true)
  await page.press('Control+k')
  await tab.keyboard.type('pull from')
  await until('it can be pulled', async () => (await page.texts('dialog [role=option]')).length === 1)
  await tab.keyboard.press('Control+a')
  await tab.keyboard.type('send')
  await soon(async () =>
    assert.ok(
      !(await page.texts('dialog [role=option]')).some((text) => text.startsWith('Send…')),
      'and not pushed',
    ),
  )
  await page.press('Escape')
  await button(page, 'Check…').click()
  await soon(async () =>
    assert.ok(
      await dialog(page)
        .getByRole('radio', { name: /temporary list/ })
        .isDisabled(),
    ),
  )
  await seeAccessible(page, 'what a look does')
})

test('a sealed key is requested once after a start, and a wrong passphrase is reported', async () => {
  await connected()
  await pair.server.stop()
  await pair.start()
  const page = await open({}, 'sync/changes')
  await until('the lock is shown', async () =>
    (await page.texts('main .notice')).some((text) => text.includes('encrypted with a passphrase')),
  )
  await page.press('F5')
  await until('it is asked for', () => page.count('dialog[open] input[type=password]'))
  await seeAccessible(page, 'the key is asked for')
  await matchAria(page, 'sync/connection-unlock', 'dialog')
  await page.tab.keyboard.type('another passphrase')
  await page.press('Enter')
  await until('it is the wrong one', async () =>
    (await page.texts('dialog [role=alert]')).some((text) => text.includes('passphrase is wrong')),
  )
  await page.tab.keyboard.type(PASSPHRASE)
  await page.press('Enter')
  await noDialog(page)
  await pulled(page)
  await seeNoSecret(page, PASSPHRASE, KEY)
})

test('every screen shows what went wrong and what to do, and an unreachable service, too', async () => {
  await connected({ key: WRONG })
  const page = await open({}, 'sync/connection')
  await page.press('Alt+2')
  await until('the lists are shown', async () => (await page.text('main h1')) === 'Lists')
  await until(
    'the status bar is there',
    async () => (await page.texts('[data-testid=sync-chip] a')).length > 0,
  )
  await page.press('F5')
  await toastWith(page, 'Key refused')
  await until(
    'the status bar says so',
    async () => (await page.text('[data-testid=sync-chip] a')) === 'Key refused',
  )
  await page.press('Control+s')
  await until('the changes are one key away', async () =>
    page.run('return location.hash === "#/sync/changes"'),
  )
  await until('it is shown there', async () =>
    (await page.texts('main [role=alert]')).some((text) => text.includes('Key refused')),
  )
  await seeAccessible(page, 'a pull that failed')
  await page.tab.getByRole('link', { name: 'Open the connection' }).click()
  await until('the connection is shown', () => page.count('[data-testid=masked-key]'))
  await pair.service.cut()
  await button(page, 'Test connection').click()
  await until('there was no answer', async () =>
    (await page.texts('main [role=alert]')).some((text) => text.includes('No response')),
  )
  await seeAccessible(page, 'a test without an answer')
})

test('the service is checked for what it can do, and removing the connection keeps all records', async () => {
  await listThere(pair.service, 'Newsletter', contacts(1), KEY)
  await connected()
  const page = await open({}, 'sync/connection')
  await page.press('F5')
  await pulled(page)
  await button(page, 'Check…').focus()
  await page.press('Enter')
  await until('it says what it does', () => dialog(page).getByText('Nothing changes at the service').count())
  await soon(async () => assert.equal(await dialog(page).getByText('Roost connection test').count(), 0))
  await matchAria(page, 'sync/connection-probe', 'dialog')
  await soon(async () =>
    assert.ok(await dialog(page).getByRole('radio', { name: 'Read only' }).isChecked(), 'nothing is written'),
  )
  await dialog(page).getByRole('button', { name: 'Check', exact: true }).click()
  await noDialog(page)
  await until(
    'it is known',
    async () =>
      (await page.texts('[data-testid=capabilities] tbody th')).some((text) =>
        text.includes('How many lists are on a page?'),
      ),
    20_000,
  )
  await seeAccessible(page, 'what it can')
  await button(page, 'Remove this connection…').focus()
  await page.press('Enter')
  await page.tab.keyboard.type('Serv')
  await soon(async () =>
    assert.ok(await dialog(page).getByRole('button', { name: 'Remove connection' }).isDisabled()),
  )
  await seeAccessible(page, 'the question before it goes')
  await page.tab.keyboard.type('ice')
  await page.press('Enter')
  await noDialog(page)
  await until('there is none', async () =>
    (await page.texts('main h2')).includes('Not connected to a service'),
  )
  await until('the heading has the focus', async () => (await focused(page)) === 'Sync')
  await soon(async () => assert.equal(await page.text('[data-testid=count-lists]'), '1'))
  await until(
    'the status bar says so',
    async () => (await page.text('[data-testid=sync-chip] a')) === 'Not connected',
  )
  const { connection } = await pair.call('connection_get')
  assert.equal(connection, null)
})

test('the switch of accounts is a key away, also with the sidebar hidden', async () => {
  const page = await open()
  await page.press('Control+b')
  await until('the sidebar is gone', async () => (await page.count('#sidebar')) === 0)
  await page.press('Control+Shift+K')
  await until('the menu is there', () => page.count('[role=menu]'))
  await page.press('Escape')
  const { current } = await pair.call('account_list')
  await until('the focus is on the account', async () => (await focused(page)).includes(current.name))
})

it('a missing keyring is reported in plain words, and the choice is offered again', async () => {
  const page = await open()
  const { tab } = page
  const keyring = { works: false, why: 'zbus error: I/O error: No such file or directory (os error 2)' }
  await tab.route('**/__console/call/connection_get', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), keyring } })
  })
  await tab.reload()
  await tab.getByRole('heading', { name: 'Not connected to a service' }).waitFor()
  await page.press('Alt+n')
  const form = tab.getByTestId('connection-form')
  await form.getByText('The keyring of this computer does not respond').waitFor()
  assert.doesNotMatch(await form.innerText(), /zbus|os error/)
  keyring.works = true
  await form.getByRole('button', { name: 'Try again' }).click()
  await form.getByRole('radio', { name: /keyring/ }).waitFor()
})
