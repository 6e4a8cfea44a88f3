// Someone who opted out and has another number by an act is not messaged without a question.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleForEach } from '../support/console.mjs'
import { at, cell, listOf } from '../support/grid.mjs'
import { until } from '../support/places.mjs'

const here = consoleForEach()
const OPTED_OUT = '+447700900011'

async function open() {
  const list = await listOf(here, 'Newsletter', [{ number: 10 }, { number: 11, firstname: 'Ann' }])
  await here.call('opt_out_add', {
    entries: [{ number: OPTED_OUT, channels: ['SMS', 'WHATSAPP'], asset: null }],
    reason: 'Asked by telephone',
    region: null,
  })
  const page = await at(here, list)
  return {
    ...page,
    question: page.tab.getByTestId('toast').filter({ hasText: 'Opt out' }),
    states: async (number) => (await here.call('opt_out_states', { numbers: [number] })).states[0],
  }
}

test('a number typed over one that opted out is asked about, and opted out with a click', async () => {
  const page = await open()
  const { tab } = page
  const type = async (text) => {
    await (await cell(page, OPTED_OUT, 'Phone number')).click()
    await tab.keyboard.type(text)
    await tab.keyboard.press('Enter')
  }
  await type('07700 900077')
  await page.question
    .getByText(`This person opted out on ${OPTED_OUT}. Opt out +447700900077 as well?`)
    .waitFor()
  await tab.keyboard.press('Control+z')
  await until('the question goes with the act', async () => (await page.question.count()) === 0)
  await type('07700 900078')
  await page.question.getByRole('button', { name: 'Opt out the new number' }).click()
  await until('it is opted out', async () => (await page.states('+447700900078'))?.sms.is_account === true)
  assert.equal(await page.states('+447700900077'), undefined)
  await until('the question is answered', async () => (await page.question.count()) === 0)
})

test('a number that the record adds is asked about, until the question is closed', async () => {
  const page = await open()
  const { tab } = page
  await (await cell(page, OPTED_OUT, 'First name')).click()
  await tab.keyboard.press('F4')
  await tab.locator('[name=whatsapp_id]').fill('07700 900079')
  await tab.keyboard.press('Enter')
  await page.question.getByText('Opt out +447700900079 as well?').waitFor()
  await page.question.getByRole('button', { name: 'Dismiss' }).click()
  await until('it is closed', async () => (await page.question.count()) === 0)
  assert.equal(await page.states('+447700900079'), undefined)
})
