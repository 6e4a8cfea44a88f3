// Links of a campaign in Chromium: parameters, title templates and presets, for one link and for a table of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../../support/a11y.mjs'
import { consoleForEach } from '../../support/console.mjs'
import { soon, until } from '../../support/places.mjs'

const TODAY = /\d{4}-\d\d-\d\d/
const here = consoleForEach()

async function open(options, place = 'links') {
  const page = await here.open(options)
  await page.run('location.hash = arguments[0]', `#/${place}`)
  await until('the screen is there', async () => /short links/i.test((await page.text('main h1')) ?? ''))
  return page
}

const begin = async ({ tab }) => {
  await tab.keyboard.press('Alt+n')
  await tab.locator('dialog[open]').getByText('UTM parameters and title template').click()
  return tab.locator('dialog[open]')
}
const field = ({ tab }, name) => tab.getByLabel(name, { exact: true })
const templateOf = ({ tab }) => tab.getByRole('combobox', { name: 'Title template' })
const madeTitle = (page) => page.text('[data-testid=made-title]')
const madeTarget = (page) => page.text('[data-testid=made-target]')
const alerts = async (page) => (await page.texts('[role=alert]')).filter((text) => text !== '')
const links = async () => {
  const asked = {
    query: null,
    tags: [],
    from: null,
    to: null,
    order: 'ASC',
    page_number: 1,
    page_size: 50,
  }
  return (await here.call('short_link_page', asked)).items
}

test('parameters are added to the target, and a template makes the title, both in sight before the link is made', async () => {
  const page = await open()
  const { tab } = page
  const dialog = await begin(page)
  await field(page, 'Target').fill('shop.example/chairs?utm_source=old&q=a+b#top')
  await field(page, 'Source').fill('newsletter')
  await field(page, 'Medium').fill('sms')
  await field(page, 'Campaign').fill('Spring & “Sale”')
  await soon(async () =>
    assert.equal(
      await madeTarget(page),
      'https://shop.example/chairs?utm_source=newsletter&q=a+b&utm_medium=sms&utm_campaign=Spring%20%26%20%E2%80%9CSale%E2%80%9D#top',
    ),
  )
  const template = templateOf(page)
  await template.fill('{cam')
  await tab.getByRole('option', { name: /^\{campaign\}/ }).waitFor()
  await seeAccessible(page, 'the dialog with suggestions')
  await template.press('ArrowDown')
  await template.press('Enter')
  await soon(async () => assert.equal(await template.inputValue(), '{campaign}'))
  await template.fill('{campaign} – {sorce} – {date}')
  await soon(async () => assert.match((await alerts(page)).join(), /Unknown placeholder \{sorce\}/))
  await dialog.getByRole('button', { name: 'Create short link' }).click()
  await soon(async () =>
    assert.equal(
      await tab.evaluate(() => document.activeElement?.getAttribute('aria-invalid')),
      'true',
      'the template has the focus',
    ),
  )
  await template.fill('{campaign} – {term}')
  await dialog.getByRole('button', { name: 'Create short link' }).click()
  await soon(async () => assert.match((await alerts(page)).join(), /\{term\} has no value/))
  await template.fill('{campaign} – {source} – {date}')
  await soon(async () =>
    assert.match(await madeTitle(page), /^Spring & “Sale” – newsletter – \d{4}-\d\d-\d\d$/),
  )
  await soon(async () => assert.match(await field(page, 'Title').inputValue(), TODAY))
  await seeAccessible(page, 'the dialog with its preview')
  await matchAria(page, 'links/campaign', 'dialog[open]', [[/\d{4}-\d\d-\d\d/g, '«day»']])
  await dialog.getByRole('button', { name: 'Create short link' }).click()
  await until('the link is made', async () => (await links()).length === 1)
  const [link] = await links()
  assert.match(link.title, /^Spring & “Sale” – newsletter – /)
  assert.match(
    link.target_url,
    /^https:\/\/shop\.example\/chairs\?utm_source=newsletter&q=a\+b&utm_medium=sms&/,
  )
  assert.deepEqual(page.complaints, [])
})

test('a preset is saved, chosen from the menu by keys, changed, renamed and deleted, and stays in the account', async () => {
  const page = await open({ colorScheme: 'dark' })
  const { tab } = page
  const dialog = await begin(page)
  const menu = async (item) => {
    await dialog.getByRole('button', { name: /^(Presets|Weekly|Every Monday)/ }).focus()
    await tab.keyboard.press('ArrowDown')
    await tab.getByRole('menu', { name: 'Presets' }).waitFor()
    await tab
      .getByRole(/^“|^Weekly$/.test(item) ? 'menuitemcheckbox' : 'menuitem', { name: item })
      .press('Enter')
  }
  await field(page, 'Source').fill('newsletter')
  await templateOf(page).fill('{title} ({source})')
  await menu('Save as preset…')
  await tab.getByRole('button', { name: 'Save preset' }).click()
  await soon(async () => assert.match((await alerts(page)).join(), /Give the preset a name/))
  await field(page, 'Name').fill('Weekly')
  await tab.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Weekly' }).waitFor()
  await field(page, 'Medium').fill('sms')
  await seeAccessible(page, 'a preset that was changed')
  await menu('Update “Weekly”')
  await soon(async () =>
    assert.equal(await dialog.getByRole('button', { name: 'Weekly', exact: true }).count(), 1),
  )
  await tab.keyboard.press('Escape')
  await until('the dialog is closed', async () => (await page.count('dialog')) === 0)

  await tab.reload()
  await until('the page is back', async () => (await page.text('main h1')) === 'Short links')
  await tab.keyboard.press('Alt+n')
  await field(page, 'Source').waitFor()
  assert.equal(await field(page, 'Source').inputValue(), '', 'nothing is chosen by itself')
  await dialog.getByRole('button', { name: 'Presets', exact: true }).click()
  await tab.getByRole('menuitemcheckbox', { name: 'Weekly' }).waitFor()
  await seeAccessible(page, 'the menu of presets')
  await tab.getByRole('menuitemcheckbox', { name: 'Weekly' }).click()
  await soon(async () => assert.equal(await field(page, 'Medium').inputValue(), 'sms'))
  await field(page, 'Title').fill('Chairs')
  await field(page, 'Target').fill('https://shop.example/chairs')
  await soon(async () => assert.equal(await madeTitle(page), 'Chairs (newsletter)'))

  await menu('Rename “Weekly”…')
  await field(page, 'Name').fill('Every Monday')
  await tab.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Every Monday' }).waitFor()
  await menu('Delete “Every Monday”…')
  await tab.getByRole('button', { name: 'Delete preset' }).click()
  await dialog.getByRole('button', { name: 'Presets', exact: true }).waitFor()
  const { values } = await here.call('ui_state_get', { keys: ['links.presets'] })
  assert.deepEqual(values, {})
  await dialog.getByRole('button', { name: 'Create short link' }).click()
  await until('the link is made', async () => (await links())[0]?.title === 'Chairs (newsletter)')
  assert.deepEqual(page.complaints, [])
})

test('a table of targets alone becomes links with parameters and titles', async () => {
  const page = await open({}, 'links/many')
  const { tab } = page
  await tab.getByText('UTM parameters and title template').click()
  await field(page, 'Rows').fill('Target\nshop.example/a\nshop.example/b?x=1\nftp://shop.example/c')
  await until('nothing has a title', async () => (await page.count('tr.bad')) === 3)
  await field(page, 'Campaign').fill('spring')
  await templateOf(page).fill('{campaign} {domain}')
  await until('two rows are valid', async () => (await page.count('tr.bad')) === 1)
  assert.deepEqual((await page.texts('tbody td[dir=ltr]')).slice(0, 2), [
    'https://shop.example/a?utm_campaign=spring',
    'https://shop.example/b?x=1&utm_campaign=spring',
  ])
  await seeAccessible(page, 'rows of a campaign')
  await templateOf(page).fill('{campain}')
  await soon(async () => assert.match((await alerts(page)).join(), /Unknown placeholder \{campain\}/))
  await templateOf(page).fill('{campaign} {domain}')
  await tab.getByRole('button', { name: 'Create 2 short links' }).click()
  await until('they are made', async () => (await page.text('#made')) === 'Created 2 short links.')
  const made = await links()
  assert.deepEqual(
    made.map(({ title }) => title),
    ['spring shop.example', 'spring shop.example'],
  )
})
