// The frame around every screen: each of its keys, undo of exactly its own act, its accessibility and its layout.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { consoleForEach, testNeeding } from '../support/console.mjs'
import { layoutFaults } from '../support/window/layout.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const it = testNeeding('a second page')

async function open(options) {
  const page = await here.open(options)
  await until('the page is there', () => page.count('main h1'))
  return page
}

const heading = (page) => page.text('main h1')
const rows = (page) => page.texts('main tbody th')
const toasts = (page) => page.tab.getByTestId('toast')
const undoOf = (page, text) => toasts(page).filter({ hasText: text }).getByRole('button', { name: 'Undo' })
const sees = (what, ask) => (page) => until(what, () => ask(page))
const at = (title) => sees(`${title} is shown`, async (page) => (await heading(page)) === title)
const pane = (page) =>
  page.run('return document.activeElement.closest("[data-pane]")?.id || document.activeElement.tagName')
const zoom = (value) =>
  sees(
    `everything is ${value} large`,
    async (page) =>
      (await page.run('return document.documentElement.style.getPropertyValue("--zoom")')) === value,
  )
const gone = (css) => sees(`${css} is gone`, async (page) => (await page.count(css)) === 0)
const there = (css) => sees(`${css} is there`, (page) => page.count(css))

async function make(page, name) {
  await page.press('Alt+n')
  await until('the dialog is open', () => page.count('dialog input'))
  await page.fill('dialog input', name)
  await page.press('Enter')
  await until('the list is there', async () => (await rows(page)).includes(name))
}

/** Every key of the frame, in an order in which each has an effect. In a browser, Alt replaces Ctrl in chords that
 *  the browser reserves. */
const KEYS = [
  ['Alt+3', at('Custom fields')],
  ['Alt+4', at('Opt-outs')],
  ['Alt+5', at('Short links')],
  ['Alt+6', at('Senders and numbers')],
  ['Alt+7', at('Sync')],
  ['Alt+8', at('Local server')],
  ['Alt+9', at('Activity')],
  ['Alt+1', at('Home')],
  ['Alt+2', at('Lists')],
  ['Control+s', at('Sync')],
  ['Control+Shift+K', there('[role=menu]')],
  ['Escape', gone('[role=menu]')],
  ['Alt+1', at('Home')],
  ['Alt+2', at('Lists')],
  ['Control+BracketLeft', at('Home')],
  ['Control+BracketRight', at('Lists')],
  ['Control+k', there('dialog[open] [role=combobox][placeholder^=Search]')],
  ['Escape', gone('dialog')],
  ['Control+Shift+p', there('dialog[open] [role=combobox][placeholder^="Type a command"]')],
  ['Escape', gone('dialog')],
  ['F1', there('[data-testid=keys]')],
  ['Escape', gone('dialog')],
  ['Shift+F1', there('[data-testid=guide]')],
  ['Control+BracketLeft', at('Lists')],
  ['Control+Comma', there('dialog[open] [type=radio]')],
  ['Escape', gone('dialog')],
  ['Alt+n', there('dialog[open] input')],
  ['Escape', gone('dialog')],
  ['Control+z', sees('the list is gone', async (page) => !(await rows(page)).includes('Newsletter'))],
  ['Control+Shift+z', sees('the list is back', async (page) => (await rows(page)).includes('Newsletter'))],
  ['Control+z', sees('the list is gone', async (page) => !(await rows(page)).includes('Newsletter'))],
  ['Control+y', sees('the list is back', async (page) => (await rows(page)).includes('Newsletter'))],
  ['Control+b', gone('#sidebar')],
  ['Control+b', there('#sidebar')],
  ['Control+j', there('section[aria-label="Running tasks"]')],
  ['Escape', gone('section[aria-label="Running tasks"]')],
  ['Control+Equal', zoom('1.1')],
  ['Control+Minus', zoom('1')],
  ['Control+Minus', zoom('0.9')],
  ['Control+0', zoom('1')],
  ['Control+Shift+f', at('Search')],
]

test('every key of the frame does what it says', async () => {
  const page = await open()
  await page.press('Alt+2')
  await at('Lists')(page)
  await make(page, 'Newsletter')
  await page.press('Alt+1')
  await at('Home')(page)
  for (const [key, see] of KEYS) {
    await page.press(key)
    await see(page).catch((error) => assert.fail(`${key}: ${error.message}`))
  }
})

test('F6 walks through the panes, Ctrl+Backslash hides the panel, Esc closes what it shows', async () => {
  const page = await open()
  await page.press('Alt+2')
  await at('Lists')(page)
  await make(page, 'Newsletter')
  await page.tab.locator('main tbody tr').first().click()
  await there('#panel')(page)
  const walked = [await pane(page)]
  for (let n = 0; n < 5; n += 1) {
    await page.press('F6')
    const next = async () => {
      const now = await pane(page)
      return now !== walked.at(-1) && now
    }
    walked.push(await until('the next pane', next))
  }
  assert.deepEqual(new Set(walked).size, 5, `five panes in ${walked}`)
  await page.press('Shift+F6')
  await soon(async () => assert.equal(await pane(page), walked[4]))
  await page.press('Control+Backslash')
  await gone('#panel')(page)
  await page.press('Control+Backslash')
  await there('#panel')(page)
  await page.press('Escape')
  await gone('#panel')(page)
})

it('a message takes back its own act, and only while that is the last one', async () => {
  const page = await open()
  await page.press('Alt+2')
  await at('Lists')(page)
  await make(page, 'First')
  await until('the first can be taken back', () => undoOf(page, '“First”').count())
  await make(page, 'Second')
  await until('the second can be taken back', () => undoOf(page, '“Second”').count())
  await soon(async () => assert.equal(await undoOf(page, '“First”').count(), 0, 'another act came after it'))
  // A toast under the pointer stays, however long the other page takes.
  await toasts(page).filter({ hasText: '“Second”' }).hover()
  const stranger = await here.open()
  await until('the other page is there', () => stranger.count('main h1'))
  await stranger.press('Alt+2')
  await at('Lists')(stranger)
  await make(stranger, 'Of another page')
  await until('the second is no longer the last', async () => (await undoOf(page, '“Second”').count()) === 0)
  await stranger.press('Control+z')
  await until('and is the last again', () => undoOf(page, '“Second”').count())
  await undoOf(page, '“Second”').click()
  await until('it is gone, on this screen too', async () => (await rows(page)).join() === 'First')
  await until('and on the other page', async () => (await rows(stranger)).join() === 'First')
  assert.deepEqual(page.complaints, [])
})

/** Returns the texts of the controls in the status bar that overlap another one. */
const OVERLAPS = `
  const all = [...document.querySelectorAll(
    'footer :is(a, button, .text, .account, [data-testid=selection], [data-testid=transport])')]
  const boxes = all.map((one) => one.getBoundingClientRect()).toSorted((a, b) => a.left - b.left)
  return boxes.flatMap((box, at) => {
    const before = boxes.slice(0, at).find(({ width, right, bottom, top }) =>
      width > 0 && box.width > 0 && right > box.left + 1 && bottom > box.top && top < box.bottom)
    return before === undefined ? [] : [[before.left, before.right, box.left].join(' ')]
  })`

test('messages are few, cover nothing, and stay while they are pointed at', async () => {
  const page = await open()
  await page.press('Alt+2')
  await at('Lists')(page)
  for (const name of ['First', 'Second', 'Third', `A name of many words ${'and more '.repeat(10)}`.trim()])
    await make(page, name)
  await soon(async () => assert.ok((await toasts(page).count()) <= 2))
  await page.tab.locator('main tbody tr').first().click()
  await there('#panel')(page)
  await toasts(page).first().hover()
  await soon(async () => {
    const [bar, top, bottom] = await page.run(`
    const box = (css) => document.querySelector(css).getBoundingClientRect()
    const messages = box('section[aria-label=Messages]')
    return [box('footer').top, messages.top, innerHeight - messages.bottom]`)
    assert.ok(top >= bar && bottom >= 0, `the bar begins at ${bar}, the messages at ${top}`)
  })
  assert.deepEqual(await layoutFaults(page), [])
  // The window is never narrower than 900.
  await page.tab.setViewportSize({ width: page.tab.kind === 'window' ? 900 : 760, height: 700 })
  await soon(async () => assert.deepEqual(await page.run(OVERLAPS), []))
})

test('the guide is opened by its name, searched, and read from page to page', async () => {
  const page = await open()
  await page.press('Control+k')
  await page.fill('dialog input', 'guide')
  await until('it is found', async () => (await page.text('dialog [role=option]')).startsWith('Guide'))
  await page.press('Enter')
  await at('Account manager’s guide')(page)
  await until('its sections are there', () => page.count('article h2'))
  for (const colorScheme of ['light', 'dark']) {
    await page.tab.emulateMedia?.({ colorScheme })
    await seeAccessible(page, `the guide, ${colorScheme}`)
  }
  assert.deepEqual(await layoutFaults(page), [])
  await page.fill('[data-testid=guide] input', 'rehearsal row')
  await until('something is found', () => page.count('[data-testid=guide] mark'))
  await seeAccessible(page, 'results')
  await page.fill('[data-testid=guide] input', 'remove opt-out')
  const hit = page.tab
    .locator('[data-testid=guide] section a')
    .filter({ hasText: 'Remove an opt-out' })
    .first()
  await hit.waitFor()
  await hit.click()
  await until('its section has the focus', async () =>
    page.run('return document.activeElement.textContent === "Remove an opt-out"'),
  )
  await until('and is in view', () =>
    page.run('return document.activeElement.getBoundingClientRect().top < innerHeight / 2'),
  )
  await page.tab.locator('article a[href="#/guide/importing"]').click()
  await at('Importing files')(page)
  await page.press('Control+BracketLeft')
  await at('Account manager’s guide')(page)
  await page.run('location.hash = "#/guide/nowhere"')
  await until('a wrong address is explained', async () =>
    /does not exist/.test(await page.text('[data-testid=guide]')),
  )
  assert.deepEqual(page.complaints, [])
})

test('the frame, its dialogs, the account menu and the search are accessible', async () => {
  // Opened before any route is stored that the page would restore.
  const fresh = await open()
  await there('[data-testid=count-lists]')(fresh)
  await matchAria(fresh, 'frame/sidebar', '#sidebar')
  await matchAria(fresh, 'frame/top', 'header[data-pane]')
  await fresh.close()
  for (const colorScheme of ['light', 'dark']) {
    const page = await open({ colorScheme })
    await page.press('Alt+2')
    await at('Lists')(page)
    if ((await rows(page)).length === 0) await make(page, 'Newsletter')
    await seeAccessible(page, `the frame, ${colorScheme}`)
    for (const [what, show] of [
      ['palette', () => page.press('Control+k')],
      ['keys', () => page.press('F1')],
      ['settings', () => page.press('Control+Comma')],
    ]) {
      await show()
      await there('dialog[open]')(page)
      await seeAccessible(page, `${what}, ${colorScheme}`)
      if (colorScheme === 'light' && what !== 'palette') await matchAria(page, `frame/${what}`, 'dialog')
      await page.press('Escape')
      await gone('dialog')(page)
    }
    await page.click('#sidebar button[aria-haspopup=menu]')
    await there('[role=menu]')(page)
    await seeAccessible(page, `the account switch, ${colorScheme}`)
    await page.press('Escape')
    await gone('[role=menu]')(page)
    await page.press('Control+Shift+f')
    await at('Search')(page)
    await page.tab.getByRole('searchbox').fill('News')
    await until('it is found', async () =>
      (await page.texts('main a')).some((text) => text.includes('Newsletter')),
    )
    await seeAccessible(page, `the search, ${colorScheme}`)
    await page.close()
  }
})

test('the frame fits a small window, large text, forced colours and more contrast', async () => {
  for (const [what, options, large] of [
    ['the smallest window', { viewport: { width: 900, height: 600 } }, false],
    ['text twice as large', {}, true],
    ['forced colours', { forcedColors: 'active' }, false],
    ['more contrast', { contrast: 'more' }, false],
  ]) {
    const page = await open(options)
    if (large) {
      for (let n = 0; n < 6; n += 1) await page.press('Control+Equal')
      await zoom('2')(page)
    }
    await page.press('Alt+2')
    await at('Lists')(page)
    if ((await rows(page)).length === 0) await make(page, 'Newsletter')
    // The window opens at its last place, where the details may cover the rows.
    if ((await page.count('#panel')) === 0) await page.tab.locator('main tbody tr').first().click()
    await there('#panel')(page)
    await soon(async () => {
      const beyond = await page.run(`
      const out = ({ left, right, top, bottom }) =>
        left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1
      return [...document.querySelectorAll('[data-pane], header[data-pane] button, #sidebar > button')]
        .filter((one) => out(one.getBoundingClientRect()))
        .map((one) => one.outerHTML.slice(0, 80))`)
      assert.deepEqual(beyond, [], what)
    })
    await seeAccessible(page, what)
    await page.press('Control+0')
    await page.close()
  }
})

test('a button that has its menu open has no tooltip to cover it', async () => {
  const page = await open()
  await page.press('Alt+2')
  await at('Lists')(page)
  await make(page, 'Newsletter')
  const buttons = page.tab.locator('button[aria-haspopup=menu]')
  await soon(async () => assert.ok((await buttons.count()) > 1))
  for (let n = 0; n < (await buttons.count()); n += 1) {
    const button = buttons.nth(n)
    assert.notEqual(await button.getAttribute('title'), null)
    await button.click()
    await there('[role=menu]')(page)
    await soon(async () => assert.equal(await button.getAttribute('title'), null))
    await page.press('Escape')
    await gone('[role=menu]')(page)
  }
})

test('the keys are searched by name and by key, and their ring of focus is whole', async () => {
  const page = await open({ viewport: { width: 1280, height: 600 } })
  await page.press('F1')
  const terms = () => page.texts('[data-testid=keys] dt')
  await soon(async () => assert.ok((await terms()).length > 10))
  const cut = await page.run(`
    const ring = document.querySelector('[data-testid=keys]')
    const view = ring.closest('.body').getBoundingClientRect()
    const { top, bottom } = ring.getBoundingClientRect()
    return top < view.top || bottom > view.bottom`)
  assert.equal(cut, false)
  await page.tab.keyboard.type('short links')
  await soon(async () => assert.deepEqual(await terms(), ['Short links']))
  await page.tab.getByRole('searchbox', { name: 'Search the keys' }).fill('ctrl+k')
  await soon(async () => assert.ok((await terms()).length > 0))
  await page.tab.getByRole('searchbox', { name: 'Search the keys' }).fill('no such key')
  await page.tab.getByText('No key matches.').waitFor()
  await seeAccessible(page, 'no key matches')
})

test('the palette leads to all results', async () => {
  const page = await open()
  await page.press('Alt+2')
  await at('Lists')(page)
  await make(page, 'Newsletter')
  await page.press('Control+k')
  await page.tab.keyboard.type('newsl')
  await page.tab.getByRole('option', { name: 'Show all results for “newsl”' }).click()
  await at('Search')(page)
  await until('they are shown', async () => (await page.texts('main li .title')).includes('Newsletter'))
})
