// A printed sheet of codes in Chromium: the content on paper, the number of pages, and the codes that are excluded.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../../support/a11y.mjs'
import { keeps } from '../../support/commands.mjs'
import { consoleForEach } from '../../support/console.mjs'
import { ROOT, soon, until } from '../../support/places.mjs'

const jsQR = createRequire(join(ROOT, 'ui', 'package.json'))('jsqr')
const LONG =
  'Ein sehr langer Titel mit Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen, bis zum Ende'
const TITLES = ['عروض الربيع للكراسي', '春季促销：花园椅', 'Весенняя распродажа', LONG]
const IN_WINDOW = process.env.ROOST_DOOR === 'window'
// Decided before the hooks run, because a test that skips itself would leave the window open.
const onPaper = { skip: IN_WINDOW && 'WebDriver shows no page as it is printed' }
const here = consoleForEach({ args: ['--set', 'short_link_base=https://go.shop.example'] })

/** Opens the screen with this many links, all selected, and the dialog that prints them. */
async function openSheet(count, given) {
  const titles = Array.from({ length: count }, (_, at) => TITLES[at] ?? `Campaign ${at + 1}`)
  const links = titles.map((title, at) => ({
    title,
    target_url: `https://shop.example/${at}`,
    tags: [],
    track_clicks: true,
  }))
  await here.call('short_link_create', { links })
  const page = await here.open(given)
  await page.run('location.hash = "#/links"')
  await until('the links are there', async () => (await page.count('main tbody tr[data-key]')) === count)
  // A print dialog would cover everything.
  await page.run('window.print = () => (window.printed = (window.printed ?? 0) + 1)')
  await page.tab.locator('main tbody tr').first().focus()
  await page.tab.keyboard.press('Control+a')
  await page.tab.keyboard.press('Shift+Q')
  await page.tab.locator('dialog[open]').waitFor()
  return page
}

const printedTitles = (page) => page.texts('body > .printed .title')
const pages = (pdf) => pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g).length
/** Returns the width and height of the first page, in points. */
const paper = (pdf) =>
  /\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf.toString('latin1')).slice(1).map(Math.round)

test(
  'codes of many links come on pages of the chosen paper, each with its title and address',
  onPaper,
  async () => {
    const page = await openSheet(30)
    const { tab } = page
    await seeAccessible(page, 'the print dialog')
    await matchAria(page, 'links/print', 'dialog[open]', [[/shop\.example\/\w{6}/g, 'shop.example/«code»']])
    await soon(async () => assert.equal(await page.text('dialog[open] h2'), 'Print 30 QR codes'))
    await tab.getByRole('button', { name: 'Print 30 codes' }).click()
    await soon(async () => assert.equal(await page.run('return window.printed'), 1))
    const titles = await printedTitles(page)
    assert.equal(titles.length, 30)
    for (const title of TITLES) assert.ok(titles.includes(title), title)

    const pdf = (options) => tab.pdf({ preferCSSPageSize: true, ...options })
    const a4 = await pdf()
    assert.deepEqual(paper(a4), [595, 842])
    assert.equal(pages(a4), 3)
    const kept = keeps(tab, 'links.print')
    await tab.getByLabel('Paper', { exact: true }).selectOption('letter')
    await tab.getByLabel('Columns', { exact: true }).selectOption('4')
    await kept
    const letter = await pdf()
    assert.deepEqual(paper(letter), [612, 792])
    assert.equal(pages(letter), 2)
    await tab.getByLabel('Columns', { exact: true }).selectOption('2')
    await soon(async () => assert.equal(pages(await pdf()), 5))

    await tab.emulateMedia({ media: 'print' })
    const seen = await tab.evaluate(() => document.body.innerText)
    assert.equal(seen.match(/go\.shop\.example\/\w{6}/g).length, 30)
    assert.doesNotMatch(seen, /Print|Short links/, 'nothing else is printed')
    const picture = await tab.locator('body > .printed .code svg').first().screenshot()
    const code = await decoded(tab, picture)
    assert.equal(code, `https://${(await page.texts('body > .printed .address'))[0]}`)
    await tab.emulateMedia({ media: 'screen' })
    await tab.keyboard.press('Escape')
    await until('nothing is left to print', async () => (await page.count('body > .printed')) === 0)
    assert.deepEqual(page.complaints, [])
  },
)

test('the dark theme prints black on white, and rows are never torn apart', onPaper, async () => {
  const page = await openSheet(13, { colorScheme: 'dark' })
  const { tab } = page
  await seeAccessible(page, 'the print dialog in the dark')
  await tab.emulateMedia({ media: 'print' })
  const look = await tab.evaluate(() => {
    const sheet = document.querySelector('body > .printed .sheet')
    const { color, backgroundColor } = getComputedStyle(sheet)
    const rows = [...sheet.querySelectorAll('.row')].map((row) => getComputedStyle(row).breakInside)
    return { color, backgroundColor, body: getComputedStyle(document.body).backgroundColor, rows }
  })
  const [black, white] = ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']
  assert.deepEqual(look, {
    color: black,
    backgroundColor: white,
    body: white,
    rows: Array.from({ length: 5 }, () => 'avoid'),
  })
})

/** Decodes the code in a picture of the page. */
async function decoded(tab, picture) {
  const { data, width, height } = await tab.evaluate(async (bytes) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))]))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    const {
      data: pixels,
      width: across,
      height: down,
    } = context.getImageData(0, 0, image.width, image.height)
    return { data: [...pixels], width: across, height: down }
  }, picture.toString('base64'))
  return jsQR(Uint8ClampedArray.from(data), width, height)?.data
}
