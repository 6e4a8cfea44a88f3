// Short links in Chromium: created, copied, shown as QR code, counted, deleted and restored; by pointer and by keys.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../../support/a11y.mjs'
import { asksOf, consoleForEach } from '../../support/console.mjs'
import { ROOT, soon, until } from '../../support/places.mjs'

const jsQR = createRequire(join(ROOT, 'ui', 'package.json'))('jsqr')
const here = consoleForEach()
const { post } = asksOf(here)

async function open(options) {
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/links"]').click()
  await until('the screen is there', async () => (await page.text('main h1')) === 'Short links')
  return page
}

async function make(...titles) {
  for (const title of titles) {
    const link = { title, target_url: `https://shop.example/${title}`, tags: ['spring'] }
    const response = await post('/assets/v1/shortlink', link)
    assert.equal(response.status, 200)
  }
}

const titles = (page) => page.texts('table[aria-label="Short links"] tbody th')
const announced = (page) => page.text('[data-testid=announcement]')

test('a link is made, its QR code leads to it, and deleting it can be undone', async () => {
  const page = await open()
  const { tab } = page
  await until('the empty screen says what to do', async () =>
    (await page.texts('main h2')).includes('No short links yet'),
  )
  await seeAccessible(page, 'the empty screen')
  await soon(async () => assert.equal(await page.count('main search'), 0, 'nothing to search in'))
  await tab.keyboard.press('Alt+n')
  await tab.getByRole('textbox', { name: 'Title', exact: true }).fill('Spring sale')
  await tab.getByRole('textbox', { name: 'Target', exact: true }).fill('https://shop.example/spring')
  await tab.getByRole('combobox', { name: 'Tags' }).fill('spring')
  await tab.getByRole('button', { name: 'Create short link' }).click()
  await until('it is in the table', async () => (await titles(page)).join() === 'Spring sale')
  await until('it is announced', async () => (await announced(page)).includes('Spring sale'))

  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('q')
  const code = tab.getByRole('img', { name: /QR code/ })
  await code.waitFor()
  await seeAccessible(page, 'the QR code')
  const address = (await page.text('dialog .address')) ?? ''
  const pixels = await code.evaluate(async (svg) => {
    const image = new Image()
    image.src = `data:image/svg+xml;utf8,${encodeURIComponent(
      new XMLSerializer().serializeToString(svg).replace('<svg', '<svg width="400" height="400"'),
    )}`
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = 400
    canvas.height = 400
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0, 400, 400)
    return [...context.getImageData(0, 0, 400, 400).data]
  })
  assert.equal(jsQR(Uint8ClampedArray.from(pixels), 400, 400)?.data, address)
  const [png] = await Promise.all([
    tab.waitForEvent('download'),
    tab.getByRole('button', { name: 'Save as PNG' }).click(),
  ])
  assert.match(png.suggestedFilename(), /Spring-sale\.png$/)
  const picture = await readFile(await png.path())
  assert.equal(picture.subarray(1, 4).toString(), 'PNG')
  const [svg] = await Promise.all([
    tab.waitForEvent('download'),
    tab.getByRole('button', { name: 'Save as SVG' }).click(),
  ])
  assert.match(svg.suggestedFilename(), /Spring-sale\.svg$/)
  assert.match(await readFile(await svg.path(), 'utf8'), /^(<\?xml[^>]*>\s*)?<svg[\s\S]*<\/svg>\s*$/)
  // The desktop may give the keys back to the window a moment after its own dialog is gone.
  await until('the code is closed', async () => {
    await tab.keyboard.press('Escape')
    return (await page.count('dialog[open]')) === 0
  })

  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Delete')
  await tab.getByRole('button', { name: 'Delete short link' }).click()
  await until('it is gone', async () => (await page.texts('main h2')).includes('No short links yet'))
  await tab.getByTestId('toast').getByRole('button', { name: 'Undo' }).last().click()
  await until('it is back', async () => (await titles(page)).join() === 'Spring sale')
  assert.deepEqual(page.complaints, [])
})

test('errors are shown at their fields, and a target that already has a link is reported', async () => {
  await make('first')
  const page = await open()
  const { tab } = page
  await tab.keyboard.press('Alt+n')
  await tab.getByRole('button', { name: 'Create short link' }).click()
  await until('the title is missed', async () =>
    (await page.texts('dialog [role=alert]')).includes('Give the link a title.'),
  )
  await soon(async () =>
    assert.equal(await tab.evaluate(() => document.activeElement?.getAttribute('aria-invalid')), 'true'),
  )
  await seeAccessible(page, 'the dialog with faults')
  await matchAria(page, 'links/new', 'dialog[open]')
  await tab.getByRole('textbox', { name: 'Title', exact: true }).fill('Second')
  const target = tab.getByRole('textbox', { name: 'Target', exact: true })
  await target.fill('shop')
  await tab.keyboard.press('Enter')
  await until('the target is refused', async () =>
    (await page.texts('dialog [role=alert]')).join().includes('https://'),
  )
  await target.fill('shop.example/first')
  await tab.keyboard.press('Tab')
  await until('it is completed', async () => (await target.inputValue()) === 'https://shop.example/first')
  await tab.getByRole('button', { name: 'Create another link' }).waitFor()
  await tab.getByRole('button', { name: 'Copy and close' }).click()
  await until('the dialog is closed', async () => (await page.count('dialog')) === 0)
  await soon(async () => assert.deepEqual(await titles(page), ['first']))
})

test('by keys alone: move, open the clicks, come back, copy the address', async () => {
  await make('one', 'two', 'three')
  const page = await open()
  const { tab } = page
  await until('three rows', async () => (await titles(page)).length === 3)
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('ArrowDown')
  await tab.keyboard.press('Enter')
  await until('the panel has the focus', () => tab.evaluate(() => document.activeElement?.id === 'panel'))
  await until('it is about the second row', async () => (await page.text('#panel h2')) === 'two')
  await seeAccessible(page, 'the table with a link beside')
  await matchAria(page, 'links/links', 'main', [[/…\/[^\s"]+/g, '…/«code»']])
  await tab.keyboard.press('Escape')
  await until('the panel is closed', async () => (await page.count('#panel')) === 0)
  await until('the row has the focus again', () =>
    tab.evaluate(() => document.activeElement?.tagName === 'TR'),
  )
  await tab.keyboard.press('Control+c')
  await until('the copy is shown', async () =>
    (await announced(page)).startsWith('Copied the short address.'),
  )
})

test('a pasted table is checked row by row before links are made', async () => {
  const page = await open()
  const { tab } = page
  await tab.keyboard.press('Control+Shift+i')
  await tab
    .getByLabel('Rows', { exact: true })
    .fill('Title\tTarget\tTags\nA\thttps://shop.example/a\tx\nB\tshop\t\nC\thttps://shop.example/c\t')
  await until('one row has an error', async () => (await page.texts('tr.bad')).length === 1)
  await seeAccessible(page, 'the rows before they are links')
  await tab.getByRole('button', { name: 'Create 2 short links' }).click()
  await until('they are made', async () => (await page.text('#made')) === 'Created 2 short links.')
  await tab.getByRole('button', { name: 'Back to all short links' }).click()
  await until('they are in the table', async () => (await titles(page)).toSorted().join() === 'A,C')
})

test('who follows a short link is counted, in a chart with its table', async () => {
  await make('spring')
  const page = await open({ colorScheme: 'dark' })
  const { tab } = page
  await until('one row', async () => (await titles(page)).length === 1)
  const address = await tab.locator('tbody tr .address').textContent()
  const { pathname } = new URL(`http://${address.trim().replace(/^https?:\/\//, '')}`)
  for (let n = 0; n < 3; n += 1) {
    const followed = await fetch(new URL(pathname, here.server.url), { redirect: 'manual' })
    assert.equal(followed.headers.get('location'), 'https://shop.example/spring')
  }
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Enter')
  await until('the clicks are summed', async () => (await page.text('#panel .sum'))?.startsWith('3 '))
  await tab.getByRole('button', { name: 'Show as a table' }).click()
  await until(
    'the table says the same of today',
    async () => (await page.texts('#panel figure tbody td')).at(-1) === '3',
  )
  await seeAccessible(page, 'the clicks in dark')
})

test('tags are parted by commas, however they are entered', async () => {
  const page = await open()
  const { tab } = page
  await tab.keyboard.press('Alt+n')
  const field = tab.getByRole('combobox', { name: 'Tags' })
  const tags = () => page.texts('dialog .tag [translate=no]')
  await field.fill('spring,')
  await soon(async () => assert.deepEqual(await tags(), ['spring']))
  await field.fill('summer, autumn,, spring, win')
  await soon(async () => assert.deepEqual(await tags(), ['spring', 'summer', 'autumn']))
  await soon(async () => assert.equal(await field.inputValue(), 'win'))
  await field.press('Enter')
  await soon(async () => assert.deepEqual(await tags(), ['spring', 'summer', 'autumn', 'win']))
  await tab.getByRole('textbox', { name: 'Title', exact: true }).fill('Spring')
  await tab.getByRole('textbox', { name: 'Target', exact: true }).fill('https://shop.example/spring')
  await field.fill('a!b,')
  await tab.getByRole('button', { name: 'Create short link' }).click()
  await soon(async () =>
    assert.equal(await field.evaluate((input) => input === document.activeElement), true, 'at the fault'),
  )
})
