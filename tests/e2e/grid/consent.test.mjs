// If an act gives a new number to a person who opted out, the page asks before that number can be messaged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleForEach } from '../support/console.mjs'
import { at, cell, listOf, row } from '../support/grid.mjs'
import { dropped, mapped, rehearsed } from '../support/imports.mjs'
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
  await page.question.getByRole('button', { name: 'Opt out +447700900078' }).click()
  await until('it is opted out', async () => (await page.states('+447700900078'))?.sms.is_account === true)
  assert.equal(await page.states('+447700900077'), undefined)
  await until('the question is answered', async () => (await page.question.count()) === 0)
})

test('a number that the record adds is asked about, and the question waits on Home until it is decided', async () => {
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

  await page.run("location.hash = '#/overview'")
  const waiting = tab.getByTestId('waiting').getByRole('listitem').filter({ hasText: OPTED_OUT })
  await waiting.getByText('Opt out +447700900079 as well?').waitFor()
  await waiting.getByRole('button', { name: 'Don’t opt out' }).click()
  await until('the user decided', async () => (await waiting.count()) === 0)
  await tab.reload()
  await tab.getByText('Nothing is waiting.').waitFor()
  assert.equal(await page.states('+447700900079'), undefined)
})

test('numbers that an import and a cell add are asked about together', async () => {
  const page = await open()
  const { tab } = page
  await dropped(page, { name: 'guests.csv', text: `Phone,WhatsApp\n${OPTED_OUT},07700900080\n` })
  await mapped(page)
  await rehearsed(page)
  await page.press('Control+Shift+Enter')
  await page.question.getByText('Opt out +447700900080 as well?').waitFor()
  await tab.getByRole('button', { name: 'Open the list' }).click()
  await row(page, OPTED_OUT).waitFor()
  await (await cell(page, OPTED_OUT, 'Phone number')).click()
  await tab.keyboard.type('07700 900081')
  await tab.keyboard.press('Enter')
  await page.question.getByText('2 numbers belong to people who opted out on another number.').waitFor()
  await page.question.getByRole('button', { name: 'Opt out 2 numbers' }).click()
  await until('both are opted out', async () => {
    const [whatsapp, sms] = [await page.states('+447700900080'), await page.states('+447700900081')]
    return whatsapp?.whatsapp.is_account === true && sms?.sms.is_account === true
  })
})
