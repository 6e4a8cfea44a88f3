// Pictures of an account that is connected to a service: missing records, changes, conflicts, a plan, and runs.
import {
  connect,
  ended,
  listThere,
  pull,
  rest,
  run,
  startService,
  upload,
} from '../../e2e/support/service.mjs'
import { command, dialog, named } from './acts.mjs'

const LONG_NAME = 'Guests of the spring fair in the old market hall, to be invited again next year'
const phone = (n) => `+4477009008${String(n).padStart(2, '0')}`
const guests = (from, count) =>
  Array.from({ length: count }, (_, n) => ({
    phone_number: phone(from + n),
    firstname: `Guest ${n + 1}`,
    lastname: 'Featherstonehaugh-Cholmondeley',
    city: 'Leeds',
    field_1: ['Gold', 'Silver'][n % 2],
    field_7: ['Leeds market', 'York station'][n % 2],
    field_8: ['Window', 'Aisle'][n % 2],
  }))

/** Connects the account to a service of its own and leaves changes, conflicts and missing records; returns what the
 *  pictures need. */
export async function connectWorld(call, folder) {
  const service = await startService(folder, '--limits', 'off')
  // Fields have no names at the service. Of those that the contacts use, the account has named the first, has removed the
  // seventh, and does not know the eighth.
  for (const label of ['Table', 'Diet', 'Arrival', 'Market', 'Seat'])
    await service.call('custom_field_add', { label })
  const members = await listThere(service, LONG_NAME, guests(0, 12))
  const gone = await listThere(service, 'Lunch club', guests(40, 30))
  const links = []
  for (const title of [
    'Menu of the week',
    'Map of the market hall',
    'Opening hours in summer',
    'Lunch offers',
  ])
    links.push(
      await rest(service, 'POST', '/assets/v1/shortlink', {
        title,
        target_url: 'https://shop.example/lunch',
      }),
    )
  await connect(call, service, { calls_per_second: 9 })
  await pull(call)
  const { items } = await call('contact_page', {
    list: members,
    page_number: 1,
    page_size: 50,
    sort: null,
    filter: null,
    opted_out: null,
  })
  for (const { uid } of items.slice(0, 4))
    await call('contact_update', { uid, fields: { city: 'York', zip: 'YO1 7HH' }, region: null })
  const changed = items.slice(0, 3).map(({ values }) => values.phone_number)
  await upload(
    service,
    members,
    changed.map((phone_number) => ({ phone_number, city: 'Kingston upon Hull' })),
  )
  const taken = { number: phone(60), channels: ['SMS'], asset: null }
  await call('opt_out_add', { entries: [taken], reason: 'Asked by letter', region: null })
  await service.call('list_delete', { uid: gone, typed_name: 'Lunch club' })
  const made = await service.call('short_link_page', {
    page_number: 1,
    page_size: 50,
    query: null,
    tags: [],
    from: null,
    to: null,
    order: 'DESC',
  })
  await service.call('short_link_delete', { uids: made.items.map(({ link_id }) => link_id) })
  await pull(call)
  return { service, members }
}

/** Thousands of records, at the speed that the service allows. */
const SENDING_MS = 300_000

/** Sends everything and waits for the end. */
export async function sendAll(call) {
  await ended(call, await run(call), SENDING_MS)
}

/** Settles whatever was not sent, so that nothing waits. */
export async function settleAll(call) {
  const { clashes } = await call('field_clash_all')
  for (const { number } of clashes) await call('field_clash_settle', { number, is_same: true })
  const { rows } = await call('conflicts_page', { noun: null, field: null, from: 0, count: 200 })
  const keys = rows.map(({ key }) => key)
  await call('conflicts_answer', { keys, field: null, answer: { answer: 'theirs' }, alike: false })
  await pull(call, { believe: true })
  await sendAll(call)
  const filter = { text: '', source: null, field: null, since: null, step: null }
  await call('changes_discard', { keys: null, group: null, step: null, filter })
  // The service cannot have the opt-outs of numbers that only exist here, and discarding keeps every opt-out.
  const kept = await call('changes_rows', {
    noun: 'opt_out',
    list: null,
    kind: null,
    filter,
    from: 0,
    count: 200,
  })
  const records = kept.rows.map(({ key: { id } }) => {
    const [number, channel, asset] = id.split(' ')
    return { number, channel, asset }
  })
  const what = { records }
  const { count, stamp } = await call('opt_out_removal_preview', { what })
  await call('opt_out_remove', { what, expected_count: count, stamp, reason: 'Given in error' })
}

export const connected = ({ members }) => [
  ['sync', 'connection', '#/sync/connection'],
  ['sync', 'changes', '#/sync/changes', (tab) => tab.locator('main tbody tr').first().waitFor()],
  [
    'sync',
    'missing',
    '#/sync/changes',
    (tab) => tab.getByRole('button', { name: 'Confirm the deletions…' }).waitFor(),
  ],
  [
    'sync',
    'confirm-deletions',
    '#/sync/changes',
    async (tab) => {
      await tab.getByRole('button', { name: 'Confirm the deletions…' }).click()
      await dialog(tab).waitFor()
    },
  ],
  [
    'sync',
    'field-names',
    '#/sync/changes',
    async (tab) => {
      await tab.getByRole('button', { name: 'Name the fields…' }).click()
      await dialog(tab).waitFor()
    },
  ],
  [
    'sync',
    'discard',
    '#/sync/changes',
    async (tab) => {
      await tab.locator('main tbody tr').first().click()
      await tab.keyboard.press('Control+Shift+Backspace')
      await dialog(tab).waitFor()
    },
  ],
  ['sync', 'conflicts', '#/sync/conflicts', (tab) => tab.locator('#dispute-title').waitFor()],
  [
    'sync',
    'rules',
    '#/sync/conflicts',
    async (tab) => {
      await tab.locator('#dispute-title').waitFor()
      await tab.getByRole('button', { name: 'Rules…' }).click()
      await dialog(tab).waitFor()
    },
  ],
  [
    'sync',
    'alike',
    '#/sync/conflicts',
    async (tab) => {
      await tab.locator('#dispute-title').waitFor()
      await tab.keyboard.press('Shift+1')
      await dialog(tab).waitFor()
    },
  ],
  ['sync', 'plan', '#/sync/plan', (tab) => tab.getByRole('button', { name: 'Send…' }).waitFor()],
  [
    'sync',
    'plan-step',
    '#/sync/plan',
    async (tab) => {
      await tab.locator('[data-testid=plan] tbody tr').first().focus()
      await tab.keyboard.press('Enter')
      await tab.locator('#panel pre').first().waitFor()
    },
  ],
  [
    'sync',
    'send',
    '#/sync/plan',
    async (tab) => {
      await tab.getByRole('button', { name: 'Send…' }).click()
      await dialog(tab).waitFor()
    },
  ],
  [
    'contacts',
    'connected',
    `#/lists/${members}`,
    (tab) => tab.locator('main [role=gridcell]').first().waitFor(),
  ],
  [
    'contacts',
    'actions-connected',
    `#/lists/${members}`,
    async (tab) => {
      await tab.locator('main [role=gridcell]').first().click()
      await tab.keyboard.press('Shift+Space')
      await tab.getByRole('button', { name: 'Actions', exact: true }).click()
      await tab.getByRole('menu').waitFor()
    },
  ],
  ['lists', 'connected', '#/lists', (tab) => named(tab, LONG_NAME).click()],
  [
    'lists',
    'delete-connected',
    '#/lists',
    async (tab) => {
      await named(tab, LONG_NAME).click()
      await tab.keyboard.press('Delete')
      await dialog(tab).waitFor()
    },
  ],
  ['links', 'connected', '#/links'],
  ['senders', 'connected', '#/senders'],
  ['home', 'connected', '#/overview'],
  ['activity', 'connected', '#/activity'],
  ['optouts', 'connected', '#/optouts'],
]

/** Opens the newest run from the list of all. */
async function openRun(tab) {
  await tab.getByTestId('runs').locator('tbody a').first().click()
  await tab.locator('#run-title').waitFor()
}

export const sent = () => [
  ['sync', 'runs', '#/sync/runs', (tab) => tab.getByTestId('runs').waitFor()],
  ['sync', 'run', '#/sync/runs', openRun],
  ['sync', 'refused', '#/sync/runs/refused', (tab) => tab.locator('main h2').first().waitFor()],
  [
    'sync',
    'undo-run',
    '#/sync/runs',
    async (tab) => {
      await openRun(tab)
      await command(tab, 'Undo this run…')
      await dialog(tab).waitFor()
    },
  ],
  ['activity', 'sent', '#/activity'],
  ['home', 'sent', '#/overview'],
]

export const settled = () => [
  [
    'sync',
    'nothing',
    '#/sync/changes',
    (tab) => tab.getByRole('heading', { name: 'No changes to send' }).waitFor(),
  ],
]
