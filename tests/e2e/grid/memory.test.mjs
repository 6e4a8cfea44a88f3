// The page must not grow while a very long list of 24 columns is scrolled from the first row to the last: at the end it
// has as much memory and as many elements as soon after the start.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { consoleForAll } from '../support/console.mjs'
import { longList, MANY, onlyList, openLong, showEverything } from '../support/long-list.mjs'

/** Stops on the way, so far apart that no stop has rows loaded already. */
const STOPS = 250
/** The growth that is allowed between a tenth of the way and the end. */
const FACTOR = 1.2
const SLACK_BYTES = 1_000_000
const MOST_BYTES = 60_000_000
/** Limits the wait at a stop, so that one which never ends is reported. */
const MOST_MS = 60_000

const here = consoleForAll({ fill: (file) => longList(file, MANY) })
let list

beforeEach(async () => {
  if (list !== undefined) return
  list = await onlyList(here.call)
  await showEverything(here.call, list)
})

test('the page needs no more memory after all rows than after a tenth of them', async (t) => {
  const page = await openLong(here, list, MANY)
  const { tab } = page
  const cdp = await tab.context().newCDPSession(tab)
  await cdp.send('HeapProfiler.enable')

  /** Measures after a garbage collection. */
  const measured = async () => {
    await cdp.send('HeapProfiler.collectGarbage')
    const { usedSize: bytes, backingStorageSize: buffers = 0 } = await cdp.send('Runtime.getHeapUsage')
    const { nodes, jsEventListeners: listeners } = await cdp.send('Memory.getDOMCounters')
    return { bytes: bytes + buffers, nodes, listeners }
  }
  /** Moves the thumb from stop to stop, and waits at each until new rows are loaded. */
  const pass = (from, to) =>
    tab.evaluate(
      async ([first, last, stops, most, near]) => {
        const bar = document.querySelector('.bar.down')
        const grid = document.querySelector('[role=grid]')
        const top = () => document.querySelector('.body .line [aria-colindex="2"]').textContent
        const way = bar.scrollHeight - bar.clientHeight
        const seen = new Set(['', top()])
        for (let stop = first + 1; stop <= last; stop += 1) {
          const wanted = (way * stop) / stops
          const begun = performance.now()
          do {
            // The grid may reset the thumb between the change and its event.
            if (Math.abs(bar.scrollTop - wanted) > near) bar.scrollTop = wanted
            await new Promise(requestAnimationFrame)
            if (performance.now() - begun > most) throw new Error(`no rows came at stop ${stop}`)
          } while (grid.getAttribute('aria-busy') === 'true' || seen.has(top()))
          seen.add(top())
        }
      },
      [from * STOPS, to * STOPS, STOPS, MOST_MS, 20],
    )

  await pass(0, 0.1)
  const early = await measured()
  await pass(0.1, 0.5)
  const half = await measured()
  await pass(0.5, 1)
  await page.standsAt(MANY - 1)
  const late = await measured()

  for (const [where, now] of [
    ['half-way', half],
    ['at the end', late],
  ]) {
    const message = `${where} ${JSON.stringify(now)}, after a tenth ${JSON.stringify(early)}`
    assert.ok(now.bytes < early.bytes * FACTOR + SLACK_BYTES, message)
    assert.ok(now.bytes < MOST_BYTES, message)
    assert.ok(now.nodes < early.nodes * FACTOR, message)
    assert.ok(now.listeners <= early.listeners * FACTOR, message)
  }
  t.diagnostic(`a tenth ${JSON.stringify(early)}, half ${JSON.stringify(half)}, all ${JSON.stringify(late)}`)
  assert.deepEqual(page.complaints, [])
})
