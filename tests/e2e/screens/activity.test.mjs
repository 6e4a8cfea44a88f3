// The activity in Chromium: who changed what, undo back to a step, and the results of a job and its callback.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { asksOf, consoleForEach, testNeeding } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach({ args: ['--allow-private-callbacks'] })
const it = testNeeding('played answers')

/** Opens a section after creating senders as the UI would. */
async function open(senders, options) {
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/senders"]').click()
  for (const [at, name] of senders.entries()) {
    await page.tab.getByRole('button', { name: 'Request sender' }).first().click()
    await page.tab.getByLabel('Sender name').fill(name)
    await page.tab.keyboard.press('Enter')
    await until('it is in the table', async () => (await page.count('main tbody tr')) === at + 1)
  }
  return page
}
const post = async (path, body) => (await asksOf(here).post(path, body)).json()
const section = (page, id) => page.tab.locator(`nav a[href="#/${id}"]`).click()
const readActs = (page) => page.texts('[data-testid=timeline] .step-text')

test('the time line shows who changed what, and goes back to a step', async () => {
  const page = await open(['First', 'Second'])
  const { tab } = page
  await post('/contacts/v1/lists/create', { name: 'Newsletter' })
  await section(page, 'activity')
  await until('three acts', async () => (await readActs(page)).length === 3)
  await seeAccessible(page, 'the time line')
  await matchAria(page, 'activity/activity-changes')
  await tab.locator('main select').first().selectOption('interface')
  await until('one of the interface', async () => (await readActs(page)).join().includes('Newsletter'))
  await tab.locator('main select').first().selectOption('')
  await until('all again', async () => (await readActs(page)).length === 3)
  await tab.getByRole('button', { name: 'Undo this and everything after it…' }).last().click()
  await tab.getByRole('button', { name: 'Undo 2 steps' }).waitFor()
  await seeAccessible(page, 'the way back')
  await matchAria(page, 'activity/activity-undo-back', 'dialog')
  await tab.getByRole('button', { name: 'Undo 2 steps' }).click()
  await until('both are undone', async () => (await page.count('[data-testid=timeline] li.undone')) === 2)
  await section(page, 'senders')
  await until('no sender is left', async () => (await page.texts('main h2')).includes('No senders yet'))
  await tab.keyboard.press('Control+Shift+z')
  await until('redo brings the first one back', async () => (await page.count('main tbody tr')) === 1)
})

it('an empty time line says so, a filter nothing fits can be cleared, and a fault can be tried again', async () => {
  const page = await open([], { colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await section(page, 'activity')
  await until('it is empty', async () => (await page.texts('main h2')).includes('No changes yet'))
  await seeAccessible(page, 'the empty time line')
  await post('/contacts/v1/lists/create', { name: 'Newsletter' })
  await until('a change comes in by itself', async () => (await readActs(page)).length === 1)
  await tab.keyboard.press('Control+f')
  await tab.keyboard.type('nothing is called that')
  await tab.getByRole('button', { name: 'Clear filters' }).click()
  await until('it is back', async () => (await readActs(page)).length === 1)
  const call = '**/__console/call/activity_page'
  await tab.route(call, (route) =>
    route.fulfill({
      status: 500,
      json: { code: 'internal', message: 'The page did not turn.', details: [] },
    }),
  )
  await post('/contacts/v1/lists/create', { name: 'Second' })
  const fault = tab.locator('main [role=alert]')
  await fault.waitFor()
  await seeAccessible(page, 'the fault')
  await tab.unroute(call)
  await fault.getByRole('button').click()
  await until('both are there', async () => (await readActs(page)).length === 2)
})

test('a job shows the outcome of each contact, and its callback every attempt', async () => {
  const tries = []
  const receiver = createServer((request, response) => {
    tries.push(request.url)
    request.resume()
    response.statusCode = 404
    response.end()
  })
  await new Promise((done) => receiver.listen(0, '127.0.0.1', done))
  try {
    const { uid } = await post('/contacts/v1/lists/create', { name: 'Newsletter' })
    const contacts = ['01', '02', '02'].map((end) => ({ phone_number: `+4477009000${end}` }))
    await post('/contacts/v1/contacts', {
      list_id: uid,
      merge_type: 'skipDuplicates',
      callback_url: `http://127.0.0.1:${receiver.address().port}/done`,
      contacts,
    })
    const page = await open([])
    const { tab } = page
    await page.run('location.hash = "#/activity/jobs"')
    await until('the job is listed with its failed callback', async () =>
      (await page.texts('main tbody tr')).join().includes('Given up'),
    )
    await seeAccessible(page, 'the jobs')
    await tab.locator('main tbody tr').first().focus()
    await tab.keyboard.press('Enter')
    const panel = tab.locator('#panel')
    await until('each contact is shown', async () => (await panel.locator('tbody tr').count()) === 3)
    await until('every try is shown', async () => (await panel.locator('ol li').count()) === tries.length)
    await soon(async () => assert.match(await panel.locator('ol li').first().textContent(), /404/))
    await seeAccessible(page, 'a job')
    await matchAria(page, 'activity/activity-job', '#panel', [
      [/LST_\w+/g, '«uid»'],
      // The duration is missing if an attempt starts and ends within a second.
      [/\s?· [\d.,]+ m?s\b/g, ''],
    ])
    await panel.getByRole('button', { name: /^Skipped/ }).click()
    await until('the duplicate alone', async () => (await panel.locator('tbody tr').count()) === 1)
    await tab.keyboard.press('Escape')
    await until('the panel is closed', async () => (await page.count('#panel')) === 0)
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})
