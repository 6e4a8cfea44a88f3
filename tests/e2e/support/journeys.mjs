// What a user does and sees, in the window as in the browser.
import assert from 'node:assert/strict'
import { soon, until } from './places.mjs'

export const COUNTS = [
  'lists',
  'contacts',
  'opt_outs',
  'short_links',
  'senders',
  'assets',
  'custom_fields',
  'jobs_waiting',
]
const ROW_NAMES = 'table[aria-label=Lists] tbody th'

export const names = (page) => page.texts(ROW_NAMES)
export const overviewCount = (page, noun) => page.text(`[data-testid=overview-${noun}]`)
export const sidebarCount = (page) => page.text('[data-testid=count-lists]')

export async function seeOverview(page) {
  await until('the overview has its counts', async () =>
    /^\d/.test((await overviewCount(page, 'lists')) ?? ''),
  )
}

/** Chooses a country on the welcome screen, if the system's settings contain no region to propose. */
export const chooseCountry = (page) =>
  page.run(`
    const country = document.querySelector('[data-testid=welcome] select')
    if (country.value !== '-' && country.value !== '') return
    country.value = 'GB'
    country.dispatchEvent(new Event('change', { bubbles: true }))`)

/** Completes the first run of a window: creates an empty account from the welcome screen. */
export async function begin(page) {
  await until('the welcome is shown', () => page.count('[data-testid=welcome] button[type=submit]'), 30_000)
  await page.run(`document.querySelector('[data-testid=welcome] input[value=empty]')?.click()`)
  await page.fill('[data-testid=welcome] input:not([type=radio])', 'Shop')
  await chooseCountry(page)
  await page.click('[data-testid=welcome] button[type=submit]')
  await until('the account is open', () => page.count('#sidebar'), 30_000)
}

const FILL = `
  const [name, text] = arguments
  const labels = [...document.querySelectorAll('label')]
  const called = (one) => one.textContent.trim()
  const label = labels.find((one) => called(one) === name) ?? labels.find((one) => called(one).startsWith(name))
  const field = label?.control ?? document.querySelector('[name="' + name + '"]')
  field.focus()
  const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement
  Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))`

/** Fills a field of the window by its label or name, on any screen. */
export const fillLabelled = (page, label, text) => page.run(FILL, label, text)

/** Goes to the overview from the restored route. */
export async function goHome(page) {
  await until('a screen is shown', () => page.count('main h1'))
  await page.click('#sidebar a[href="#/overview"]')
  await seeOverview(page)
}

/**
 * Checks a new account: the page shows the first steps, and every count is zero. Only an account that the emulator
 * made has custom fields, as an account of the service has.
 */
export async function seeFreshAccount(page, customFields = 0) {
  await seeOverview(page)
  for (const noun of COUNTS)
    await soon(async () =>
      assert.equal(await overviewCount(page, noun), noun === 'custom_fields' ? `${customFields}` : '0', noun),
    )
  await soon(async () => assert.match(await page.title(), /^Home – .+ – Roost$/))
  await soon(async () => assert.match(await page.text('[data-testid=account-path]'), /./))
  await soon(async () => assert.ok((await page.texts('main h2')).includes('Get started')))
  await page.click('#sidebar a[href="#/lists"]')
  await until('the empty list page says what to do', async () =>
    (await page.texts('main h2')).includes('No lists yet'),
  )
}

/** Creates a list through the dialog and checks that the table and both counts show it. */
export async function createList(page, name, expectedCount) {
  await page.click('#sidebar a[href="#/lists"]')
  await until('the lists are shown', () => page.count('main header button.primary'))
  await page.click('main header button.primary')
  await until('the dialog is open', () => page.count('dialog[open] input'))
  await page.fill('dialog input', name)
  await page.click('dialog button[type=submit]')
  await until('the dialog is closed', async () => (await page.count('dialog')) === 0)
  await until('the list is first in the table', async () => (await names(page))[0] === name)
  await until('the sidebar counts it', async () => (await sidebarCount(page)) === String(expectedCount))
  await page.click('#sidebar a[href="#/overview"]')
  await until(
    'the overview counts it',
    async () => (await overviewCount(page, 'lists')) === String(expectedCount),
  )
}

/** Checks that the dialog refuses invalid names, says why, and closes on Esc without an effect. */
export async function refuseBadNames(page) {
  await page.press('Control+2')
  await until('the lists are shown', async () => (await page.text('main h1')) === 'Lists')
  const before = await sidebarCount(page)
  await page.press('Control+n')
  await until('the dialog is open', () => page.count('dialog[open] input'))
  const fault = () => page.text('dialog [role=alert]')
  await page.click('dialog button[type=submit]')
  await until('an empty name is refused', async () => (await fault()) === 'Give the list a name.')
  await page.fill('dialog input', 'é'.repeat(121))
  await until('a long name is refused', async () => (await fault()) === 'Shorten the name by 1 character.')
  await soon(async () =>
    assert.equal(
      await page.run('return document.querySelector("dialog input").getAttribute("aria-invalid")'),
      'true',
    ),
  )
  await page.press('Escape')
  await until('Esc closes the dialog', async () => (await page.count('dialog')) === 0)
  await soon(async () => assert.equal(await sidebarCount(page), before))
}

/** Sorts by a click on a heading, and filters until nothing matches. */
export async function sortAndFilter(page) {
  await page.click('#sidebar a[href="#/lists"]')
  await page.click('table[aria-label=Lists] thead th:nth-child(1) button')
  await until('sorted by name', async () => (await page.count('th[aria-sort=ascending]')) === 1)
  const ascending = await until('rows are there', async () => {
    const shown = await names(page)
    return shown.length > 1 && shown
  })
  await page.click('table[aria-label=Lists] thead th:nth-child(1) button')
  await until(
    'turned round',
    async () => (await names(page)).join('\n') === ascending.toReversed().join('\n'),
  )
  await page.fill('input[type=search]', 'no list is called that')
  await until('no list matches', async () => (await page.texts('main h2')).includes('No matching lists'))
  await page.fill('input[type=search]', ascending[0].slice(0, 4))
  await until('the one that matches is shown', async () => (await names(page)).join('\n') === ascending[0])
}

/** Presses the button with this text in the real window. */
export function pressButton(page, text) {
  return page.run(
    'return [...document.querySelectorAll("button")].find((one) => one.textContent.trim() === arguments[0]).click()',
    text,
  )
}

export async function seeFault(page, code) {
  await until(`the page shows the fault ${code}`, () =>
    page.count(`[data-testid=account-fault][data-code=${code}]`),
  )
}

/** Returns the ID of the contact of a list that was created last. */
export async function newestContact(call, list) {
  const sort = { field: 'created_at', order: 'DESC' }
  const page = { list, page_number: 1, page_size: 1, sort, filter: null, opted_out: null }
  return (await call('contact_page', page)).items[0].uid
}

/** Creates a record of every kind. Returns a list and its newest contact. */
export async function createEveryRecord(call) {
  const { uid: list } = await call('list_create', { name: 'Spring' })
  const contacts = ['001', '002', '003'].map((end) => ({
    phone_number: `+447700900${end}`,
    firstname: 'Ada',
    city: 'Leeds',
  }))
  await call('contact_paste', { list, contacts, region: null })
  await call('custom_field_add', { label: 'Tier' })
  await call('opt_out_add', {
    entries: [{ number: '+447700900001', channels: ['SMS'], asset: null }],
    reason: 'Asked by telephone',
    region: null,
  })
  await call('short_link_create', {
    links: [
      {
        title: 'Spring sale',
        target_url: 'https://shop.example/spring',
        tags: ['spring'],
        track_clicks: true,
      },
    ],
  })
  await call('sender_request', { name: 'Roost' })
  const { uid } = await call('list_create', { name: 'Old newsletter' })
  await call('list_delete', { uid, typed_name: 'Old newsletter' })
  return { list, contact: await newestContact(call, list) }
}

/** Returns the place of every screen of an account that has a list with a contact. */
export const PLACES = (list, contact) => [
  'overview',
  'lists',
  `lists/${list}`,
  `lists/${list}/${contact}`,
  `lists/${list}/readiness`,
  `lists/${list}/clean`,
  `lists/${list}/clean/mending`,
  'fields',
  'optouts',
  'links',
  'senders',
  'sync/connection',
  'sync/changes',
  'sync/conflicts',
  'sync/plan',
  'sync/runs',
  'server',
  'activity',
  'trash',
  'accounts',
  'safety',
  'import',
  'import/past',
  'search',
]
const SETTLED = `
  return document.querySelector('main :is(h1, h2), [data-testid=search]') !== null &&
    document.querySelector('main [aria-busy=true]') === null`

/** Opens the page anew at a place, so that nothing of the last place is there. */
export async function goTo(page, place) {
  await page.run("history.replaceState(null, '', '#/' + arguments[0])", place)
  await page.tab.reload()
  await until(`${place} is shown`, () => page.run(SETTLED))
  await page.rest()
  await until(`${place} is loaded`, () => page.run(SETTLED))
}
