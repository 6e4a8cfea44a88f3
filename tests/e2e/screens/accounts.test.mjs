// The accounts in the console, which has only one: name and colour can be changed and undone, switching is not offered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()

async function open(options) {
  const page = await here.open(options)
  await until('the page is there', () => page.count('main h1'))
  await page.run('location.hash = "#/accounts"')
  await until('the account is listed', async () => (await page.count('main li.card')) === 1)
  return page
}
const name = (page) => page.text('main li.card h2')
const inSidebar = (page) => page.text('[data-testid=account-name]')

test('the account is renamed by F2, refused without a name, and undo gives the old one back', async () => {
  const page = await open()
  const { tab } = page
  // The window can have any number of accounts.
  const others = tab.kind === 'window' ? 1 : 0
  await soon(async () => assert.equal(await tab.getByRole('button', { name: 'New account' }).count(), others))
  await seeAccessible(page, 'the accounts')
  await matchAria(page, 'accounts/accounts')
  const named = await name(page)
  await tab.keyboard.press('F2')
  await tab.getByLabel('Name', { exact: true }).fill(' ')
  await tab.keyboard.press('Enter')
  await until('the rule is shown', async () =>
    (await page.texts('dialog [role=alert]')).includes('Give the account a name.'),
  )
  await seeAccessible(page, 'the refused name')
  await matchAria(page, 'accounts/accounts-rename-refused', 'dialog')
  await tab.getByLabel('Name', { exact: true }).fill('Northern shop')
  await tab.keyboard.press('Enter')
  await until('it has its name', async () => (await name(page)) === 'Northern shop')
  await until('and so has the sidebar', async () => (await inSidebar(page)) === 'Northern shop')
  await until('the dialog is closed', async () => (await page.count('dialog[open]')) === 0)
  await tab.keyboard.press('Control+z')
  await until('undo gives the old one back', async () => (await name(page)) === named)
  await until('to the sidebar too', async () => (await inSidebar(page)) === named)
})

test('the colour is chosen by keys alone, in the dark', async () => {
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  const colour = () =>
    tab.locator('main li.card .mark').evaluate((mark) => getComputedStyle(mark).getPropertyValue('--hue'))
  const first = await colour()
  await tab.getByRole('button', { name: /^Actions for/ }).focus()
  await tab.keyboard.press('Enter')
  await tab.getByRole('menu').waitFor()
  await seeAccessible(page, 'the menu of an account')
  await tab.getByRole('menuitem', { name: 'Change colour' }).focus()
  await tab.keyboard.press('Enter')
  await tab.getByRole('dialog').waitFor()
  await seeAccessible(page, 'the choice of colours')
  await tab.getByRole('dialog').getByRole('radio', { checked: true }).focus()
  await tab.keyboard.press('ArrowRight')
  await tab.keyboard.press('Enter')
  await until('it has another colour', async () => (await colour()) !== first)
  await until('the focus is where it was', () =>
    tab.evaluate(() => document.activeElement?.getAttribute('aria-label')?.startsWith('Actions for')),
  )
})
