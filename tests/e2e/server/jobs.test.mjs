// The time line of a job in Chromium: its events, the acts on the job, and the clock that the user advances.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { seeAccessible } from '../support/a11y.mjs'
import { asksOf, consoleForEach } from '../support/console.mjs'
import { boxOf, soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { post, operate } = asksOf(here)

async function open(options) {
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/server"]').click()
  await page.tab.getByRole('tab', { name: 'Jobs' }).click()
  await until('the jobs are there', () => page.tab.getByRole('tab', { name: 'Jobs', selected: true }).count())
  return page
}

const number = (n) => `+447700900${String(n % 1000).padStart(3, '0')}`
async function queue(count, more = {}) {
  const made = await (await post('/contacts/v1/lists/create', { name: 'Newsletter' })).json()
  const list = /LST_\w+/.exec(JSON.stringify(made))[0]
  const answer = await post('/contacts/v1/contacts', {
    list_id: list,
    merge_type: 'allowDuplicates',
    contacts: Array.from({ length: count }, (_, n) => ({ phone_number: number(n) })),
    callback_url: `${here.server.url}/__hook/orders`,
    ...more,
  })
  assert.ok(answer.ok, String(answer.status))
}
const job = (page) => page.tab.getByTestId('job')
const shows = (page, text) =>
  until(`“${text}” is shown`, async () => (await job(page).textContent()).includes(text))
/** Returns the second column of the time line's table, in order. */
const line = (page) => page.texts('[data-testid=moments] tbody td:nth-child(2)')
const stepsAre = (page, ...words) => soon(async () => assert.deepEqual(await line(page), words))
async function openFirst(page) {
  await page.tab.locator('main tbody tr[data-key]').first().focus()
  await page.press('Enter')
  await until('it is shown', () => job(page).count())
}
async function perform(page, act) {
  const acts = page.tab.locator('section[aria-labelledby=job-acts]')
  await acts.locator('[role=group] button', { hasText: act }).click()
  await acts.locator('button[type=submit]', { hasText: act }).click()
}

/** Runs a line in a shell, if curl is installed. */
async function runLine(text) {
  const shell = (command) =>
    promisify(execFile)('bash', ['-c', command], { env: { ...process.env, no_proxy: '*' } })
  const hasCurl = await shell('command -v curl').then(
    () => true,
    () => false,
  )
  if (hasCurl) await shell(text)
  else await queue(2, { callback_url: `${here.server.url}/__hook/default/jobs` })
}

test('the command of the empty page creates a job, and each of its steps is shown with a link', async () => {
  const page = await open()
  const { tab } = page
  await until('the empty page says what to do', async () =>
    (await page.texts('main h2')).includes('No jobs yet'),
  )
  await seeAccessible(page, 'no job yet')
  await runLine(await page.text('[data-testid=job-line]'))
  await openFirst(page)
  await stepsAre(page, 'Request received, job queued', 'Batch', 'Committed, job done', 'Callback, attempt 1')
  await shows(page, '2 imported')
  await shows(page, 'Response 200')
  await shows(page, 'The clock follows this computer')
  await seeAccessible(page, 'a job that is done')
  await tab.getByRole('link', { name: 'Callback, attempt 1' }).click()
  await until('its journal line', async () => (await page.text('#panel h2')).includes('/__hook/default/jobs'))
  const panel = tab.locator('#panel')
  await panel.getByRole('tab', { name: 'Callbacks' }).click()
  await panel.getByRole('link', { name: 'Timeline' }).click()
  await until('the job again', () => job(page).count())
  await job(page)
    .getByRole('link', { name: /^Request \d/ })
    .click()
  await until('what it came with', async () => (await page.text('#panel h2')).startsWith('POST /contacts'))
})

test('a job is stepped, paused and run, and the clock is drawn from one try to the next', async () => {
  await operate('PUT', '/clock', { mode: 'frozen', now: '2026-01-05T10:00:00Z' })
  await operate('PUT', '/job_policy', { progress: 'manual' })
  await operate('PUT', '/hooks/orders', { answers: [500, 500, 503, 200] })
  await queue(5)
  const page = await open()
  const { tab } = page
  await openFirst(page)
  await shows(page, 'The job waits until you run it')
  await shows(page, 'No contact is finished yet.')
  await stepsAre(page, 'Request received, job queued')
  await job(page).getByRole('button', { name: 'Step' }).click()
  await tab.getByLabel('Contacts per step').fill('0')
  await page.press('Enter')
  await shows(page, 'Enter a whole number, 1 or more.')
  await tab.getByLabel('Contacts per step').fill('2')
  await until('the line says the same', async () =>
    (await job(page).getByTestId('curl').textContent()).includes('/step'),
  )
  await soon(async () =>
    assert.match(await job(page).getByTestId('curl').textContent(), /'\{"contacts":2\}'/),
  )
  await page.press('Enter')
  await stepsAre(page, 'Request received, job queued', 'Batch')
  await shows(page, '2 imported')
  await perform(page, 'Pause')
  await shows(page, 'The job is paused')
  await until('no other act takes the place of the one that was done', async () => {
    return (await job(page).locator('section[aria-labelledby=job-acts] button[type=submit]').count()) === 0
  })
  await seeAccessible(page, 'a job that is paused')
  await perform(page, 'Resume')
  await perform(page, 'Run')
  const first = [
    'Request received, job queued',
    'Batch',
    'Paused',
    'Resumed',
    'Batch',
    'Committed, job done',
    'Callback, attempt 1',
  ]
  await stepsAre(page, ...first, 'Next attempt due')
  const field = tab.getByLabel('Advance to', { exact: true }).and(tab.locator('input'))
  await field.fill('2026-01-05T09:00:00Z')
  await page.press('Enter')
  await shows(page, 'Enter a time later than now')
  const marker = tab.getByRole('slider', { name: 'Advance to' })
  await marker.focus()
  await page.press('ArrowRight')
  await until('a second on', async () => (await field.inputValue()) === '2026-01-05T10:00:01Z')
  await page.press('PageUp')
  await until('where the next try is due', async () => (await field.inputValue()) === '2026-01-05T10:01:00Z')
  await until('the line comes first', async () =>
    (await page.texts('[data-testid=curl]')).some(
      (text) => text.includes(`/clock/advance -H`) && text.includes('{"to":"2026-01-05T10:01:00Z"}'),
    ),
  )
  await seeAccessible(page, 'the marker is drawn')
  await tab.getByRole('button', { name: 'Advance', exact: true }).click()
  await stepsAre(page, ...first, 'Callback, attempt 2', 'Next attempt due')
  assert.equal((await operate('GET', '/clock')).now, '2026-01-05T10:01:00Z')
  await tab.getByRole('heading', { name: 'Timeline' }).scrollIntoViewIfNeeded()
  await marker.scrollIntoViewIfNeeded()
  const due = await boxOf(tab.locator('[data-testid=lane-callback] .due'))
  const from = await boxOf(marker)
  await tab.mouse.move(from.x + from.width / 2, from.y + from.height - 2)
  await tab.mouse.down()
  await tab.mouse.move(due.x + due.width / 2 + 5, due.y + due.height / 2, { steps: 5 })
  await tab.mouse.up()
  await until('it snaps', async () => (await field.inputValue()) === '2026-01-05T10:02:00Z')
  await tab.getByRole('button', { name: 'Advance', exact: true }).click()
  await stepsAre(page, ...first, 'Callback, attempt 2', 'Callback, attempt 3', 'Next attempt due')
  await tab.getByRole('button', { name: 'To the next due event' }).click()
  await field.focus()
  await page.press('Enter')
  await stepsAre(page, ...first, 'Callback, attempt 2', 'Callback, attempt 3', 'Callback, attempt 4')
  await shows(page, 'Response 200')
  await soon(async () => assert.equal((await operate('GET', '/callbacks')).items[0].state, 'delivered'))
})

test('more jobs than a page holds come in pages', async () => {
  for (let n = 0; n < 51; n++) await queue(1)
  const page = await open()
  const { tab } = page
  const rows = () => page.count('main tbody tr[data-key]')
  await until('a page of them', async () => (await rows()) === 50)
  await tab.getByRole('button', { name: 'Next page' }).click()
  await until('the oldest', async () => (await rows()) === 1)
  await openFirst(page)
  await shows(page, 'Job 1 ')
})

test('ten thousand contacts come in pages and say why; one that never finishes, and one of another world', async () => {
  await operate('PUT', '/clock', { mode: 'frozen' })
  await operate('PUT', '/job_policy', {
    faults: [
      { fault: { fail_after: 9_990 }, first: 1 },
      { fault: 'never_finish', first: 1 },
    ],
  })
  await queue(10_000)
  await queue(1, { correlation_id: 'never' })
  await operate('POST', '/worlds', { name: 'ci-7' })
  const page = await open({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const { tab } = page
  await until('both are listed', async () => (await page.count('main tbody tr[data-key]')) === 2)
  await openFirst(page)
  await shows(page, 'The job never finishes by itself')
  await perform(page, 'Fail')
  await shows(page, 'Job failed by the operator')
  await tab.locator('main tbody tr[data-key]').last().focus()
  await page.press('Enter')
  await shows(page, '10,000 of 10,000')
  await seeAccessible(page, 'ten thousand contacts, in the dark')
  const contacts = tab.locator('section[aria-labelledby=job-contacts]')
  await contacts.getByRole('button', { name: 'failed' }).click()
  await soon(async () => {
    const why = await contacts.locator('tbody td:last-child').allTextContents()
    assert.deepEqual([...new Set(why)], ['Fault, or magic number'])
    assert.equal(why.length, 10)
  })
  await contacts.getByRole('button', { name: 'imported' }).click()
  await contacts.getByRole('button', { name: 'Next page' }).click()
  await until('the second page', async () =>
    (await contacts.locator('tbody td').first().textContent()).includes('51'),
  )
  await tab.getByRole('combobox', { name: 'World' }).selectOption('ci-7')
  await until('that world has none', async () => (await page.texts('main h2')).includes('No jobs yet'))
  await soon(async () => assert.ok((await page.text('[data-testid=job-line]')).includes('/w/ci-7/')))
})
