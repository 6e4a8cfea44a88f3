// The real window, on its own screen with its own account.
import assert from 'node:assert/strict'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import {
  begin,
  createList,
  fillLabelled,
  goHome,
  names,
  overviewCount,
  pressButton,
  refuseBadNames,
  seeFault,
  seeFreshAccount,
  seeOverview,
  sortAndFilter,
} from '../support/journeys.mjs'
import { britishNumbers } from '../support/sheets.mjs'
import { ownFolder, picture, ROOT, sleep, soon, until } from '../support/places.mjs'
import { startScreen } from '../support/processes.mjs'
import { openWindow } from '../support/window/open.mjs'
import { chooseFirstHelpItem, chooseLastMenuItem } from '../support/window/screen.mjs'

const BIRDS = '🐦'.repeat(30)
let screen
let folder
let open

before(async () => (screen = await startScreen()))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  open = []
})
afterEach(async () => {
  for (const page of open) await page.close()
  await folder.remove()
})

async function window(env = {}) {
  const page = await openWindow({
    display: screen.display,
    folder: folder.path,
    env,
  })
  open.push(page)
  return page
}

async function close(page) {
  open = open.filter((other) => other !== page)
  await page.close()
}

test('a fresh account is shown, and a list made in the window is there after a restart', async () => {
  const first = await window()
  await begin(first)
  await seeFreshAccount(first)
  await createList(first, 'Newsletter', 1)
  await createList(first, 'é'.repeat(120), 2)
  await createList(first, `Birds ${BIRDS}`, 3)
  await soon(async () => assert.equal(await first.text('[data-testid=transport]'), 'This computer'))
  await refuseBadNames(first)
  await sortAndFilter(first)
  await first.screenshot(await picture('window'))
  await close(first)

  const second = await window()
  await goHome(second)
  await soon(async () => assert.equal(await overviewCount(second, 'lists'), '3'))
  await second.press('Control+2')
  await until('the lists are there', async () => (await names(second)).includes('é'.repeat(120)))
  assert.deepEqual(
    (await readdir(join(folder.path, 'account'))).some((name) => name.endsWith('.roost')),
    true,
  )
})

const toasts = (page) => page.texts('[data-testid=toast] .text')
const done = (page, text) =>
  until(`“${text}” is shown`, async () => (await toasts(page)).some((shown) => shown.startsWith(text)))
const heading = (page, title) =>
  until(`${title} is shown`, async () => (await page.text('main h1')) === title)
const keys = (page, css) => page.count(`${css} tbody tr[data-key]`)

const ROW = 'main [role=grid] .body .line:not([hidden])'

async function onFirstRow(page, key) {
  await page.run('document.querySelector("main tbody tr").focus()')
  await page.press(key)
}

async function openList(page) {
  await page.click('#sidebar a[href="#/lists"]')
  await heading(page, 'Lists')
  await until('the list is there', async () => (await names(page)).includes('Newsletter'))
  await onFirstRow(page, 'Enter')
  await heading(page, 'Newsletter')
}

/** Returns what the core has stored under a key for a restart. */
const kept = async (page, key) => (await page.call('ui_state_get', { keys: [key] })).values[key]

test('a list, a contact, an opt-out and a link are made, one act is undone, and a restart finds the rest', async () => {
  const first = await window()
  await begin(first)
  await seeFreshAccount(first)
  await createList(first, 'Newsletter', 1)
  await openList(first)

  await first.press('Control+n')
  await until('the record is open', () => first.count('[name=phone_number]'))
  await fillLabelled(first, 'phone_number', '+447700900001')
  await fillLabelled(first, 'firstname', 'Ada')
  await first.press('Enter')
  await until('the contact is there', () => first.count(ROW))
  await until('its record is shown', () => first.count('[data-testid=contact-optouts]'))
  await first.press('Control+Shift+o')
  await until('the reason is asked', () => first.count('dialog[open]'))
  await fillLabelled(first, 'Reason', 'Asked on the phone')
  await first.click('dialog button[type=submit]')
  await until('it is opted out', async () =>
    (await first.text('[data-testid=contact-optouts]')).includes('Opted out'),
  )

  await first.press('Control+5')
  await heading(first, 'Short links')
  for (const title of ['Spring sale', 'A mistake']) {
    await first.press('Control+n')
    await until('the dialog is open', () => first.count('dialog[open]'))
    await fillLabelled(first, 'Title', title)
    await fillLabelled(first, 'Target', `https://shop.example/${title.length}`)
    await first.click('dialog button[type=submit]')
    await until(`${title} is there`, async () => (await first.texts('main tbody tr')).join().includes(title))
    await first.press('Escape')
    await until('the dialog is closed', async () => (await first.count('dialog')) === 0)
  }
  await first.press('Control+z')
  await done(first, 'Undone')
  await until('the mistake is gone', async () => (await keys(first, 'main')) === 1)
  await first.press('Control+2')
  await heading(first, 'Lists')
  await onFirstRow(first, 'Home')
  await until('the list is chosen', () => first.count('main tr[aria-selected=true]'))
  await first.screenshot(await picture('window-journey'))
  await until('the choice is kept', async () => {
    const choice = await kept(first, 'frame.selection')
    return choice?.place === '#/lists' && choice.keys.length === 1
  })
  await close(first)

  const second = await window()
  await heading(second, 'Lists')
  await until('the list is chosen again', () => second.count('main tr[aria-selected=true]'))
  await until('and shown in the panel', async () => (await second.text('#panel h2')) === 'Newsletter')
  await openList(second)
  await until('the contact is still opted out', () => second.count(`${ROW} [aria-description*=SMS]`))
  await second.press('Control+5')
  await until('the link is there', async () =>
    (await second.texts('main tbody tr')).join().includes('Spring sale'),
  )
  await soon(async () => assert.equal(await keys(second, 'main'), 1))
  await second.press('Control+Shift+z')
  await until(
    'what was undone before the restart is done again',
    async () => (await keys(second, 'main')) === 2,
  )
})

test('the welcome proposes the country of the computer, and pasted numbers are read in it', async () => {
  const page = await window({ LC_ALL: 'en_GB.UTF-8' })
  await until(
    'the country is proposed',
    async () => (await page.value('[data-testid=welcome] select')) === 'GB',
  )
  await page.screenshot(await picture('window-welcome-country'))
  await begin(page)
  await seeFreshAccount(page)
  await createList(page, 'Newsletter', 1)
  await openList(page)
  await until('the empty list is there', async () =>
    (await page.texts('main h2')).includes('No contacts yet'),
  )
  const paste =
    "[...document.querySelectorAll('main button')].find((one) => /^Paste/.test(one.textContent.trim()))"
  await page.run(`${paste}.click()`)
  await until('the dialog is open', () => page.count('dialog[open] textarea'))
  await fillLabelled(page, 'Rows', ['Mobile', ...britishNumbers(300)].join('\n'))
  const act = () => page.text('dialog[open] button[type=submit]')
  await until('all are taken', async () => (await act()) === 'Add 300 contacts')
  await soon(async () => assert.equal(await page.value('dialog[open] select'), 'GB'))
  await page.screenshot(await picture('window-paste-country'))
  await page.click('dialog[open] button[type=submit]')
  await until(
    'they are there',
    async () => (await page.text('[data-testid=contact-count]')) === '300 contacts',
  )
})

test('a second window on the same account says so, and opens it when the first has closed', async () => {
  const first = await window()
  await begin(first)
  await seeFreshAccount(first)
  await createList(first, 'Newsletter', 1)
  const second = await window()
  await seeFault(second, 'locked')
  await second.screenshot(await picture('window-locked'))
  await second.click('main button')
  await until('it tried again', async () => (await second.text('main button')) === 'Try again')
  await seeFault(second, 'locked')
  await close(first)
  await second.click('main button')
  await seeOverview(second)
  await soon(async () => assert.equal(await overviewCount(second, 'lists'), '1'))
  await createList(second, 'Made after the wait', 2)
})

test('a damaged account is left in its place until the person begins an empty one', async () => {
  await mkdir(join(folder.path, 'account'))
  const whole = await readFile(join(ROOT, 'tests/fixtures/accounts/v5.roost'))
  await writeFile(join(folder.path, 'account', 'account.roost'), whole.subarray(0, whole.length / 2))
  const page = await window()
  await seeFault(page, 'corrupt')
  await page.screenshot(await picture('window-corrupt'))
  const beside = () => readdir(join(folder.path, 'account'))
  const isAside = (name) => /^account\.roost\.damaged-\d/.test(name)
  assert.ok(!(await beside()).some(isAside), `set aside in ${await beside()}`)
  await pressButton(page, 'Start with an empty account…')
  await until('it is asked', () => page.count('dialog[open]'))
  assert.ok(!(await beside()).some(isAside), `set aside in ${await beside()}`)
  await pressButton(page, 'Start empty')
  await seeFreshAccount(page)
  assert.ok((await beside()).some(isAside), `not set aside in ${await beside()}`)
})

test('the menus change with the screen without a warning of the toolkit', async () => {
  let written = ''
  await mkdir(join(folder.path, 'account'))
  const page = await openWindow({
    display: screen.display,
    folder: folder.path,
    hear: (more) => (written += more),
  })
  open.push(page)
  await begin(page)
  const { uid } = await page.call('list_create', { name: 'Spring' })
  for (const place of ['#/lists', `#/lists/${uid}`, '#/optouts', '#/sync', '#/overview', `#/lists/${uid}`]) {
    await page.run('location.hash = arguments[0]', place)
    await until(`${place} is shown`, () => page.count('main :is(h1, h2)'))
    // The menus are redrawn a moment later.
    await sleep(700)
  }
  // A reloaded page has the same menu bar, so nothing moves under the pointer.
  const height = await page.run('return innerHeight')
  await page.tab.reload()
  await page.run(
    'window.heights = new Set([innerHeight]); addEventListener("resize", () => heights.add(innerHeight))',
  )
  await until('the list is shown again', () => page.count('main [role=grid], main h2'))
  await sleep(700)
  assert.deepEqual(await page.run('return [...heights]'), [height])
  assert.deepEqual(
    written.split('\n').filter((line) => /accelerator/.test(line)),
    [],
  )
})

test('a chosen menu item acts in its own window, also after the page was loaded again', async () => {
  await mkdir(join(folder.path, 'account'))
  const page = await openWindow({ display: screen.display, folder: folder.path })
  open.push(page)
  await begin(page)
  const about = page.tab.getByRole('dialog', { name: 'About Roost' })
  for (const time of ['the first time', 'after a reload']) {
    await until(`the menus are drawn ${time}`, () => page.count('main h1, main h2'))
    await sleep(700)
    await chooseLastMenuItem(screen, () => about.isVisible())
    await page.tab.keyboard.press('Escape')
    await page.tab.reload()
  }
  await until('the menus are drawn again', () => page.count('main h1, main h2'))
  await sleep(700)
  await chooseFirstHelpItem(screen, () => page.count('[data-testid=guide] article h2'))
})

const CITY = '[data-testid=contact-record] [name=city]'
const CLOSE = `window.__TAURI_INTERNALS__.invoke('plugin:window|close', { label: 'main' })`

/** Opens a window with a list of one contact, into whose record a city was typed. */
async function withUnsavedText() {
  await mkdir(join(folder.path, 'account'))
  const page = await window()
  await begin(page)
  const { uid } = await page.call('list_create', { name: 'Spring' })
  const contacts = [{ phone_number: '+447700900010', firstname: 'Ann', lastname: 'Lee' }]
  await page.call('contact_paste', { list: uid, contacts, region: null })
  await page.run('location.hash = arguments[0]', `#/lists/${uid}`)
  await until('the rows have the keys', () =>
    page.run(`return document.activeElement?.getAttribute('role') === 'grid'`),
  )
  await page.press('F4')
  await until('the record is shown', () => page.count(CITY))
  await page.fill(CITY, 'Leeds')
  const button = page.tab.locator('dialog[open]')
  return {
    page,
    asked: () => until('it is asked', () => page.count('[data-testid=unsaved]')),
    async keep() {
      await button.getByRole('button', { name: 'Keep editing' }).click()
      await until('the question is gone', async () => (await page.count('dialog[open]')) === 0)
      assert.equal(await page.value(CITY), 'Leeds')
    },
  }
}
const isOver = (page) =>
  until('the program has ended', async () =>
    page.count('body').then(
      () => false,
      () => true,
    ),
  )

test('quitting and closing ask first where a record has unsaved text, and can be taken back', async () => {
  const { page, asked, keep } = await withUnsavedText()
  await page.press('Control+q')
  await asked()
  assert.match(await page.text('dialog[open]'), /1 record has unsaved text/)
  assert.deepEqual(await page.texts('[data-testid=unsaved] li'), ['Ann Lee'])
  await page.screenshot(await picture('window-unsaved'))
  await keep()
  await page.run(CLOSE)
  await asked()
  await keep()
  await page.press('Control+q')
  await asked()
  // The window closes before the driver could report the click.
  await page.run(`setTimeout(() => document.querySelector('dialog[open] button.danger').click(), 50)`)
  await isOver(page)
})

test('a window with nothing to lose closes at once', async () => {
  const page = await window()
  await begin(page)
  await page.run(`setTimeout(() => ${CLOSE}, 50)`)
  await isOver(page)
})

test('another account is opened only after the question', async () => {
  const { page, asked, keep } = await withUnsavedText()
  const { account } = await page.call('overview_get')
  await page.call('account_duplicate', { path: account.path, name: 'Second' })
  await page.press('Control+Shift+k')
  await page.tab.getByRole('menuitemcheckbox', { name: /Second/ }).click()
  await asked()
  await keep()
  assert.equal((await page.call('overview_get')).account.path, account.path)
})
