// Imports that are interrupted or reverted: each is written completely or not at all, and no later edit is lost.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { beforeEach, test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { consoleForEach } from '../support/console.mjs'
import { at, dropped, goesInto, mapped, openAt, openList, rehearsed } from '../support/imports.mjs'
import { soon, until } from '../support/places.mjs'

/** Enough rows that writing them is still in progress when it is cancelled. */
const MANY = 150_000
/** Time for an act on all rows, on a busy machine. */
const LONG_MS = 120_000

const here = consoleForEach({ isFile: true })
const { call } = here
let list

beforeEach(async () => {
  list = (await call('list_create', { name: 'Spring' })).uid
})

const contacts = async () => (await call('list_get', { uid: list })).contact_count

/** Returns rows with a number each. */
function many() {
  const lines = ['Phone,First name,City']
  for (let n = 0; n < MANY; n += 1) {
    const area = 201 + Math.floor(n / 100)
    lines.push(`+1${area}5550${100 + (n % 100)},Given ${n},York`)
  }
  return lines.join('\n')
}

/** Waits until writing has begun and is not finished: some rows are written. */
async function isWriting(page) {
  await until(
    'rows are written',
    async () => {
      const { imports } = await call('import_waiting')
      const { progress } = await call('import_state', {
        import: imports[0].import,
        generation: null,
        wait_ms: 0,
      })
      return progress?.work === 'accept' && progress.rows > 0
    },
    LONG_MS,
  )
  await soon(async () => assert.equal(await page.tab.getByRole('heading', { name: /^Imported/ }).count(), 0))
}

/** Drops the rows on the list and continues up to accepting them. */
async function acceptMany(page) {
  await dropped(page, { name: 'customers.csv', text: many() })
  await page.tab.getByText('150,000 rows').first().waitFor({ timeout: LONG_MS })
  await mapped(page)
  await rehearsed(page)
  await page.press('Control+Shift+Enter')
  await page.tab.getByTestId('import-working').waitFor({ timeout: LONG_MS })
}

test('an accept that is cancelled half-way changes nothing, and can be begun again', async () => {
  const page = await openList(here, list)
  const { tab } = page
  await acceptMany(page)
  await isWriting(page)
  await tab.getByTestId('import-working').getByRole('button', { name: 'Cancel' }).click()
  await tab.getByText('Nothing was imported').waitFor({ timeout: LONG_MS })
  await soon(async () => assert.equal(await contacts(), 0))
  await soon(async () =>
    assert.equal((await call('import_history', { page_number: 1, page_size: 10 })).total_items, 0),
  )
  await seeAccessible(page, 'a cancelled accept')
  await at(page, 'accept')
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: /^Imported [\d,]+ contacts/ }).waitFor({ timeout: LONG_MS })
  await soon(async () => assert.ok((await contacts()) > 0))
})

test('a program that is killed while it writes leaves the list as it was, and the import where it stood', async () => {
  const page = await openList(here, list)
  await acceptMany(page)
  await isWriting(page)
  await here.server.kill()
  await page.close()
  await here.start()
  await soon(async () => assert.equal(await contacts(), 0))
  await soon(async () =>
    assert.equal((await call('import_history', { page_number: 1, page_size: 10 })).total_items, 0),
  )

  // The first screen reports it.
  const { tab, ...again } = await openAt(here, '#/overview')
  await tab.getByText('An import is unfinished').waitFor()
  await seeAccessible({ tab }, 'the first screen after a crash')
  await tab.evaluate(() => (location.hash = '#/import'))
  await tab.getByRole('heading', { name: 'Unfinished imports' }).waitFor()
  await seeAccessible({ tab }, 'an import that waits')
  await matchAria({ tab }, 'import/waiting')
  await tab.getByRole('button', { name: 'Continue with customers.csv' }).click()
  await at({ tab, ...again }, 'mapping')
  await goesInto({ tab }, 2).waitFor()
  await soon(async () => assert.equal(await goesInto({ tab }, 2).inputValue(), 'city'))
  await rehearsed({ tab, ...again })
  await again.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: /^Imported [\d,]+ contacts/ }).waitFor({ timeout: LONG_MS })
  await soon(async () => assert.ok((await contacts()) > 0))
  await until('nothing of it is left beside the account', async () => {
    const { current } = await call('account_list')
    const beside = `${current.path}.imports`
    return !existsSync(beside) || (await readdir(beside)).length === 0
  })
})

test('an import is taken back, and what was edited since stays and is named', async () => {
  const former = [{ phone_number: '+447700900001', firstname: 'Ada', city: 'York' }]
  await call('contact_paste', { list, contacts: former, region: null })
  const page = await openList(here, list)
  const { tab } = page
  const text =
    'Phone,First name,City\n07700900001,Adele,Leeds\n07700900002,Bo,Bath\n07700900003,Cy,Hull\n07700900004,Di,Hull\n'
  await dropped(page, { name: 'customers.csv', text })
  await mapped(page)
  await tab.getByLabel('Existing values').selectOption({ label: 'Overwrite' })
  await rehearsed(page)
  await page.press('Control+Shift+Enter')
  await tab.getByRole('heading', { name: 'Imported 4 contacts into “Spring”' }).waitFor()

  // Later, a contact that the import added is edited, and one value of a contact that existed before.
  const shown = { page_number: 1, page_size: 100, sort: null, filter: null, opted_out: null }
  const { items } = await call('contact_page', { list, ...shown })
  const uid = (number) => items.find(({ values }) => values.phone_number === number).uid
  await call('contact_update', { uid: uid('+447700900003'), fields: { city: 'Goole' }, region: null })
  await call('contact_update', { uid: uid('+447700900001'), fields: { city: 'Derby' }, region: null })

  await tab.evaluate(() => (location.hash = '#/import/past'))
  await tab.getByRole('link', { name: 'customers.csv' }).click()
  await tab.getByRole('button', { name: 'Revert…' }).click()
  const dialog = tab.locator('dialog[open]')
  await dialog.getByText('2 contacts added by it are deleted').waitFor()
  await dialog.getByText('2 contacts were edited since; the edits stay').waitFor()
  await soon(async () => {
    const kept = await dialog.getByTestId('kept').locator('li').allTextContents()
    assert.deepEqual(kept.map((one) => one.replaceAll(/\s+/g, ' ').trim()).toSorted(), [
      '+447700900001 edited since: City',
      '+447700900003 stays, with all its values',
    ])
  })
  await seeAccessible(page, 'what stays')
  await matchAria(page, 'import/revert', 'dialog[open]')
  await dialog.getByRole('button', { name: 'Revert import' }).click()
  await until('two are left', async () => (await contacts()) === 2)
  await tab.getByText(/^Reverted on/).waitFor()
  const value = async (number, field) => (await call('contact_get', { uid: uid(number) })).values[field]
  await soon(async () => assert.equal(await value('+447700900001', 'firstname'), 'Ada'))
  await soon(async () => assert.equal(await value('+447700900001', 'city'), 'Derby'))
  await soon(async () => assert.equal(await value('+447700900003', 'firstname'), 'Cy'))
  await soon(async () => assert.equal(await value('+447700900003', 'city'), 'Goole'))
  // It is one step, which undo reverses.
  await page.press('Control+z')
  await until('all are back', async () => (await contacts()) === 4)
  await soon(async () => assert.equal(await value('+447700900001', 'firstname'), 'Adele'))
  await soon(async () => assert.equal(await value('+447700900001', 'city'), 'Derby'))
})

test('an import that is discarded at any step leads back to the beginning, without a fault', async () => {
  for (const steps of [[], [mapped], [mapped, rehearsed]]) {
    const page = await openList(here, list)
    const { tab } = page
    await dropped(page, { name: 'customers.csv', text: 'Phone,First name\n+447700900001,Ada' })
    for (const go of steps) await go(page)
    await tab.locator('main').getByRole('button', { name: 'Discard' }).click()
    await tab.locator('dialog[open]').getByRole('button', { name: 'Discard' }).click()
    await until('the import is over', async () => (await page.run('return location.hash')) === '#/import')
    await page.rest()
    await soon(async () => assert.equal((await call('import_waiting')).imports.length, 0))
    await soon(async () => assert.deepEqual(await page.texts('main [role=alert]'), []))
    // The core may refuse a request about an import that no longer exists; the page must handle that.
    assert.deepEqual(
      page.complaints.filter((text) => !text.includes('409 (Conflict)')),
      [],
    )
    await page.close()
  }
})
