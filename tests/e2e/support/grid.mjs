// Reads and drives the grid of contacts.
import { until } from './places.mjs'

const LINES = 'main .body .line:not([hidden])'

/** The rows in view. */
export const lines = (page) => page.tab.locator(LINES)
export const row = (page, text) => page.tab.locator(LINES, { hasText: text })
export const count = (page) => page.tab.locator(LINES).count()
/** Returns the last two digits of the phone numbers in view. */
export const phones = async (page) =>
  (await page.texts(`${LINES} [aria-colindex="2"]`)).map((text) => text.match(/\d\d$/)?.[0] ?? text)

/** Returns the position of a column by its title, counted as in aria-colindex. */
export async function columnOf(page, title) {
  const heads = page.tab.locator('main [role=columnheader]')
  const titles = await heads.evaluateAll((all) =>
    all.map((head) => [head.querySelector('.title')?.textContent ?? '', head.getAttribute('aria-colindex')]),
  )
  return titles.find(([text]) => text === title)?.[1]
}

export async function cell(page, text, title) {
  return row(page, text).locator(`[aria-colindex="${await columnOf(page, title)}"]`)
}

/** Returns the visible texts of a column. */
export async function column(page, title) {
  return page.texts(`${LINES} [aria-colindex="${await columnOf(page, title)}"]`)
}

export async function at(here, list, options) {
  const page = await here.open(options)
  await page.run("location.hash = '#/lists/' + arguments[0]", list)
  await until('the contacts are there', async () =>
    (await page.texts(`${LINES} [aria-colindex="2"]`)).some((text) => text !== ''),
  )
  return page
}

/** Creates a list of contacts with numbers +4477009000NN; the first one given is last in view. */
export async function listOf({ call }, name, people) {
  const { uid } = await call('list_create', { name })
  const contacts = people.map(({ number, ...others }) => ({
    ...others,
    phone_number: `+4477009000${number}`,
  }))
  await call('contact_paste', { list: uid, contacts: contacts.toReversed(), region: null })
  return uid
}

export const announced = (page) => page.text('[data-testid=announcement]')

/** Returns the title of an element. In the window, the element under the pointer has it as its description. */
export const titleOf = async (locator) =>
  (await locator.getAttribute('title')) ?? (await locator.getAttribute('aria-description'))
