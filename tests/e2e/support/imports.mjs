// Reads and drives the import wizard.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { drop } from './files.mjs'
import { ROOT, until } from './places.mjs'

/** Files that other programs wrote. */
const FIXTURES = join(ROOT, 'tests', 'fixtures', 'imports')

/** Opens the console at a route and waits for its screen. */
export async function openAt(here, place, options) {
  const page = await here.open(options)
  await until('the frame is there', async () => (await page.count('main h1')) > 0)
  await page.tab.evaluate((hash) => (location.hash = hash), place)
  await until('the screen is there', async () => (await page.count('main :is(h1, h2)')) > 0)
  return page
}

/** Opens a list, which is then the target of dropped files. */
export async function openList(here, list, options) {
  const page = await openAt(here, `#/lists/${list}`, options)
  await page.tab.locator('main [role=grid]').or(page.tab.getByText('No contacts yet')).first().waitFor()
  return page
}

export const step = (page) => page.tab.locator('main [data-step]').getAttribute('data-step')
export const at = (page, name) =>
  until(`the step is ${name}`, async () => (await step(page)) === name, 30_000)
/** Returns the groups of the rehearsal with their numbers of rows. */
export const groups = async (page) => (await page.texts('main [role=tab]')).join()
export const alerts = async (page) =>
  (await page.texts('main [role=alert]')).filter((text) => text !== '').join(' ')

/** Returns a file that another program wrote, in the form that `drop` takes. */
export async function fixture(path) {
  return { name: basename(path), base64: await readFile(join(FIXTURES, path), 'base64') }
}

/** Drops files on a list and waits until they are read. */
export async function dropped(page, ...files) {
  await drop(page.tab, 'main', files)
  await at(page, 'source')
  await page.tab.locator('main table tbody tr').first().waitFor()
}

/** Goes on from the files to the columns. */
export async function mapped(page) {
  await page.press('Control+Enter')
  await at(page, 'mapping')
  await page.tab.locator('main tr[data-column]').first().waitFor()
}

/** Goes on from the columns to the rehearsal. */
export async function rehearsed(page) {
  await page.press('Control+Enter')
  await at(page, 'rehearsal')
  await page.tab.getByTestId('import-sum').waitFor({ timeout: 60_000 })
}

/** The select of the field that a column fills. */
export const goesInto = (page, column) => page.tab.locator(`main tr[data-column="${column}"] select`)

/** Shows a group of rows and waits until no row of the previous group is left. */
export async function showGroup(page, title) {
  await page.tab.locator('main [role=tab]', { hasText: new RegExp(`^\\s*${title}`) }).click()
  await page.tab.getByRole('grid', { name: `Rows: ${title}` }).waitFor()
}
