// The accessibility of a page: no serious finding of axe, and a stored tree of names and roles.
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

/** Fails with the rule, the element and the advice of every serious finding. */
export async function seeAccessible(page, where) {
  let found = await findingsOf(page)
  // A toast that was fading out has blended colours, and soon disappears.
  if (found.length > 0) {
    await sleep(500)
    found = await findingsOf(page)
  }
  assert.deepEqual(found, [], `${where} is accessible`)
}

async function findingsOf(page) {
  // Finish transitions, whose intermediate colours are not part of the design. Endless animations cannot be finished.
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

// Texts that differ from run to run.
const PASSING = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?/g, '«moment»'],
  [/\d{1,2} [A-Z][a-z]{2,8} \d{4}(,? (at )?\d{1,2}:\d\d(:\d\d)?)?/g, '«moment»'],
  [/\b\d{1,2}:\d\d(:\d\d)?\b/g, '«clock»'],
  [/\b(just now|today|yesterday|in a moment|(?:\d+|an?) (?:second|minute|hour|day)s? ago)\b/gi, '«ago»'],
  [/(127\.0\.0\.1|localhost):\d+/g, '«address»'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '«uid»'],
  [/\b[A-Z]{3}_[0-9A-Za-z]{27}\b/g, '«uid»'],
  [/\b\d+([.,]\d+)? (ms|µs)/g, '«time»'],
]

/** The time that a page may take to match the snapshot. */
const SETTLES = 5_000
/** Longer than a grid takes to fill in cells outside the view. */
const AT_REST = 600

/** Compares the accessibility tree with snapshots/NAME.aria as soon as it matches; UPDATE_SNAPSHOTS=1 writes the
 *  file again. */
export async function matchAria(page, name, css = 'main', masks = []) {
  // The snapshots are those of the browser; the window writes keys and dates differently.
  if (page.tab.kind === 'window') return
  const readTree = async () => {
    const tree = await page.tab.locator(css).first().ariaSnapshot()
    return `${[...masks, ...PASSING].reduce((text, [what, by]) => text.replaceAll(what, by), tree)}\n`
  }
  const path = join(SNAPSHOTS, `${name}.aria`)
  if (process.env.UPDATE_SNAPSHOTS) {
    // Write the tree only when it no longer changes.
    let [before, tree] = ['', await readTree()]
    while (tree !== before) {
      await sleep(AT_REST)
      ;[before, tree] = [tree, await readTree()]
    }
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, tree)
    return
  }
  assert.ok(existsSync(path), `${path} is not there; UPDATE_SNAPSHOTS=1 writes it`)
  const wanted = await readFile(path, 'utf8')
  const end = Date.now() + SETTLES
  let last = await readTree()
  while (last !== wanted && Date.now() < end) {
    await sleep(100)
    last = await readTree()
  }
  assert.equal(last, wanted, `${name} reads as before; if it should not, UPDATE_SNAPSHOTS=1`)
}
