// Pictures about recipients: lists, custom fields, and opt-outs.
import { command, dialog, findNothing, first, named, select, submit } from './acts.mjs'

export const lists = () => [
  ['lists', 'full', '#/lists', (tab) => named(tab, 'VIP customers').click()],
  ['lists', 'selection', '#/lists', (tab) => select(tab, 'Newsletter', 'Spring offers', 'VIP customers')],
  ['lists', 'menu', '#/lists', (tab) => named(tab, 'Newsletter').click({ button: 'right' })],
  ['lists', 'columns', '#/lists', (tab) => tab.locator('main thead th').first().click({ button: 'right' })],
  ['lists', 'none-fits', '#/lists', (tab) => findNothing(tab)],
  ['lists', 'new', '#/lists', (tab) => tab.keyboard.press('Alt+n')],
  [
    'lists',
    'new-fault',
    '#/lists',
    async (tab) => {
      await tab.keyboard.press('Alt+n')
      await dialog(tab).locator('input').fill('n'.repeat(121))
      await submit(tab)
    },
  ],
  [
    'lists',
    'note',
    '#/lists',
    async (tab) => {
      await named(tab, 'VIP customers').click()
      await tab.keyboard.press('F2')
    },
  ],
  [
    'lists',
    'merge',
    '#/lists',
    async (tab) => {
      await select(tab, 'Open day guests', 'Trial customers, to be asked', 'VIP customers')
      await command(tab, 'Merge lists…')
    },
  ],
  [
    'lists',
    'combine',
    '#/lists',
    async (tab) => {
      await select(tab, 'Newsletter', 'Spring offers')
      await tab.keyboard.press('Control+Shift+m')
    },
  ],
  [
    'lists',
    'split',
    '#/lists',
    async (tab) => {
      await named(tab, 'Newsletter').click()
      await command(tab, 'Split the list…')
      await dialog(tab).getByLabel('one list for each value of a field').check()
    },
  ],
  [
    'lists',
    'delete',
    '#/lists',
    async (tab) => {
      await named(tab, 'Suppliers').click()
      await tab.keyboard.press('Delete')
      await dialog(tab).locator('input').fill('Supp')
    },
  ],
]

export const fields = () => [
  ['fields', 'full', '#/fields'],
  [
    'fields',
    'new-fault',
    '#/fields',
    async (tab) => {
      await tab.keyboard.press('Alt+n')
      await submit(tab)
    },
  ],
  [
    'fields',
    'remove',
    '#/fields',
    async (tab) => {
      await named(tab, 'Membership').click()
      await tab.keyboard.press('Delete')
    },
  ],
]

const PASTED = '+447700900070\n+447700900071\n07700 900072\n+447700900072\n+44 7700 900079\nnone'

const ROWS =
  'phone,channel\n+447700900070,SMS\n+447700900110,SMS\n+447700900111,WHATSAPP\n+447700900110,SMS\nnone,SMS\n'

export const optOuts = (number) => [
  ['optouts', 'full', '#/optouts'],
  ['optouts', 'timeline', `#/optouts/${number}`],
  ['optouts', 'filters', '#/optouts', (tab) => tab.getByRole('button', { name: /^Filters/ }).click()],
  ['optouts', 'none-fits', '#/optouts', (tab) => findNothing(tab, '+99')],
  [
    'optouts',
    'add-fault',
    '#/optouts',
    async (tab) => {
      await tab.keyboard.press('Alt+n')
      await dialog(tab).locator('textarea').first().fill('+447700900110\n12')
      await dialog(tab).getByLabel('Reason', { exact: true }).fill('Asked by telephone')
      await submit(tab)
      await dialog(tab).locator('[aria-invalid=true]').first().waitFor()
    },
  ],
  [
    'optouts',
    'remove',
    '#/optouts',
    async (tab) => {
      await first(tab).click()
      await tab.keyboard.press('Shift+ArrowDown')
      await tab.keyboard.press('Delete')
      await tab.getByTestId('going').waitFor()
    },
  ],
  ['optouts', 'evidence', '#/optouts', (tab) => command(tab, 'Export evidence')],
  ['lookup', 'empty', '#/optouts/lookup'],
  [
    'lookup',
    'full',
    '#/optouts/lookup',
    async (tab) => {
      await tab.getByLabel('Numbers', { exact: true }).fill(PASTED)
      await tab.getByRole('button', { name: 'Look up numbers', exact: true }).click()
      await tab.locator('main tbody tr').nth(5).waitFor()
    },
  ],
  ['import', 'empty', '#/optouts/import'],
  [
    'import',
    'full',
    '#/optouts/import',
    async (tab) => {
      await tab.getByLabel('Rows', { exact: true }).fill(ROWS)
      await tab.getByRole('button', { name: 'Check rows' }).click()
      await tab.getByLabel('Type 2, the number of opt-outs to add, to confirm').waitFor()
    },
  ],
  [
    'import',
    'fault',
    '#/optouts/import',
    async (tab) => {
      await tab.getByLabel('Rows', { exact: true }).fill(ROWS)
      await tab.getByRole('button', { name: 'Check rows' }).click()
      await tab.getByLabel('Type 2, the number of opt-outs to add, to confirm').fill('7')
      await tab.getByRole('button', { name: /^Add 2 opt-outs/ }).click()
      await tab.locator('main [aria-invalid=true]').first().waitFor()
    },
  ],
]
