// Opt-outs in Chromium: added with a reason, looked up, imported, removed one by one, and shown as a timeline.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { matchAria, seeAccessible } from '../support/a11y.mjs'
import { asksOf, consoleForEach } from '../support/console.mjs'
import { soon, until } from '../support/places.mjs'

const here = consoleForEach()
const { post } = asksOf(here)

async function open(options) {
  const page = await here.open(options)
  await page.tab.locator('nav a[href="#/optouts"]').click()
  await until('the screen is there', async () => (await page.text('main h1')) === 'Opt-outs')
  return page
}

async function optOut(...numbers) {
  for (const number of numbers) {
    const response = await post('/contacts/v1/optouts', {
      optouts: [{ number, channel: 'SMS' }],
    })
    assert.equal(response.status, 201)
  }
}

const numbers = (page) => page.texts('table[aria-label=Opt-outs] tbody th')
const alerts = async (page) =>
  (await page.texts('dialog [role=alert]')).filter((text) => text !== '').join(' ')

test('a number is opted out with a reason, and its time line shows it', async () => {
  const page = await open()
  const { tab } = page
  await until('the empty screen says what to do', async () =>
    (await page.texts('main h2')).includes('No opt-outs yet'),
  )
  await seeAccessible(page, 'the empty screen')
  await tab.keyboard.press('Alt+n')
  await tab.getByLabel('Numbers', { exact: true }).fill('+447700900001\n12')
  await tab.getByRole('button', { name: 'Add opt-outs' }).last().click()
  await until('the reason is missed', async () => (await alerts(page)).includes('Enter a reason.'))
  await seeAccessible(page, 'the dialog with a fault')
  await matchAria(page, 'optouts/add', 'dialog[open]')
  await tab.getByRole('textbox', { name: 'Reason', exact: true }).fill('Asked by telephone')
  await tab.getByRole('button', { name: 'Add opt-outs' }).last().click()
  await until('the line with the fault is named', async () => (await alerts(page)).includes('Line 2:'))
  await tab.getByLabel('Numbers', { exact: true }).fill('+447700900001')
  await tab.getByRole('button', { name: 'Add opt-outs' }).last().click()
  await until(
    'it is in the table, on each channel',
    async () => (await numbers(page)).join() === '+447700900001,+447700900001',
  )
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Enter')
  await until(
    'the time line has the reason',
    async () => (await page.text('#panel q')) === 'Asked by telephone',
  )
  await soon(async () =>
    assert.match(
      (await page.texts('#panel .verdict')).join(' '),
      /SMS\s+Must not be messaged[\s\S]*WhatsApp\s+Must not be messaged/,
    ),
  )
  await seeAccessible(page, 'the table with a time line beside')
  await matchAria(page, 'optouts/optouts')
  await tab.keyboard.press('Escape')
  await until('the row has the focus again', () =>
    tab.evaluate(() => document.activeElement?.tagName === 'TR'),
  )
  // The browser reports the one response that refused the invalid line.
  assert.deepEqual(
    page.complaints.filter((text) => !text.includes('422')),
    [],
  )
})

test('the panel removes the selected opt-out alone, and shows at once what is left', async () => {
  for (const channel of ['SMS', 'WHATSAPP']) {
    const response = await post('/contacts/v1/optouts', {
      optouts: [{ number: '+447700900001', channel }],
    })
    assert.equal(response.status, 201)
  }
  const page = await open()
  const { tab } = page
  await until('two rows', async () => (await numbers(page)).length === 2)
  await tab.locator('tbody tr', { hasText: 'WhatsApp' }).focus()
  await tab.keyboard.press('Enter')
  const panel = tab.locator('#panel')
  const verdicts = async () => (await page.texts('#panel .verdict')).join(' ')
  await until('both channels are barred', async () =>
    /SMS\s+Must not[\s\S]*WhatsApp\s+Must not/.test(await verdicts()),
  )
  await panel.getByRole('button', { name: 'Remove…', exact: true }).click()
  await until(
    'the selected record alone is named',
    async () => (await page.count('[data-testid=going] li')) === 1,
  )
  await tab.getByLabel('Type 1, the number of opt-outs to remove, to confirm').fill('1')
  await tab.getByRole('textbox', { name: 'Reason', exact: true }).fill('Asked for messages again')
  await tab.getByRole('button', { name: 'Remove 1 opt-out' }).click()
  await until('the panel shows what is left', async () =>
    /SMS\s+Must not[\s\S]*WhatsApp\s+May be/.test(await verdicts()),
  )
  await panel.getByRole('button', { name: 'Add opt-outs' }).click()
  await tab.getByRole('dialog').getByRole('checkbox', { name: 'SMS' }).uncheck()
  await tab.getByRole('textbox', { name: 'Reason', exact: true }).fill('Asked by telephone')
  await tab.getByRole('dialog').getByRole('button', { name: 'Add opt-outs' }).click()
  await until('and what was added', async () =>
    /SMS\s+Must not[\s\S]*WhatsApp\s+Must not/.test(await verdicts()),
  )
})

test('removal names the records, wants their count and a reason, can be undone, and is not done again by a key', async () => {
  await optOut('+447700900001', '+447700900002')
  const page = await open({ colorScheme: 'dark' })
  const { tab } = page
  await until('two rows', async () => (await numbers(page)).length === 2)
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Control+a')
  await tab.keyboard.press('Delete')
  await until('both records are named', async () => (await page.count('[data-testid=going] li')) === 2)
  await seeAccessible(page, 'the removal in dark')
  await matchAria(page, 'optouts/remove', 'dialog[open]')
  await tab.getByLabel('Type 2, the number of opt-outs to remove, to confirm').fill('1')
  await tab.getByRole('button', { name: 'Remove 2 opt-outs' }).click()
  await until('a wrong count is refused', async () =>
    (await alerts(page)).includes('Type 2, the number of opt-outs to remove.'),
  )
  await tab.getByLabel('Type 2, the number of opt-outs to remove, to confirm').fill('2')
  await tab.getByRole('textbox', { name: 'Reason', exact: true }).fill('Asked for messages again')
  await tab.getByRole('button', { name: 'Remove 2 opt-outs' }).click()
  await until('they are gone', async () => (await page.texts('main h2')).includes('No opt-outs yet'))
  await tab.getByTestId('toast').getByRole('button', { name: 'Undo' }).last().click()
  await until('they are back', async () => (await numbers(page)).length === 2)
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Control+Shift+z')
  await until('the toast says that they stay', async () =>
    (await page.texts('[data-testid=toast]')).some((text) =>
      text.includes('2 opt-outs stay. To remove them, give a reason'),
    ),
  )
  assert.equal((await numbers(page)).length, 2)
})

test('opt-outs that undo and redo keep are not undone in Activity, and return with their reason', async () => {
  const page = await open()
  const { tab } = page
  const toasts = async () => (await page.texts('[data-testid=toast]')).join(' ')
  const timeline = () => page.texts('[data-testid=timeline] .step-text')
  const reasons = () => page.texts('table[aria-label=Opt-outs] tbody tr')
  await tab.keyboard.press('Alt+n')
  await tab.getByLabel('Numbers', { exact: true }).fill('+447700900001')
  await tab.getByRole('textbox', { name: 'Reason', exact: true }).fill('Wrote to us')
  await tab.getByRole('button', { name: 'Add opt-outs' }).last().click()
  await until('both are there', async () => (await numbers(page)).length === 2)
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Control+z')
  await until('they stay', async () => (await toasts()).includes('Nothing was undone. 2 opt-outs stay.'))
  await tab.locator('nav a[href="#/activity"]').click()
  await until('nothing else is shown', async () => {
    const acts = await timeline()
    return acts.length === 1 && acts[0] === 'Added 2 opt-outs of +447700900001'
  })
  assert.equal(await page.count('[data-testid=timeline] li.undone'), 0)
  await tab.locator('nav a[href="#/optouts"]').click()
  await until('both are there', async () => (await numbers(page)).length === 2)
  const { count, stamp } = await here.call('opt_out_removal_preview', {
    what: { records: [{ number: '+447700900001', channel: 'SMS', asset: null }] },
  })
  await here.call('opt_out_remove', {
    what: { records: [{ number: '+447700900001', channel: 'SMS', asset: null }] },
    expected_count: count,
    stamp,
    reason: 'Asked by letter',
  })
  await until('one is removed', async () => (await numbers(page)).length === 1)
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Control+z')
  await until('it is back with its reason', async () => {
    const rows = await reasons()
    return rows.length === 2 && rows.every((row) => row.includes('Wrote to us'))
  })
  await tab.locator('tbody tr').first().focus()
  await tab.keyboard.press('Control+Shift+z')
  await until('it stays', async () => (await toasts()).includes('Nothing was redone. The opt-out stays.'))
  await tab.locator('nav a[href="#/activity"]').click()
  await until('the removal alone is undone', async () => (await timeline()).length === 3)
  assert.deepEqual(
    (await timeline()).map((text) => text.split(' ')[0]),
    ['Undid:', 'Removed', 'Added'],
  )
  assert.equal(await page.count('[data-testid=timeline] li.undone'), 1)
})

test('a number that is shown beside the rows leaves them where they are', async () => {
  await optOut('+447700900001', '+447700900002')
  const page = await open()
  const row = page.tab.locator('main tbody tr').first()
  await row.waitFor()
  const before = await row.boundingBox()
  await row.click()
  await page.tab.locator('#panel').getByText('Current opt-outs').waitFor()
  assert.equal((await row.boundingBox()).y, before.y)
})

test('the look-up gives every line its verdict, by keys', async () => {
  await optOut('+447700900001')
  const page = await open()
  const { tab } = page
  await tab.keyboard.press('Control+l')
  await until('the look-up is there', async () => (await page.text('main h1')) === 'May I message these?')
  await until('what is typed is not lost', () =>
    tab.evaluate(() => document.activeElement?.matches('textarea')),
  )
  await tab.getByLabel('Numbers', { exact: true }).fill('+447700900001, +447700900002\n+447700900002;none')
  await until('numbers are counted', async () =>
    (await page.texts('main .hint')).join().includes('3 numbers and 1 other text'),
  )
  await tab.getByRole('button', { name: 'Look up numbers', exact: true }).click()
  await until(
    'the verdicts sum to the lines',
    async () =>
      (await page.texts('[role=tab]')).join() === 'All4,May be messaged1,Opted out1,Duplicate1,Invalid1',
  )
  await until('why one is invalid is shown', async () =>
    (await page.texts('table[aria-label=Results] tbody tr')).join().includes('No digits'),
  )
  await seeAccessible(page, 'the verdicts')
  await tab.keyboard.press('ArrowRight')
  await tab.keyboard.press('ArrowRight')
  await until(
    'only the opted-out line is left',
    async () => (await page.texts('table[aria-label=Results] tbody th')).join() === '+447700900001',
  )
  await tab.locator('table[aria-label=Results] tbody th a').click()
  await until('its time line is shown', async () => (await page.text('#panel h2')) === '+447700900001')
})

test('an import shows what it would do, adds with the typed count, and only adds', async () => {
  await optOut('+447700900001')
  const page = await open()
  const { tab } = page
  await tab.keyboard.press('Control+Shift+i')
  const rows = 'phone,channel\n+447700900001,SMS\n+447700900002,SMS\n+447700900003,WHATSAPP\nnope,SMS\n'
  await tab.getByLabel('Rows', { exact: true }).waitFor()
  const dropped = await tab.evaluateHandle((text) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([text], 'opt-outs.csv', { type: 'text/csv' }))
    return transfer
  }, rows)
  await tab.getByLabel('Rows', { exact: true }).dispatchEvent('drop', { dataTransfer: dropped })
  const sums = () =>
    until(
      'the buckets sum to the rows',
      async () =>
        (await page.texts('[role=tab]')).join() ===
        'All rows4,New2,Already opted out1,Duplicate in these rows0,Invalid1',
    )
  await sums()
  await until('the focus is on the sums', () => tab.evaluate(() => document.activeElement?.role === 'tab'))
  await seeAccessible(page, 'the import')
  await tab.getByRole('button', { name: 'Change' }).click()
  await until('the rows are there again, to be changed', () =>
    tab.evaluate((text) => document.activeElement?.value === text, rows),
  )
  await tab.getByRole('button', { name: 'Check rows' }).click()
  await sums()
  await tab.getByLabel('Type 2, the number of opt-outs to add, to confirm').fill('3')
  await tab.getByRole('button', { name: 'Add 2 opt-outs' }).click()
  await until('a wrong count is refused', async () =>
    (await page.texts('main [role=alert]')).join().includes('Type 2, the number of opt-outs to add.'),
  )
  await tab.getByLabel('Type 2, the number of opt-outs to add, to confirm').fill('2')
  await tab.getByRole('textbox', { name: 'Reason', exact: true }).fill('List of the old system')
  await tab.getByRole('button', { name: 'Add 2 opt-outs' }).click()
  await until(
    'all three are in the table',
    async () => (await numbers(page)).toSorted().join() === '+447700900001,+447700900002,+447700900003',
  )
})

test('the filters narrow by channel, and the evidence of one number is a chained file', async () => {
  await optOut('+447700900001', '+447700900002')
  const page = await open()
  const { tab } = page
  await until('two rows', async () => (await numbers(page)).length === 2)
  await tab.getByRole('button', { name: 'Filters' }).click()
  await tab.getByRole('combobox', { name: 'Channel', exact: true }).selectOption('WhatsApp')
  await until('no row is of WhatsApp', async () =>
    (await page.texts('main h2')).includes('No matching opt-outs'),
  )
  await seeAccessible(page, 'the filters')
  await tab.getByRole('combobox', { name: 'Channel', exact: true }).selectOption('SMS')
  await until('both are of SMS', async () => (await numbers(page)).length === 2)
  const from = tab.getByLabel('Opted out from', { exact: true })
  await from.fill('1/1/2099')
  await until('nobody opted out that late', async () => (await numbers(page)).length === 0)
  await from.fill('2099')
  await from.press('Tab')
  await until('a part of a date is refused', async () =>
    (await page.texts('main [role=alert]')).join().includes('This is not a date.'),
  )
  await from.fill('')
  await until('without a day both are there', async () => (await numbers(page)).length === 2)

  await tab.locator('main').getByRole('button', { name: 'More' }).click()
  await tab.getByRole('menuitem', { name: 'Export evidence' }).click()
  await tab.getByRole('textbox', { name: 'Number', exact: true }).fill('12')
  await tab.getByRole('button', { name: 'Export evidence', exact: true }).click()
  await until('an invalid number is refused, with a valid example', async () =>
    (await alerts(page)).includes('such as +44'),
  )
  await tab.getByRole('textbox', { name: 'Number', exact: true }).fill('+447700900001')
  const [file] = await Promise.all([
    tab.waitForEvent('download'),
    tab.getByRole('button', { name: 'Export evidence', exact: true }).click(),
  ])
  assert.match(file.suggestedFilename(), /\.csv$/)
  const text = await readFile(await file.path(), 'utf8')
  assert.match(text, /\+447700900001/)
  assert.doesNotMatch(text, /\+447700900002/)
  assert.match(text, /[0-9a-f]{64}/)
})
