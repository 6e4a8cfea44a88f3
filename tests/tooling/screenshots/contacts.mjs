// Pictures of the contacts of a list: the grid with everything that selects, filters and changes its rows, and a
// record.
import { cell, command, dialog, findNothing, submit } from './acts.mjs'

const TABLE =
  'Name\tMobile\tCity\tOn\n' +
  Array.from({ length: 9 }, (_, n) => `Contact ${n + 1}\t07700 90012${n}\tLeeds\tTuesday`).join('\n') +
  '\nNobody\t123\tYork\t'

const pasteRows = (tab) =>
  tab
    .locator('main header')
    .getByRole('button', { name: /^Paste/ })
    .click()

/** Selects from a cell over this many more rows and columns. */
async function choose(tab, row, title, rows, columns = 0) {
  await (await cell(tab, row, title)).click()
  for (let n = 0; n < rows; n += 1) await tab.keyboard.press('Shift+ArrowDown')
  for (let n = 0; n < columns; n += 1) await tab.keyboard.press('Shift+ArrowRight')
}

/** The selection is summarised a moment later. */
const counted = (tab) => tab.getByTestId('selection').filter({ hasText: 'blank' }).waitFor()

/** Fills in the next rule of the filter. */
async function rule(panel, what, how, value) {
  const last = panel.getByRole('group', { name: 'Rule' }).last()
  await last.getByLabel('Field').selectOption({ label: what })
  await last.getByLabel('Condition').selectOption({ label: how })
  await last.getByLabel('Value', { exact: true }).fill(value)
}

export const contacts = (vip, record, paper) => [
  ['contacts', 'full', vip],
  [
    'contacts',
    'selection',
    vip,
    async (tab) => {
      await choose(tab, 2, 'First name', 2)
      await tab.keyboard.press('Shift+Space')
      await counted(tab)
    },
  ],
  [
    'contacts',
    'range',
    vip,
    async (tab) => {
      await choose(tab, 3, 'First name', 5, 2)
      await counted(tab)
    },
  ],
  ['contacts', 'none-fits', vip, (tab) => findNothing(tab)],
  [
    'contacts',
    'filter',
    vip,
    async (tab) => {
      await (await cell(tab, 1, 'First name')).click()
      await tab.keyboard.press('Control+Shift+e')
      const panel = tab.getByRole('region', { name: 'Filter' })
      await rule(panel, 'Country', 'is', 'United Kingdom')
      await panel.getByRole('button', { name: 'Add rule', exact: true }).click()
      await rule(panel, 'City', 'contains', 'or')
      await tab.locator('main .toolbar').getByText('Filter (2)').waitFor()
    },
  ],
  [
    'contacts',
    'values',
    vip,
    async (tab) => {
      await (await cell(tab, 1, 'First name')).click()
      await tab.getByRole('button', { name: 'Values', exact: true }).click()
      const values = tab.getByRole('region', { name: 'Values' })
      await values.getByLabel('Column').selectOption({ label: 'City' })
      await values.getByRole('checkbox', { name: /^York/ }).check()
      await values.getByRole('checkbox', { name: /^Norwich/ }).check()
    },
  ],
  [
    'contacts',
    'replace',
    vip,
    async (tab) => {
      await (await cell(tab, 1, 'First name')).click()
      await tab.keyboard.press('Control+h')
      await dialog(tab).getByLabel('Find', { exact: true }).fill('example.com')
      await dialog(tab).getByLabel('Replace with').fill('shop.example')
      await dialog(tab)
        .getByRole('button', { name: /^Change \d/ })
        .waitFor()
    },
  ],
  [
    'contacts',
    'column-menu',
    vip,
    async (tab) => {
      // In the smallest window at 200 %, there is no room to click a cell.
      await tab.locator('main [role=grid]').focus()
      await tab.keyboard.press('ArrowDown')
      await tab.keyboard.press('Alt+ArrowDown')
      await tab.getByRole('menu').waitFor()
    },
  ],
  ['contacts', 'columns', vip, (tab) => command(tab, 'Show and hide columns…')],
  ['contacts', 'gone', '#/lists/LST_36AbCdEfGhIjKlMnOpQrStUvWx1'],
  ['contacts', 'duplicates', `#/lists/${paper}`],
  [
    'contacts',
    'paste',
    vip,
    async (tab) => {
      await pasteRows(tab)
      await dialog(tab).locator('textarea').fill(TABLE)
      await dialog(tab)
        .locator('button.primary', { hasText: /Add \d/ })
        .waitFor()
    },
  ],
  ['contacts', 'paste-empty', vip, pasteRows],
  [
    'contacts',
    'move',
    vip,
    async (tab) => {
      await choose(tab, 2, 'First name', 2)
      await command(tab, 'Move or copy to another list…')
    },
  ],
  ['record', 'full', record],
  ['record', 'scrolled', record, (tab) => tab.getByTestId('contact-history').scrollIntoViewIfNeeded()],
  ['record', 'new', vip, (tab) => tab.keyboard.press('Alt+n')],
  [
    'record',
    'fault',
    record,
    async (tab) => {
      await tab.locator('[name=phone_number]').fill('12')
      await tab.keyboard.press('Enter')
      await tab.locator('[name=phone_number][aria-invalid=true]').waitFor()
    },
  ],
  [
    'record',
    'optout',
    record,
    async (tab) => {
      await tab.keyboard.press('Control+Shift+o')
      await submit(tab)
    },
  ],
]

/** Pictures that write into cells, each on a separate account. */
export const written = ({ list }) => [
  [
    'contacts',
    'refused',
    `#/lists/${list('VIP customers')}`,
    async (tab) => {
      // Filter for empty cells, then write into one.
      await (await cell(tab, 5, 'E-mail')).click()
      await tab.keyboard.press('Control+Shift+Enter')
      await tab.locator('main .toolbar').getByText('Filter (1)').waitFor()
      await (await cell(tab, 3, 'E-mail')).click()
      await tab.keyboard.type('charlie.patel@example.com')
      await tab.keyboard.press('Enter')
      await tab.locator('main .body').getByText('↷').waitFor()
      await (await cell(tab, 1, 'Phone number')).click()
      await tab.keyboard.type('12')
      await tab.keyboard.press('Enter')
      await tab.keyboard.press('ArrowUp')
      await tab.locator('main [role=gridcell][aria-invalid=true]').waitFor()
    },
  ],
]
