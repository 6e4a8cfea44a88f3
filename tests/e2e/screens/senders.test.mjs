// Senders and inbound numbers in Chromium: requested, approved, refused by the rules, deleted by name, and a simulated
// reply.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()

async function open(options) {
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/senders"]').click()
  await until('the screen is there', async () => (await page.text('main h1')) === 'Senders and numbers')
  return page
}

const names = (page) => page.texts('table[aria-label=Senders] tbody th')
const alerts = async (page) =>
  (await page.texts('dialog [role=alert]')).filter((text) => text !== '').join(' ')

test('a sender is requested, approved, looked at and deleted by its name, by keys alone', async () => {
  const page = await open()
  const { tab } = page
  await until('the empty screen says what to do', async () =>
    (await page.texts('main h2')).includes('No senders yet'),
  )
  await seeAccessible(page, 'no senders')
  await tab.keyboard.press('Alt+n')
  await until('the dialog is open', () => page.count('dialog[open] input'))
  await tab.keyboard.type('x')
  await tab.keyboard.press('Enter')
  await until('the rule is shown', async () => (await alerts(page)).includes('3 to 11'))
  await seeAccessible(page, 'the refused name')
  await matchAria(page, 'senders/senders-request-refused', 'dialog')
  await tab.getByLabel('Sender name').fill('Roost')
  await tab.keyboard.press('Enter')
  await until('it is in the table', async () => (await names(page)).join() === 'Roost')
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('a')
  await until('it is verified', async () => (await page.text('tbody tr')).includes('Verified'))
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Enter')
  await until(
    'its history says who did what',
    async () => (await page.count('[data-testid=sender-history] li')) === 2,
  )
  await seeAccessible(page, 'a sender and its history')
  await matchAria(page, 'senders/senders')
  await matchAria(page, 'senders/senders-history', '#panel', [[/ssd_\w+/g, '«id»']])
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Delete')
  const act = tab.locator('dialog').getByRole('button', { name: 'Delete sender' })
  await act.waitFor()
  await soon(async () => assert.equal(await act.isDisabled(), true))
  await seeAccessible(page, 'the question for its name')
  await tab.locator('dialog input').fill('Roost')
  await act.click()
  await until('it is gone', async () => (await page.texts('main h2')).includes('No senders yet'))
  await tab.getByTestId('toast').getByRole('button', { name: 'Undo' }).last().click()
  await until('undo brings it back', async () => (await names(page)).join() === 'Roost')
})

test('a number is added, a reply with a keyword opts out, and removal asks for the number, in the dark', async () => {
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await tab.getByRole('tab', { name: 'Inbound numbers' }).click()
  await until('the empty tab says what to do', async () =>
    (await page.texts('main h2')).includes('No inbound numbers yet'),
  )
  await tab.keyboard.press('Alt+n')
  await tab.getByLabel('Number', { exact: true }).fill('12')
  await tab.keyboard.press('Enter')
  await until('the rule is shown', async () => (await alerts(page)).includes('E.164'))
  await tab.getByLabel('Number', { exact: true }).fill('+447700900100')
  await tab.keyboard.press('Enter')
  await until('its card is there', async () => (await page.texts('main h2')).includes('+447700900100'))

  await tab.getByRole('button', { name: 'Simulate reply' }).click()
  const outcome = () => page.text('[data-testid=inbound-outcome]')
  await tab.getByLabel('From', { exact: true }).fill('+447700900001')
  await tab.getByLabel('Text').fill('hello')
  await tab.keyboard.press('Enter')
  await until('an ordinary message does nothing', async () => (await outcome()).includes('Nothing happened'))
  await tab.getByLabel('Text').fill(' stop ')
  await tab.keyboard.press('Enter')
  await until('a keyword opts out', async () => (await outcome()).includes('is now opted out'))
  await seeAccessible(page, 'a simulated reply')
  await tab.keyboard.press('Escape')
  await until('the card counts it', async () =>
    (await page.text('main li.card')).includes('1 opt-out of this number only'),
  )

  await tab.getByRole('button', { name: 'Keywords…' }).click()
  const keywords = tab.getByRole('combobox', { name: 'Keywords' })
  await keywords.fill('k'.repeat(51))
  await keywords.press('Enter')
  await tab.getByRole('button', { name: 'Save keywords' }).click()
  await until('which keyword is wrong is shown', async () => (await alerts(page)).includes('“kkk'))
  await seeAccessible(page, 'the refused keyword')
  await keywords.focus()
  await tab.keyboard.press('Backspace')
  await keywords.fill('BASTA')
  await keywords.press('Enter')
  await tab.getByRole('button', { name: 'Save keywords' }).click()
  await until('the card lists it', async () => (await page.text('main li.card')).includes('BASTA'))
  await until('and it is announced', async () =>
    (await page.texts('[data-testid=toast]')).join().includes('keywords'),
  )
  await tab.getByRole('switch', { name: 'A keyword opts out of the whole account' }).press('Space')
  await until('what it does is shown', async () =>
    (await page.text('main li.card')).includes('all messages from the account'),
  )
  await seeAccessible(page, 'an inbound number')
  await matchAria(page, 'senders/senders-numbers')

  await tab.getByRole('button', { name: /^Actions for/ }).click()
  await tab.getByRole('menuitem', { name: 'Remove…' }).click()
  await until('it says what stays', async () =>
    (await page.text('dialog')).includes('1 opt-out of this number stays'),
  )
  await tab.locator('dialog input').fill('+447700900100')
  await tab.locator('dialog').getByRole('button', { name: 'Remove number' }).click()
  await until('it is gone', async () => (await page.texts('main h2')).includes('No inbound numbers yet'))
})
