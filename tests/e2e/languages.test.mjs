// The program in German and in Arabic: every screen in the language and its direction, without a cut-off text, with its
// numbers and dates; and the choice of the language in the settings.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { consoleForEach, testNeeding } from './support/console.mjs'
import { picture, ROOT, soon, until } from './support/places.mjs'
import { goTo, newestContact, PLACES } from './support/journeys.mjs'
import { layoutFaults } from './support/window/layout.mjs'

const MESSAGES = join(ROOT, 'ui', 'messages')
const here = consoleForEach()

function readMessages(locale) {
  const folder = join(MESSAGES, locale)
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.json'))
  return Object.assign({}, ...names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))))
}
const LANGUAGES = {
  de: { dir: 'ltr', count: '1.234', day: /^\d{2}\.\d{2}\.\d{4}/ },
  ar: { dir: 'rtl', count: '1,234', day: /^\d{1,2}\u200f?\/\d{1,2}\u200f?\/\d{4}/ },
}
const ENGLISH = readMessages('en')

/** Returns the plain texts of English that `locale` translates. */
function translatedTexts(locale) {
  const others = readMessages(locale)
  const plain = Object.entries(ENGLISH).filter(
    ([key, text]) => typeof text === 'string' && !text.includes('{') && others[key] !== text,
  )
  const same = new Set(Object.values(others))
  return plain.map(([, text]) => text).filter((text) => !same.has(text))
}

/** Returns the visible texts that are no data and in the given list, and those that show an invisible character. */
const FOREIGN = `
  const english = new Set(arguments[0])
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode
    if (parentElement.closest('script, style') !== null) continue
    const text = data.trim()
    if (/\\[U\\+20[0-9A-F]{2}\\]/.test(text)) found.push(text)
    if (parentElement.closest('[translate=no]') === null && english.has(text)) found.push(text)
  }
  return found`

/** Returns the buttons whose words are wider than themselves. */
const STICKING_OUT = `
  return [...document.querySelectorAll('button')]
    .filter((button) => button.checkVisibility() && button.scrollWidth > button.clientWidth + 1)
    .filter((button) => getComputedStyle(button).overflowX === 'visible' && getComputedStyle(button).fontSize !== '0px')
    .map((button) => button.textContent.trim())`

const rootOf = (page) => page.run('const { lang, dir } = document.documentElement; return lang + " " + dir')
const homeIs = (page, locale) =>
  until(
    `home is in ${locale}`,
    async () => (await page.text('main h1')) === readMessages(locale).frame_section_overview,
  )

/** Creates two lists of 1,234 contacts together, an opt-out, and a list in the trash. */
async function fill() {
  const { call } = here
  const people = Array.from({ length: 617 }, (_, n) => ({
    phone_number: `+447700900${String(n).padStart(3, '0')}`,
    firstname: 'Ada',
    lastname: 'Baker',
    city: 'Leeds',
  }))
  const lists = []
  for (const name of ['VIP (north) – spring', 'Newsletter']) {
    const { uid } = await call('list_create', { name })
    await call('contact_paste', { list: uid, contacts: people, region: null })
    lists.push(uid)
  }
  await call('opt_out_add', {
    entries: [{ number: '+447700900010', channels: ['SMS'], asset: null }],
    reason: 'Asked by telephone',
    region: null,
  })
  const { uid } = await call('list_create', { name: 'Old newsletter' })
  await call('list_delete', { uid, typed_name: 'Old newsletter' })
  return { list: lists[0], contact: await newestContact(call, lists[0]) }
}

/** Opens the program in a language that the preferences name. */
async function openIn(locale, options) {
  await here.call('preferences_put', { patch: { locale } })
  const page = await here.open(options)
  await until(`the page is in ${locale}`, async () => (await rootOf(page)).startsWith(`${locale} `))
  return page
}

for (const [locale, { dir, count, day }] of Object.entries(LANGUAGES)) {
  test(`every screen is in its language, ${locale}, and has room for it`, async () => {
    const { list, contact } = await fill()
    const page = await openIn(locale)
    const english = translatedTexts(locale)
    await goTo(page, 'overview')
    await homeIs(page, locale)
    assert.equal(await rootOf(page), `${locale} ${dir}`)
    await soon(async () => assert.equal(await page.text('[data-testid=overview-contacts]'), count))
    const faults = []
    for (const place of PLACES(list, contact)) {
      await goTo(page, place)
      await soon(async () => assert.deepEqual(await page.run(FOREIGN, english), [], place))
      assert.deepEqual(await page.run(STICKING_OUT), [], place)
      faults.push(...(await layoutFaults(page)).map((fault) => `${place}: ${fault}`))
    }
    await goTo(page, 'lists')
    await until('the lists are shown', () => page.count('main tbody tr'))
    await page.screenshot(await picture(`language-${locale}`))
    const cells = await page.texts('main tbody tr:first-child :is(td, th)')
    assert.ok(
      cells.some((text) => day.test(text)),
      `one of ${JSON.stringify(cells)} is a day`,
    )
    assert.deepEqual(faults, [])
    assert.deepEqual(page.complaints, [])
  })
}

/** Returns the active column of the grid, and whether its first column is right of its second. */
const GRID = `
  const grid = document.querySelector('main [role=grid]')
  const active = document.getElementById(grid.getAttribute('aria-activedescendant'))
  const [first, second] = [2, 3].map((at) =>
    grid.querySelector('[role=columnheader][aria-colindex="' + at + '"]').getBoundingClientRect().x)
  return { column: Number(active?.getAttribute('aria-colindex')), isFirstRight: first > second }`

test('in Arabic the grid begins at the right, its arrow keys go the way they point, and numbers stay whole', async () => {
  const { list } = await fill()
  const page = await openIn('ar')
  await goTo(page, `lists/${list}`)
  const cell = 'main .body .line:not([hidden]) [aria-colindex="2"]'
  await until('the contacts are there', () => page.count(cell))
  await page.tab.locator(cell).first().click()
  await soon(async () => assert.deepEqual(await page.run(GRID), { column: 2, isFirstRight: true }))
  await page.press('ArrowLeft')
  await soon(async () => assert.equal((await page.run(GRID)).column, 3))
  await page.press('ArrowRight')
  await soon(async () => assert.equal((await page.run(GRID)).column, 2))
  const isLeftToRight = `
    const cell = document.querySelector(arguments[0])
    const range = document.createRange()
    const node = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode()
    const edges = [0, node.data.length - 1].map((at) => {
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      return range.getBoundingClientRect().x
    })
    return node.data.startsWith('+44') && edges[0] < edges[1]`
  assert.equal(await page.run(isLeftToRight, cell), true, 'the plus of a number is at its left')
})

test('the language is chosen in the settings, at once and for good, without losing what is typed', async () => {
  const german = readMessages('de')
  const { list } = await fill()
  const page = await here.open()
  await until('home is shown', async () => (await page.text('main h1')) === ENGLISH.frame_section_overview)
  await goTo(page, `lists/${list}`)
  await page.run('window.neverReloaded = true')
  const typed = 'main search.find input'
  await page.press('Control+f')
  await until('the field for what to find is there', () => page.count(typed))
  await page.tab.keyboard.type('Ada(')
  await page.press('Control+Comma')
  const choice = page.tab.locator('dialog[open] select', {
    has: page.tab.locator('option[value=de]'),
  })
  await choice.waitFor()
  assert.deepEqual(await choice.locator('option').allTextContents(), [
    ENGLISH.frame_language_auto,
    'Deutsch',
    'English',
    'العربية',
  ])
  await choice.selectOption('de')
  await until('the dialog is German', async () =>
    (await page.texts('dialog[open] h2')).includes(german.frame_settings),
  )
  await page.press('Escape')
  await until('the grid is German', async () =>
    (await page.texts('main [role=columnheader] .title')).includes(german.contacts_firstname),
  )
  assert.equal(await page.run('return window.neverReloaded'), true)
  assert.equal(await page.value(typed), 'Ada(')
  await page.click(`main search.find button[aria-label="${german.contacts_find_regex}"]`)
  const [refused] = german.core_regex_invalid.split('{')
  await until('the core’s refusal is German', async () =>
    ((await page.text('#find-fault')) ?? '').startsWith(refused),
  )
  await page.close()
  const again = await here.open()
  await until('it is German again', async () => (await rootOf(again)) === 'de ltr')
})

testNeeding('a second page')('a page is in the language of the computer, if the program has it', async () => {
  for (const [computer, locale] of [
    ['de-AT', 'de'],
    ['ar-EG', 'ar'],
    ['fr-FR', 'en'],
  ]) {
    const page = await here.open({ locale: computer })
    await homeIs(page, locale)
    assert.equal((await rootOf(page)).split(' ')[0], locale)
    await page.close()
  }
})
