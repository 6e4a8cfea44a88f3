// The wizard of imports as a test reads and drives it.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { drop } from './files.mjs'
import { ROOT, until } from './places.mjs'

/** Files that other programs made. */
const FIXTURES = join(ROOT, 'tests', 'fixtures', 'imports')

/** The console at a place, once its screen is there. */
export async function openAt(here, place, options) {
  const page = await here.open(options)
  await until('the frame is there', async () => (await page.count('main h1')) > 0)
  await page.tab.evaluate((hash) => (location.hash = hash), place)
  await until('the screen is there', async () => (await page.count('main :is(h1, h2)')) > 0)
  return page
}

/** The same at a list, which is what is dropped there goes into. */
export async function openList(here, list, options) {
  const page = await openAt(here, `#/lists/${list}`, options)
  await page.tab.locator('main [role=grid]').or(page.tab.getByText('No contacts yet')).first().waitFor()
  return page
}

export const step = (page) => page.tab.locator('main [data-step]').getAttribute('data-step')
export const at = (page, name) =>
  until(`the step is ${name}`, async () => (await step(page)) === name, 30_000)
/** The groups of the rehearsal, each with how many rows it has. */
export const groups = async (page) => (await page.texts('main [role=tab]')).join()
export const alerts = async (page) =>
  (await page.texts('main [role=alert]')).filter((text) => text !== '').join(' ')

/** A file that another program made, as one that is dropped. */
export async function fixture(path) {
  return { name: basename(path), base64: await readFile(join(FIXTURES, path), 'base64') }
}

/** Files are dropped on a list and read. */
export async function dropped(page, ...files) {
  await drop(page.tab, 'main', files)
  await at(page, 'source')
  await page.tab.locator('main table tbody tr').first().waitFor()
}

/** From the files on to the columns. */
export async function mapped(page) {
  await page.press('Control+Enter')
  await at(page, 'mapping')
  await page.tab.locator('main tr[data-column]').first().waitFor()
}

/** From the columns on to the rehearsal. */
export async function rehearsed(page) {
  await page.press('Control+Enter')
  await at(page, 'rehearsal')
  await page.tab.getByTestId('import-sum').waitFor({ timeout: 60_000 })
}

/** Where a column goes. */
export const goesInto = (page, column) => page.tab.locator(`main tr[data-column="${column}"] select`)

/** A group of rows is chosen and in view: nothing of the group before is left. */
export async function showGroup(page, title) {
  await page.tab.locator('main [role=tab]', { hasText: new RegExp(`^\\s*${title}`) }).click()
  await page.tab.getByRole('grid', { name: `Rows: ${title}` }).waitFor()
}
