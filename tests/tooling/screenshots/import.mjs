// Pictures of an import: its start, each of its steps, a broken file, and accepted imports. They write to the account,
// which is a copy.
import { drop } from '../../e2e/support/files.mjs'
import { dialog } from './acts.mjs'

const CITIES = ['York', 'Bath', 'Leeds']
const row = (n) =>
  `07700 900${String(n).padStart(3, '0')};Contact ${n};${CITIES[n % 3]};${n % 9 === 0 ? 'no' : 'yes'};${36 + (n % 9)}`
const FILE = [
  'Phone;First name;City;Newsletter;Shoe size',
  ...Array.from({ length: 400 }, (_, n) => row(n)),
  '07700 900001;Twin;York;yes;38',
  '4.47E+11;Shortened;Leeds;yes;40',
  '12;Too short;Bath;yes;41',
  ';;;;',
].join('\n')
const BROKEN = 'phone,city\n07700900001,York\n07700900002,"Ba\nth\n'

async function dropped(tab, name, text) {
  await tab.locator('main h1').waitFor()
  await drop(tab, 'main', [{ name, text }])
  await tab.locator('main [data-step=source] table tbody tr').first().waitFor()
}

async function mapped(tab) {
  await dropped(tab, 'customers of the spring fair.csv', FILE)
  await tab.getByRole('heading', { level: 1, name: /^Import into/ }).waitFor()
  await tab.keyboard.press('Control+Enter')
  await tab.locator('main tr[data-column]').first().waitFor()
}

async function rehearsed(tab) {
  await mapped(tab)
  await tab.getByRole('button', { name: 'Skip it' }).click()
  await tab.keyboard.press('Control+Enter')
  await tab.getByTestId('import-sum').waitFor()
}

async function accepted(tab) {
  await rehearsed(tab)
  await tab.keyboard.press('Control+Shift+Enter')
  await tab.locator('#done-title').waitFor()
}

const column = (tab, at) => tab.locator(`main tr[data-column="${at}"] select`)

export const imports = ({ list }) => {
  const place = `#/lists/${list('VIP customers')}`
  return [
    ['import', 'start', '#/import'],
    ['import', 'source', place, (tab) => dropped(tab, 'customers of the spring fair.csv', FILE)],
    ['import', 'broken', place, (tab) => dropped(tab, 'broken.csv', BROKEN)],
    ['import', 'mapping', place, mapped],
    [
      'import',
      'cut',
      place,
      async (tab) => {
        await mapped(tab)
        await column(tab, 1).selectOption({ label: 'Split…' })
        await dialog(tab).waitFor()
      },
    ],
    [
      'import',
      'consent',
      place,
      async (tab) => {
        await mapped(tab)
        await column(tab, 3).selectOption({ label: 'Opt-out column…' })
        await dialog(tab).waitFor()
      },
    ],
    ['import', 'rehearsal', place, rehearsed],
    [
      'import',
      'problem',
      place,
      async (tab) => {
        await rehearsed(tab)
        await tab.getByRole('tab', { name: 'Invalid' }).click()
        await tab.locator('main [role=gridcell][aria-invalid=true]').first().waitFor()
      },
    ],
    [
      'import',
      'accept',
      place,
      async (tab) => {
        await rehearsed(tab)
        await tab.keyboard.press('Control+Enter')
        await tab.locator('#accept-title').waitFor()
      },
    ],
    ['import', 'done', place, accepted],
    ['import', 'history', '#/import/past', (tab) => tab.locator('main tbody tr[data-key]').first().waitFor()],
    [
      'import',
      'rejects',
      '#/import/past',
      async (tab) => {
        await tab.locator('main tbody a').first().click()
        await tab.locator('#rejects-title').waitFor()
        await tab.locator('main [role=gridcell]').first().waitFor()
      },
    ],
    [
      'import',
      'revert',
      '#/import/past',
      async (tab) => {
        await tab.locator('main tbody a').first().click()
        await tab.getByRole('button', { name: 'Revert…' }).click()
        await dialog(tab).getByText('added by it').first().waitFor()
      },
    ],
  ]
}
