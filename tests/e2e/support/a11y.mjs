// What a page is to those who do not see it: no serious finding of axe, and a tree of names and roles that is kept.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ROOT, sleep } from './places.mjs'

const axe = await readFile(
  createRequire(join(ROOT, 'ui', 'package.json')).resolve('axe-core/axe.min.js'),
  'utf8',
)
const SNAPSHOTS = join(ROOT, 'tests', 'e2e', 'snapshots')

/** Fails with the rule, the element and the advice of every finding that is serious or worse. */
export async function seeAccessible(page, where) {
  let found = await findingsOf(page)
  // A message that began to leave while it was looked at has the colours of neither state, and is soon gone.
  if (found.length > 0) {
    await sleep(500)
    found = await findingsOf(page)
  }
  assert.deepEqual(found, [], `${where} is accessible`)
}

async function findingsOf(page) {
  // Colours on their way to another are no colours of the design. What moves for ever has no end to be taken to.
  await page.tab.evaluate(() => {
    for (const one of document.getAnimations())
      if (Number.isFinite(one.effect?.getComputedTiming().endTime)) one.finish()
    return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  })
  if (!(await page.tab.evaluate(() => 'axe' in window))) await page.tab.evaluate(axe)
  const { violations } = await page.tab.evaluate(() =>
    window.axe.run(document, {
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  )
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 200)}\n  ${failureSummary}`),
  )
}

// What differs from one run to the next.
const PASSING = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?/g, '«moment»'],
  [/\d{1,2} [A-Z][a-z]{2,8} \d{4}(,? (at )?\d{1,2}:\d\d(:\d\d)?)?/g, '«moment»'],
  [/\b\d{1,2}:\d\d(:\d\d)?\b/g, '«clock»'],
  [/\b(just now|now|today|yesterday|in a moment|(?:\d+|an?) (?:second|minute|hour|day)s? ago)\b/gi, '«ago»'],
  [/(127\.0\.0\.1|localhost):\d+/g, '«address»'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '«uid»'],
  [/\b[A-Z]{3}_[0-9A-Za-z]{27}\b/g, '«uid»'],
  [/\b\d+([.,]\d+)? (ms|µs)/g, '«time»'],
]

/** How long a page has to come to what it shall read as. */
const SETTLES = 5_000
/** Longer than a grid takes to fill in what is out of view. */
const AT_REST = 600

/** Compares what a screen reader is told, once it is told it, with snapshots/NAME.aria; UPDATE_SNAPSHOTS=1 writes it anew. */
export async function matchAria(page, name, css = 'main', masks = []) {
  // Kept of the browser, whose keys and dates are written otherwise than the window's.
  if (page.tab.kind === 'window') return
  const told = async () => {
    const tree = await page.tab.locator(css).first().ariaSnapshot()
    return `${[...masks, ...PASSING].reduce((text, [what, by]) => text.replaceAll(what, by), tree)}\n`
  }
  const path = join(SNAPSHOTS, `${name}.aria`)
  if (process.env.UPDATE_SNAPSHOTS) {
    // A page on its way to somewhere is no picture to compare with.
    let [before, tree] = ['', await told()]
    while (tree !== before) {
      await sleep(AT_REST)
      ;[before, tree] = [tree, await told()]
    }
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, tree)
    return
  }
  assert.ok(existsSync(path), `${path} is not there; UPDATE_SNAPSHOTS=1 writes it`)
  const wanted = await readFile(path, 'utf8')
  const end = Date.now() + SETTLES
  let last = await told()
  while (last !== wanted && Date.now() < end) {
    await sleep(100)
    last = await told()
  }
  assert.equal(last, wanted, `${name} reads as before; if it should not, UPDATE_SNAPSHOTS=1`)
}
