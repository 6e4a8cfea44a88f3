// Account files with one very long list of 24 columns, built once by the benchmark's builder and copied for every test.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { openView } from './commands.mjs'
import { program, ROOT, TARGET, until } from './places.mjs'

const run = promisify(execFile)
const bench = () => program('roost-bench', 'ROOST_BENCH', 'cargo build -p roost-tests --bin roost-bench')

/** The number of rows of the longest one; `make soak` sets a million. */
export const MANY = Number(process.env.ROOST_E2E_ROWS ?? 200_000)

/** The core's names of the file's columns; the first fifteen are built in. */
export const COLUMNS = [
  'phone_number', 'whatsapp_id', 'title', 'firstname', 'lastname', 'date_of_birth', 'address_1', 'address_2', 'city',
  'zip', 'state', 'country', 'company_name', 'email_address', 'alternate_phone',
  ...Array.from({ length: 9 }, (_, n) => `field_${n + 1}`),
] // prettier-ignore

/** How many contacts of the file have the same second as their time of creation. */
const OF_ONE_SECOND = 100
/** Returns the number of the contact in a row: the newest second comes first, and its contacts are in the order of
 *  creation. */
const madeAs = (row, rows) => rows - row + 2 * (row % OF_ONE_SECOND) - OF_ONE_SECOND
export const uidOf = (row, rows) => `CON_${String(madeAs(row, rows)).padStart(27, '0')}`
/** Field 2 of every contact contains its number, which makes each row distinguishable. */
export const numberOf = (row, rows) => String(madeAs(row, rows))

/** Returns a digest of everything that determines the file, so that a change builds another file. */
async function layout() {
  const migrations = join(ROOT, 'migrations')
  const names = (await readdir(migrations)).toSorted()
  const parts = [
    ...names.map((name) => join(migrations, name)),
    join(ROOT, 'tests', 'bench', 'grid', 'file.rs'),
    join(ROOT, 'tests', 'support', 'numbers.rs'),
  ]
  const sum = createHash('sha256')
  for (const part of parts) sum.update(await readFile(part))
  return sum.digest('hex').slice(0, 12)
}

/** Puts an account with one list of this many rows at `to`. */
export async function longList(to, rows) {
  const folder = join(TARGET, 'e2e')
  const name = `rows-${rows}-`
  const kept = join(folder, `${name}${await layout()}.roost`)
  if (!existsSync(kept)) {
    await mkdir(folder, { recursive: true })
    // Another journey may be building the same file.
    for (const old of await readdir(folder))
      if (old.startsWith(name) && !old.startsWith(basename(kept)))
        await rm(join(folder, old), { force: true })
    const made = `${kept}.${process.pid}`
    await run(bench(), ['--file', made, String(rows)])
    await rename(made, kept)
    await rm(`${made}.lock`, { force: true })
  }
  await copyFile(kept, to, constants.COPYFILE_FICLONE)
}

/** Returns the only list of such an account. */
export async function onlyList(call) {
  const { items } = await call('list_page', {
    page_number: 1,
    page_size: 1,
    sort_by: 'name',
    sort_order: 'ASC',
    name: null,
  })
  assert.equal(items.length, 1)
  return items[0].uid
}

/** Counts the contacts of a list that match a filter, in a separate view. */
export async function countOf(call, list, filter) {
  const { view, total, fault } = await openView(call, list, filter)
  await call('grid_close', { view })
  assert.equal(fault ?? null, null)
  return total
}

/** Shows all 24 columns, the numbered one first, the next time the list is opened. */
export async function showEverything(call, list) {
  const order = ['field_2', ...COLUMNS.filter((column) => column !== 'field_2')]
  const shown = { updated_at: false, ...Object.fromEntries(COLUMNS.map((column) => [column, true])) }
  await call('ui_state_put', {
    key: `contacts.grid.${list}`,
    value: { order, widths: {}, shown, frozen: [] },
  })
}

/** Opens the list in the console and returns functions that read and drive it. */
export async function openLong(here, list, rows, options = {}) {
  const page = await here.open({ permissions: ['clipboard-read', 'clipboard-write'], ...options })
  const { tab } = page
  await page.run("location.hash = '#/lists/' + arguments[0]", list)
  const grid = tab.getByRole('grid')
  const press = async (...keys) => {
    for (const key of keys) await tab.keyboard.press(key)
  }
  const dialog = tab.locator('dialog')
  const long = {
    ...page,
    list,
    grid,
    press,
    dialog,
    call: here.call,
    /** A row by its position, counted from zero; it exists only while it is in view. */
    line: (row) => tab.locator(`main .body .line[aria-rowindex="${row + 2}"]:not([hidden])`),
    shows: (row, text) =>
      until(`row ${row} shows ${text}`, async () => {
        const cells = await long.line(row).locator('[role=gridcell]').allTextContents()
        return cells.includes(text)
      }),
    /** Waits until the row is in view and is the correct one. */
    standsAt: (row) => long.shows(row, numberOf(row, rows)),
    counted: (text) =>
      until(
        `there are ${text}`,
        async () => (await page.text('[data-testid=contact-count]')) === text,
        60_000,
      ),
    closed: (ms) => until('the dialog is closed', async () => (await page.count('dialog')) === 0, ms),
    /** Goes to a cell through the dialogs for rows and columns. */
    goTo: async (row, column) => {
      await press('Control+g')
      await dialog.getByLabel('Row number').fill(String(row + 1))
      await press('Enter')
      await long.closed()
      if (column !== undefined) {
        await press('Control+Shift+g')
        await dialog.getByRole('combobox').fill(column)
        await press('Enter')
        await long.closed()
      }
      await until('the grid has the focus', () => page.run("return document.activeElement?.role === 'grid'"))
    },
    done: (text, ms) =>
      until(
        `“${text}” is shown`,
        async () => (await page.texts('[data-testid=toast] .text')).some((shown) => shown.startsWith(text)),
        ms,
      ),
  }
  await long.counted(`${rows.toLocaleString('en-GB')} contacts`)
  await long.standsAt(0)
  await grid.focus()
  return long
}
