// Pictures about sending and history: links, senders, the local server, activity, trash.
import { command, dialog, findNothing, first, named, submit } from './acts.mjs'

export const links = (link) => [
  ['links', 'full', '#/links'],
  ['links', 'clicks', `#/links/${link('Spring catalogue').link_id}`],
  [
    'links',
    'clicks-scrolled',
    `#/links/${link('Spring catalogue').link_id}`,
    (tab) => tab.locator('#panel table').last().scrollIntoViewIfNeeded(),
  ],
  [
    'links',
    'qr',
    `#/links/${link('Spring catalogue').link_id}`,
    async (tab) => {
      await named(tab, 'Spring catalogue').click()
      await tab.keyboard.press('q')
      await dialog(tab)
        .getByRole('img', { name: /QR code/ })
        .waitFor()
    },
  ],
  ['links', 'filters', '#/links', (tab) => tab.getByRole('button', { name: /^Filters/ }).click()],
  ['links', 'none-fits', '#/links', (tab) => findNothing(tab)],
  [
    'links',
    'new-fault',
    '#/links',
    async (tab) => {
      await tab.keyboard.press('Alt+n')
      await tab.getByRole('textbox', { name: 'Title', exact: true }).fill('Opening hours')
      await tab.getByRole('textbox', { name: 'Target', exact: true }).fill('see the door')
      await submit(tab)
    },
  ],
  [
    'links',
    'new-same',
    '#/links',
    async (tab) => {
      await tab.keyboard.press('Alt+n')
      await tab.getByRole('textbox', { name: 'Title', exact: true }).fill('Spring once more')
      await tab
        .getByRole('textbox', { name: 'Target', exact: true })
        .fill(link('Spring catalogue').target_url)
      await tab.getByRole('button', { name: 'Create another link' }).waitFor()
    },
  ],
  [
    'links',
    'many',
    '#/links/many',
    async (tab) => {
      const rows = [
        'Title\tTarget\tTags',
        'Tables\thttps://shop.example/tables/new\tservice',
        'Menu\tshop.example/menu\t',
        'Opening hours\tsee the door\t',
      ]
      rows.push(`Spring\t${link('Spring catalogue').target_url}\tspring`)
      await tab.getByLabel('Rows', { exact: true }).fill(rows.join('\n'))
      await tab.locator('main tr.bad').waitFor()
    },
  ],
  ['links', 'many-empty', '#/links/many'],
  [
    'links',
    'delete',
    '#/links',
    async (tab) => {
      await first(tab).click()
      await tab.keyboard.press('Shift+ArrowDown')
      await tab.keyboard.press('Delete')
    },
  ],
]

export const senders = () => [
  ['senders', 'full', '#/senders', (tab) => named(tab, 'ShopOrders').dblclick()],
  ['senders', 'pending', '#/senders', (tab) => named(tab, 'VIP-Club').click()],
  ['senders', 'none-fits', '#/senders', (tab) => findNothing(tab)],
  [
    'senders',
    'request-fault',
    '#/senders',
    async (tab) => {
      await tab.keyboard.press('Alt+n')
      await tab.keyboard.type('x')
      await tab.keyboard.press('Enter')
    },
  ],
  [
    'senders',
    'delete',
    '#/senders',
    async (tab) => {
      await named(tab, 'ShopNews').click()
      await tab.keyboard.press('Delete')
    },
  ],
  ['numbers', 'full', '#/senders/numbers'],
  [
    'numbers',
    'add-fault',
    '#/senders/numbers',
    async (tab) => {
      await tab.keyboard.press('Alt+n')
      await tab.getByLabel('Number', { exact: true }).fill('12')
      await tab.keyboard.press('Enter')
    },
  ],
  [
    'numbers',
    'simulate',
    '#/senders/numbers',
    (tab) => tab.getByRole('button', { name: 'Simulate reply' }).first().click(),
  ],
  [
    'numbers',
    'keywords',
    '#/senders/numbers',
    (tab) => tab.getByRole('button', { name: 'Keywords…' }).first().click(),
  ],
  [
    'numbers',
    'remove',
    '#/senders/numbers',
    async (tab) => {
      await tab
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await tab.getByRole('menuitem', { name: 'Remove…' }).click()
    },
  ],
]

export const server = () => [
  ['server', 'full', '#/server'],
  ['server', 'request', '#/server', (tab) => named(tab, '/contacts/v1/contacts').dblclick()],
  [
    'server',
    'request-scrolled',
    '#/server',
    async (tab) => {
      await named(tab, '/contacts/v1/contacts').dblclick()
      await tab.locator('#panel pre').last().scrollIntoViewIfNeeded()
    },
  ],
  [
    'server',
    'setting-fault',
    '#/server',
    async (tab) => {
      await tab.locator('[data-testid=server-settings] > summary').click()
      await tab.getByLabel('Limit requests per second').check()
      const field = tab.getByLabel('Requests per second', { exact: true })
      await field.fill('many')
      await field.press('Enter')
    },
  ],
  ['server', 'none-fits', '#/server', (tab) => findNothing(tab)],
  ['server', 'records', '#/server/records/default/contacts'],
  ['server', 'record', '#/server/records/default/senders', (tab) => openRecord(tab, 'VIP-Club')],
  [
    'server',
    'record-json',
    '#/server/records/default/contacts',
    async (tab) => {
      await first(tab).dblclick()
      await tab.getByLabel('As JSON', { exact: true }).check()
    },
  ],
  [
    'server',
    'record-new',
    '#/server/records/default/contacts',
    async (tab) => {
      await command(tab, 'New contact…')
      await dialog(tab).getByLabel('phone_number').fill('12')
      await submit(tab)
    },
  ],
  [
    'server',
    'fixture',
    '#/server/records/default/lists',
    async (tab) => {
      await openRecord(tab, 'Newsletter')
      await tab.getByRole('button', { name: 'Create fixture…' }).click()
    },
  ],
  ['server', 'state', '#/server/state'],
  ['server', 'jobs', '#/server/jobs'],
  ['server', 'job', '#/server/jobs', (tab) => openJob(tab, 'VIP customers')],
  [
    'server',
    'job-drawn',
    '#/server/jobs',
    async (tab) => {
      await openJob(tab, 'Open day guests')
      await tab.getByRole('slider').focus()
      await tab.keyboard.press('PageUp')
    },
  ],
  [
    'server',
    'job-scrolled',
    '#/server/jobs',
    async (tab) => {
      await openJob(tab, 'Newsletter')
      await tab.getByRole('heading', { name: 'Contacts' }).scrollIntoViewIfNeeded()
    },
  ],
]

async function openRecord(tab, name) {
  await named(tab, name).dblclick()
  await tab.locator('#panel form').waitFor()
}

async function openJob(tab, list) {
  await named(tab, list).dblclick()
  await tab.getByTestId('moments').waitFor()
}

export const past = () => [
  ['activity', 'full', '#/activity'],
  [
    'activity',
    'undo-back',
    '#/activity',
    (tab) => tab.getByRole('button', { name: 'Undo this and everything after it…' }).nth(2).click(),
  ],
  ['activity', 'none-fits', '#/activity', (tab) => findNothing(tab)],
  ['jobs', 'full', '#/activity/jobs'],
  ['jobs', 'delivered', '#/activity/jobs', (tab) => named(tab, 'Newsletter').dblclick()],
  ['jobs', 'failed', '#/activity/jobs', (tab) => named(tab, 'Open day guests').dblclick()],
  [
    'jobs',
    'failed-scrolled',
    '#/activity/jobs',
    async (tab) => {
      await named(tab, 'VIP customers').dblclick()
      await tab.locator('#panel').evaluate((panel) => {
        const inside = [panel, ...panel.querySelectorAll('*')].find(
          (one) => one.scrollHeight > one.clientHeight + 4,
        )
        if (inside) inside.scrollTop = inside.scrollHeight
      })
    },
  ],
  ['trash', 'full', '#/trash'],
  ['trash', 'selection', '#/trash', (tab) => first(tab).click()],
  [
    'trash',
    'purge',
    '#/trash',
    async (tab) => {
      await tab.getByRole('button', { name: 'Empty the trash…' }).click()
      await dialog(tab).locator('input').fill('7')
      await tab.keyboard.press('Enter')
    },
  ],
]
