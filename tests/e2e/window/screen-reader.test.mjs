// What a screen reader gets from the real window: the grid of contacts, what opens over it, and every screen.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { begin, createEveryRecord, goTo, newestContact, PLACES } from '../support/journeys.mjs'
import { COLUMNS, longList, numberOf, onlyList, showEverything, uidOf } from '../support/long-list.mjs'
import { ownFolder, soon, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { connect, listThere, pull, startService, upload } from '../support/service.mjs'
import { openWindow } from '../support/window/open.mjs'
import { startScreenReader, withChildren } from '../support/window/screen-reader.mjs'

const ROWS = 5_000
const LAST = ROWS - 1

let screen
let folder
let reader
let page
let service

before(async () => (screen = await startScreen('1600x900')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  await mkdir(join(folder.path, 'account'))
  reader = await startScreenReader({ display: screen.display, folder: folder.path })
})
afterEach(async () => {
  await page?.close()
  await service?.cut()
  page = service = undefined
  await reader?.stop()
  await folder.remove()
})

async function open() {
  const opened = await openWindow({ display: screen.display, folder: folder.path, env: reader.env })
  page = { ...opened, press: opened.tab.keyboard.press, rest: opened.tab.rest }
}

const has = (state) => (one) => one.states.includes(state)
const byRole = (all, role) => all.filter((one) => one.role === role)
/** Returns the only object with this role. */
async function only(role) {
  const found = byRole(await reader.readPage(), role)
  assert.equal(found.length, 1, `one ${role}, not ${found.map(({ name }) => `“${name}”`).join(', ')}`)
  return found[0]
}

const seeRow = (row) =>
  until(`row ${row} is loaded`, async () =>
    (await page.texts('main .body [role=gridcell]')).includes(numberOf(row, ROWS)),
  )

/** Opens a long list with all its columns and focuses its grid. */
async function openGrid() {
  await longList(join(folder.path, 'account', 'account.roost'), ROWS)
  await open()
  await until('the account is open', () => page.count('#sidebar'))
  const list = await onlyList(page.call)
  await showEverything(page.call, list)
  await page.run('location.hash = arguments[0]', `#/lists/${list}`)
  await seeRow(0)
  await page.run("document.querySelector('[role=grid]').focus()")
}

/** What a screen reader says about a cell. */
const said = ({ role, text, headings, attributes }) => ({
  role,
  text,
  headings,
  at: [attributes.rowindex, attributes.colindex],
})
const cell = (text, heading, row, column) => ({
  role: 'table cell',
  text,
  headings: [heading],
  // The first row has the headings, and the first column the numbers of the rows.
  at: [String(row + 2), String(column + 1)],
})

test('the grid: its name, the size of the whole list, its headings, the focused cell and the selection', async () => {
  await openGrid()
  const focus = await reader.followFocus()
  const seeFocused = async (wanted) => {
    await soon(async () => {
      assert.deepEqual(said(focus()), wanted)
      const focused = byRole(await reader.readPage(), 'table cell').filter(has('focused'))
      assert.deepEqual(focused.map(said), [wanted])
      assert.ok(focused.every(has('selected')))
    })
  }
  const selected = async () =>
    byRole(await reader.readPage(), 'table cell')
      .filter(has('selected'))
      .map(({ text }) => text)

  const grid = await only('table')
  const titles = ['No.', ...(await page.texts('main [role=columnheader] .title'))]
  assert.match(grid.name, /^Contacts of ./)
  assert.equal(grid.attributes.rowcount, String(ROWS + 1))
  assert.equal(grid.attributes.colcount, String(COLUMNS.length + 1))
  assert.ok(has('multiselectable')(grid))
  const all = await reader.readPage()
  assert.ok(byRole(all, 'table row').length < ROWS / 10)
  assert.deepEqual(
    byRole(all, 'column header').map(({ name }) => name),
    titles,
  )

  await page.press('ArrowDown')
  await seeFocused(cell(numberOf(1, ROWS), titles[1], 1, 1))
  await page.press('ArrowRight')
  const { phone_number } = (await page.call('contact_get', { uid: uidOf(1, ROWS) })).values
  await seeFocused(cell(phone_number, 'Phone number', 1, 2))
  await page.press('ArrowLeft')
  await page.press('Shift+ArrowDown')
  await soon(async () => assert.deepEqual(await selected(), [numberOf(1, ROWS), numberOf(2, ROWS)]))
  await page.press('Control+End')
  // The focus moves before the row is loaded, and then a screen reader gets no text.
  await seeRow(LAST)
  await page.press('Home')
  await seeFocused(cell(numberOf(LAST, ROWS), titles[1], LAST, 1))

  await page.press('ArrowRight')
  await page.press('F2')
  await soon(async () => {
    const field = byRole(await reader.readPage(), 'entry').find(has('focused'))
    assert.equal(field.name, 'Phone number, row 5,000')
  })
  await page.press('Control+a')
  await page.type('12')
  await page.press('Enter')
  await soon(async () => {
    const invalid = byRole(await reader.readPage(), 'table cell').filter(has('invalid-entry'))
    assert.deepEqual(
      invalid.map(({ text }) => text),
      ['12'],
    )
  })
})

test('the menu of a column, a dialog, the palette and a message each have a role, a name and the focus', async () => {
  await openGrid()
  const focus = await reader.followFocus()
  const seeFocus = (role, name) => soon(() => assert.deepEqual([focus().role, focus().name], [role, name]))
  const seeClosed = (role) => soon(async () => assert.deepEqual(byRole(await reader.readPage(), role), []))

  await page.press('Alt+ArrowDown')
  await soon(async () => assert.equal((await only('menu')).name, 'Menu of the column “Field 2”'))
  const items = byRole(await reader.readPage(), 'menu item')
  assert.ok(items.length > 3 && items.every(({ name }) => name !== ''))
  await seeFocus('menu item', items[0].name)
  await page.press('Escape')
  await seeClosed('menu')
  await seeFocus('table', (await only('table')).name)

  await page.press('Control+g')
  await soon(async () => assert.equal((await only('dialog')).name, 'Go to a row'))
  assert.ok(has('modal')(await only('dialog')))
  await seeFocus('entry', 'Row number')
  await page.press('Escape')
  await seeClosed('dialog')

  await page.press('Control+k')
  await soon(async () => assert.equal((await only('dialog')).name, 'Search and commands'))
  await seeFocus('combo box', 'Search and commands')
  await page.press('ArrowDown')
  const options = byRole(await reader.readPage(), 'list item').filter(has('selected'))
  assert.deepEqual([options.length, options[0]?.name !== ''], [1, true])
  await seeFocus('list item', options[0].name)
  await page.press('Escape')
  await seeClosed('dialog')

  // WebKitGTK tells a screen reader nothing when the text of a live region changes, so only the region is read.
  await page.press('Control+Backspace')
  await soon(async () => {
    const live = (await reader.readPage()).filter(({ attributes }) => attributes.live === 'polite')
    const message = live.find(({ text }) => text === 'Deleted 1 contact.')
    assert.deepEqual([message?.role, message?.attributes.atomic], ['status bar', 'true'])
  })
})

/** Objects whose text is read instead of a name. */
const READ_BY_TEXT = new Set(['table cell', 'column header', 'list item'])

/** Returns a sentence for each thing that a screen reader lacks on a screen. */
function faultsOf([top, ...all], title) {
  const faults = []
  if (top.name !== title) faults.push(`the page is “${top.name}”, not “${title}”`)
  const landmarks = byRole(all, 'landmark')
  const mains = landmarks.filter(({ attributes }) => attributes['xml-roles'] === 'main')
  if (mains.length !== 1) faults.push(`${mains.length} main landmarks`)
  const headings = mains.flatMap(withChildren).filter(({ role }) => role === 'heading')
  if (headings.filter(({ attributes, name }) => attributes.level === '1' && name !== '').length !== 1)
    faults.push('not one heading of the first level')
  const ways = landmarks.filter(({ attributes }) => attributes['xml-roles'] === 'navigation')
  if (new Set(ways.map(({ name }) => name)).size !== ways.length) faults.push('two navigations of one name')
  for (const one of all) {
    const { role, name, text, attributes } = one
    const isNamed = name !== '' || (READ_BY_TEXT.has(role) && text !== '')
    const what = `${role} <${attributes.tag}> ${attributes.id ?? attributes.class ?? ''} “${text.slice(0, 40)}”`
    if (!has('focusable')(one) && !['column header', 'heading'].includes(role)) continue
    // The main landmark needs no name, because there is only one.
    if (!isNamed && !mains.includes(one)) faults.push(`no name: ${what}`)
    // WebKitGTK has no role for the summary of details.
    if (role === 'unknown' && attributes.tag !== 'summary') faults.push(`no role: ${what}`)
  }
  return faults
}

/** Connects the account to a service, and changes a contact on both sides, so that the screens of the sync have rows. */
async function createConflict() {
  service = await startService(folder.path)
  const change = { fields: { city: 'Bristol' }, region: null }
  const contact = { phone_number: '+447700900050', city: 'York' }
  const list = await listThere(service, 'Autumn', [contact])
  await connect(page.call, service)
  await pull(page.call)
  await page.call('contact_update', { uid: await newestContact(page.call, list), ...change })
  await upload(service, list, [{ ...contact, city: 'Bath' }])
  await pull(page.call)
  await page.call('plan_make')
}

test('every screen has a title, landmarks and a heading, and each object that takes the focus a role and a name', async () => {
  await open()
  await begin(page)
  const { list, contact } = await createEveryRecord(page.call)
  await createConflict()
  const faults = []
  for (const place of PLACES(list, contact)) {
    await goTo(page, place)
    const read = async () => faultsOf(await reader.readPage(), await page.title())
    // A table may still be loading.
    await soon(async () => assert.deepEqual(await read(), []), 2_000).catch(async () =>
      faults.push(...(await read()).map((fault) => `${place}: ${fault}`)),
    )
  }
  const menus = (await reader.readWindow()).filter(({ role }) => ['menu', 'menu item'].includes(role))
  assert.ok(menus.length > 20)
  faults.push(...menus.filter(({ name }) => name === '').map(({ role }) => `a ${role} without a name`))
  assert.deepEqual(faults, [])
})
