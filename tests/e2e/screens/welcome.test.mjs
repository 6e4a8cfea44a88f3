// The first run in Chromium. The test plays the responses of a program without an account, which the user creates or
// opens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { consoleForEach, openConsole } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()

const KNOWN = {
  accounts: [
    {
      name: 'Northern shop',
      colour: 'amber',
      path: '/accounts/Northern shop.roost',
      state: 'closed',
      last_opened: null,
    },
  ],
  current: null,
  can_switch: true,
  folder: '/accounts',
}
const no_account = { code: 'no_account', message: 'No account is open.', details: [] }

/** Opens the page of a program without an account; `answer` is the response to creating or opening one. */
async function open(answer, options) {
  const page = await openConsole(here.browser, 'about:blank', options)
  const { tab } = page
  const asked = []
  let isOpen = false
  await tab.route('**/__console/call/*', async (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)
    const payload = route.request().postDataJSON()
    if (name === 'account_list' && !isOpen) return route.fulfill({ json: KNOWN })
    if (name === 'account_create' || name === 'account_open') {
      asked.push([name, payload])
      const { status, json } = answer(payload)
      isOpen = status === 200
      return route.fulfill({ status, json })
    }
    return isOpen ? route.continue() : route.fulfill({ status: 409, json: no_account })
  })
  await tab.goto(here.server.console_url)
  await tab.getByTestId('welcome').waitFor()
  return { ...page, asked }
}
const made = () => ({
  status: 200,
  json: { name: 'x', colour: 'teal', path: '/x', file: 'x', schema_version: 2 },
})

test('an account is made by keys alone, with sample data', async () => {
  const page = await open(made)
  const { tab, asked } = page
  await seeAccessible(page, 'the welcome')
  await matchAria(page, 'welcome/welcome')
  const field = tab.locator('form input').first()
  await until('its name can be typed at once', () =>
    field.evaluate((input) => input === document.activeElement && input.selectionEnd === input.value.length),
  )
  await tab.keyboard.type('Southern shop')
  await tab.keyboard.press('Tab')
  await tab.keyboard.press('ArrowDown')
  await tab.keyboard.press('Enter')
  await until('the account is open', async () => (await page.text('main h1')) === 'Home')
  assert.deepEqual(asked, [
    ['account_create', { name: 'Southern shop', colour: 'teal', country: 'GB', contents: 'sample' }],
  ])
})

test('a country is chosen before an account is made, where nothing proposes one', async () => {
  const page = await open(made, { locale: 'xx' })
  const { tab, asked } = page
  const country = tab.getByLabel('Country', { exact: true })
  await tab.keyboard.press('Enter')
  await tab.getByText('Choose the country of your phone numbers.').waitFor()
  assert.deepEqual(asked, [])
  await country.selectOption('GB')
  await tab.getByRole('button', { name: 'Start', exact: true }).click()
  await until('the account is open', async () => (await page.text('main h1')) === 'Home')
  assert.equal(asked[0][1].country, 'GB')
})

test('an error of a name is shown at its field, in the dark', async () => {
  const fault = { path: 'name', message: 'An account of this name is there already.', rejected: null }
  const page = await open(
    () => ({ status: 422, json: { code: 'invalid', message: 'Not valid.', details: [fault] } }),
    { colorScheme: 'dark', reducedMotion: 'reduce' },
  )
  const { tab } = page
  await tab.keyboard.press('Enter')
  await until('the rule is shown', async () =>
    (await page.texts('form [role=alert]')).join().includes('there already'),
  )
  await soon(async () =>
    assert.equal(await tab.locator('form input').first().getAttribute('aria-invalid'), 'true'),
  )
  await soon(async () => assert.equal(await page.count('main .notice'), 0))
  await seeAccessible(page, 'the refused name')
  await matchAria(page, 'welcome/welcome-refused')
})

test('the keyboard shortcuts and the guide are there before any account', async () => {
  const page = await open(made)
  const { tab } = page
  await tab.keyboard.press('F1')
  await tab.getByTestId('keys').waitFor()
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Shift+F1')
  await tab.getByTestId('guide').locator('article h2').first().waitFor()
  await seeAccessible(page, 'the guide without an account')
  await tab.locator('main > p').getByRole('link', { name: 'Create an account' }).click()
  await tab.getByTestId('welcome').waitFor()
})

test('an account that was open before is opened by its name', async () => {
  const page = await open(made)
  await page.tab.getByRole('button', { name: /^Northern shop/ }).click()
  await until('the account is open', async () => (await page.text('main h1')) === 'Home')
  assert.deepEqual(page.asked, [['account_open', { path: KNOWN.accounts[0].path }]])
})

test('a damaged account leads on: its details, and the other accounts', async () => {
  const corrupt = { code: 'corrupt', message: '/accounts/x.roost was damaged.', details: [] }
  const page = await openConsole(here.browser, 'about:blank')
  const { tab } = page
  const asked = []
  await tab.route('**/__console/call/*', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)
    asked.push(name)
    if (name === 'account_list') return route.fulfill({ json: KNOWN })
    if (name === 'account_close') return route.fulfill({ json: {} })
    const fault = asked.includes('account_close') ? no_account : corrupt
    return route.fulfill({ status: 409, json: fault })
  })
  await tab.goto(here.server.console_url)
  await tab.getByTestId('account-fault').waitFor()
  const others = tab.getByRole('button', { name: 'Other accounts…' })
  await others.waitFor()
  await seeAccessible(page, 'the damaged account')
  await matchAria(page, 'welcome/account-damaged')
  await tab.locator('summary').focus()
  await tab.keyboard.press('Enter')
  await soon(async () => assert.equal(await tab.getByText(corrupt.message).isVisible(), true))
  await others.focus()
  await tab.keyboard.press('Enter')
  await tab.getByTestId('welcome').waitFor()
  await tab.getByRole('button', { name: /^Northern shop/ }).waitFor()
})
