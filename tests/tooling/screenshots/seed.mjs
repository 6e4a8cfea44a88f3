// Adds the activity of a few days to a sample account, so that every screen has something to show: acts of the window
// through the console's commands, acts of a program through the REST interface. The same sample gives the same data
// except for times and IDs.
import { createServer } from 'node:http'
import { deleteContacts } from '../../e2e/support/commands.mjs'
import { until } from '../../e2e/support/places.mjs'

const VISITORS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
]

/** Returns a function that runs a console's command, as its page does. */
export function caller({ url, console_url }) {
  // The window runs commands itself.
  if (typeof console_url === 'object') return console_url.call
  const token = decodeURIComponent(/#token=(.*)$/.exec(console_url)[1])
  return async (name, payload = {}) => {
    const response = await fetch(`${url}/__console/call/${name}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-roost-origin': 'screenshots',
      },
      body: JSON.stringify(payload),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${name}: ${JSON.stringify(answer)}`)
    return answer
  }
}

export const rest = (url, method, path, body, headers = { 'x-auth-key': 'shop-backend-1' }) =>
  fetch(url + path, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

const GIVEN = ['Ada', 'Ben', 'Chloe', 'Dev', 'Ella', 'Finn', 'Grace', 'Hugo', 'Iris']
const FAMILY = ['Baker', 'Carter', 'Dawson', 'Evans', 'Fisher', 'Gill', 'Hayes']

const phone = (n) => `+4477009${String(n).padStart(5, '0')}`

/** Fills the account and returns the IDs that the pictures need. */
export async function fill(server) {
  const call = caller(server)
  const world = await known(call)
  await lists(call, world)
  await contacts(call, world)
  await optOuts(call, world)
  await links(call, server, world)
  await senders(call)
  await fields(call)
  await jobs(call, server, world)
  await requests(server, world)
  const spare = await call('list_create', { name: 'Ideas for winter' })
  await call('list_rename', { uid: spare.uid, name: 'Winter ideas' })
  await call('history_undo')
  return { ...world, spare: spare.uid }
}

/** Returns the UIDs of the sample's records that the pictures use by name. */
async function known(call) {
  const page = { page_number: 1, page_size: 100 }
  const all = (await call('list_page', { ...page, sort_by: 'name', sort_order: 'ASC', name: null })).items
  const { items: made } = await call('short_link_page', {
    ...page,
    query: null,
    tags: [],
    from: null,
    to: null,
    order: 'DESC',
  })
  const list = (name) => all.find((one) => one.name === name).uid
  const vips = await call('contact_page', {
    list: list('VIP customers'),
    ...page,
    sort: { field: 'created_at', order: 'DESC' },
    filter: null,
    opted_out: null,
  })
  const optedOut = vips.items.find(({ values, sms }) => values.phone_number && sms === 'none').values
    .phone_number
  return { optedOut, list, link: (title) => made.find((one) => one.title === title), vips: vips.items }
}

async function lists(call, { list }) {
  for (const name of ['Newsletter', 'VIP customers', 'Delivery updates'])
    await call('list_pin', { uid: list(name), on: true })
  await call('list_note', {
    uid: list('VIP customers'),
    alias: 'vip',
    note: 'Checked by the shop every quarter. Ask before writing to them more than once a week.',
  })
  await call('list_note', { uid: list('Newsletter'), alias: 'news', note: null })
  await call('list_note', { uid: list('Paper forms, to be checked'), alias: 'paper', note: null })
  await call('list_duplicate', { uid: list('Trial customers'), name: 'Trial customers, to be asked' })
  const old = await call('list_duplicate', { uid: list('Staff'), name: 'Staff of last year' })
  await call('list_delete', { uid: old.uid, typed_name: 'Staff of last year' })
}

async function contacts(call, { list, vips }) {
  const [one] = vips
  await call('contact_update', {
    uid: one.uid,
    fields: { city: 'York', zip: 'YO1 7HH', field_4: 'Silver' },
    region: null,
  })
  await call('contact_update', {
    uid: one.uid,
    fields: { email_address: 'vip.one@shop.example', field_4: 'Gold' },
    region: null,
  })
  await call('contact_update', { uid: one.uid, fields: { alternate_phone: '+441632960123' }, region: null })
  await deleteContacts(
    call,
    list('VIP customers'),
    vips.slice(-3).map(({ uid }) => uid),
  )
  await call('contact_paste', {
    list: list('Suppliers'),
    contacts: [{ phone_number: '+441632960500', firstname: 'Orders', company_name: 'Harbour Paper' }],
    region: null,
  })
}

async function optOuts(call, { vips }) {
  const [one, two] = vips.filter(({ values, sms }) => values.phone_number && sms === 'none')
  const entry = (number, channels) => ({ number, channels, asset: null })
  await call('opt_out_add', {
    entries: [entry(one.values.phone_number, ['SMS'])],
    reason: 'Asked by telephone: no offers, please',
    region: null,
  })
  await call('opt_out_add', {
    entries: [entry(phone(70), ['SMS', 'WHATSAPP']), entry(phone(71), ['SMS'])],
    reason: 'List of the old system',
    region: null,
  })
  const { assets } = await call('asset_all')
  await call('asset_inbound', { id: assets[0].id, from: two.values.phone_number, text: 'Stop' })
  const what = { numbers: { numbers: [phone(71)], channel: null, asset: null, region: null } }
  const { count, stamp } = await call('opt_out_removal_preview', { what })
  await call('opt_out_remove', { what, expected_count: count, stamp, reason: 'Signed up again in the shop' })
}

async function links(call, { url }, { link }) {
  await call('short_link_create', {
    links: [
      {
        title: 'Autumn catalogue',
        target_url: 'https://shop.example/catalogue/autumn?utm_source=sms&utm_campaign=autumn',
        tags: ['autumn', 'catalogue'],
        track_clicks: true,
      },
      {
        title: 'Table reservations',
        target_url: 'https://shop.example/tables',
        tags: ['service'],
        track_clicks: false,
      },
    ],
  })
  for (const [n, agent] of VISITORS.entries())
    for (let visit = 0; visit <= n; visit += 1)
      await rest(url, 'GET', `/s/${link('Spring catalogue').code}`, undefined, { 'user-agent': agent })
  await call('short_link_delete', { uids: [link('Job offers').link_id, link('Draft: autumn').link_id] })
}

async function senders(call) {
  await call('sender_request', { name: 'HarbourCafe' })
  const approved = await call('sender_request', { name: 'ShopOrders' })
  await call('sender_approve', { id: approved.id })
  const gone = await call('sender_request', { name: 'OldShop' })
  await call('sender_delete', { id: gone.id, typed_name: 'OldShop' })
}

async function fields(call) {
  const { number } = await call('custom_field_add', { label: 'Loyalty card' })
  await call('custom_field_remove', { number, typed_label: 'Loyalty card' })
}

/** Creates three jobs whose callbacks are delivered, permanently refused, and failed with another attempt due. */
async function jobs(call, { url }, { list, vips }) {
  const receiver = createServer((request, response) => {
    request.resume()
    response.statusCode = Number(request.url.slice(1))
    response.end('{"received":true}')
  })
  await new Promise((done) => receiver.listen(0, '127.0.0.1', done))
  const at = `http://127.0.0.1:${receiver.address().port}`
  const some = (from, count) =>
    Array.from({ length: count }, (_, n) => ({
      phone_number: phone(from + n),
      firstname: GIVEN[n % GIVEN.length],
      lastname: FAMILY[n % FAMILY.length],
    }))
  const again = vips.slice(0, 6).map(({ values }) => ({ phone_number: values.phone_number ?? phone(400) }))
  const asked = [
    [204, 'Newsletter', 'skipDuplicates', [...some(300, 40), ...some(300, 8)]],
    [404, 'VIP customers', 'mergeByPhoneNumberInList', again],
    [503, 'Open day guests', 'allowDuplicates', some(600, 25)],
  ]
  for (const [n, [status, name, merge_type, given]] of asked.entries()) {
    const response = await rest(url, 'POST', '/contacts/v1/contacts', {
      list_id: list(name),
      merge_type,
      callback_url: `${at}/${status}`,
      correlation_id: `import-2026-${17 + n}`,
      contacts: given,
    })
    if (!response.ok) throw new Error(await response.text())
  }
  await until('every callback was tried', async () => {
    const { items } = await call('job_page', { page_number: 1, page_size: 10 })
    const each = await Promise.all(items.map(({ job }) => call('job_get', { id: job.id })))
    return each.length === asked.length && each.every(({ callback }) => callback?.tries.length > 0)
  })
  receiver.closeAllConnections()
  receiver.close()
}

/** Sends the requests of a typical morning, including some that fail. */
async function requests(server, { list }) {
  const { url } = server
  const key = { 'x-auth-key': 'shop-backend-1' }
  await rest(url, 'GET', '/contacts/v1/lists/?page_size=25')
  await rest(url, 'GET', '/assets/v1/senders/?page_size=101')
  await rest(url, 'GET', `/contacts/v1/contacts/list/${list('VIP customers')}?page_size=10`)
  await rest(
    url,
    'GET',
    `/contacts/v1/contacts/list/${list('Suppliers')}?page_number=1&page_size=1&fields=uid,phone_number`,
  )
  await rest(url, 'POST', '/contacts/v1/lists/create', { name: 'Made by the shop system' })
  await rest(url, 'POST', '/contacts/v1/optouts', { optouts: [{ number: phone(72), channel: 'SMS' }] })
  await rest(url, 'GET', '/contacts/v1/lists/', undefined, {})
  await rest(url, 'POST', '/contacts/v1/lists/create', '{"name": ', key)
  await rest(url, 'DELETE', '/contacts/v1/lists/LST_36AbCdEfGhIjKlMnOpQrStUvWx1')
  await rest(url, 'POST', '/assets/v1/shortlink', {
    title: 'Orders',
    target_url: 'https://shop.example/orders',
    tags: ['service'],
  })
  await rest(url, 'POST', '/contacts/v1/contacts', {
    list_id: list('Suppliers'),
    phone_region: 'UK',
    merge_type: 'skip',
    contacts: [{ firstname: 'Contact' }, { phone_number: '+44770' }],
  })
}
