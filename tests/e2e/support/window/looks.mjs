// Looks at the layout of what a window shows: in every size, theme and zoom, or in one.
import assert from 'node:assert/strict'
import process from 'node:process'
import { picture, sleep } from '../places.mjs'
import { layoutFaults } from './layout.mjs'

const SIZES = [
  [1280, 800],
  [1440, 900],
  [1024, 700],
]
const ZOOMS = [100, 200]
const THEMES = ['light', 'dark']

/** What the page's preferences set. Setting it here closes no menu. */
const SHOW_AS = `
  const root = document.documentElement
  root.dataset.scheme = arguments[0]
  root.style.setProperty('--zoom', String(arguments[1] / 100))`
const HAS_MENU = `return document.querySelector('[role=menu]') !== null`

/** Creates a look. `look(what, reopen)` records the faults of what is shown; `reopen` shows it again in a menu, which
 *  closes when the window changes its width. `seeNone` fails if there were faults, or others. `takes` is called with the name of a
 *  theme and must say whether a picture is wanted in the first size. */
export function createLook(page, { isWhole, takes = () => false }) {
  const found = new Map()
  const nameOf = (what) => what.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()
  const sizes = isWhole ? SIZES : SIZES.slice(0, 1)
  const zooms = isWhole ? ZOOMS : ZOOMS.slice(0, 1)
  const themes = isWhole ? THEMES : THEMES.slice(0, 1)

  let zoomNow = ZOOMS[0]
  let themeNow = THEMES[0]
  const apply = () => page.run(SHOW_AS, themeNow, zoomNow)
  const showAs = (theme, zoom) => {
    themeNow = theme
    zoomNow = zoom
    return apply()
  }

  async function lookOnce(what, [width, height], zoom, theme) {
    await showAs(theme, zoom)
    const part = zoom === ZOOMS[0] ? theme : `${theme}-${zoom}`
    if (width === SIZES[0][0] && takes(theme))
      await page.screenshot(await picture(`look-${nameOf(what)}-${part}`))
    for (const fault of await layoutFaults(page)) {
      const key = `${what}: ${fault.replace(/ \([-\d ]+\)$/, '')}`
      if (found.has(key)) continue
      found.set(key, `${what}, ${width} × ${height}, ${theme}, ${zoom} %: ${fault}`)
      if (process.env.ROOST_PICTURES === '1') process.stderr.write(`${found.get(key)}\n`)
      await page.screenshot(await picture(`layout-fault-${nameOf(what)}-${width}-${zoom}-${theme}`))
    }
  }

  return {
    /** Shows a page that was loaded again in the theme and zoom of the look that goes on. */
    apply,
    async look(what, reopen) {
      const isMenu = await page.run(HAS_MENU)
      for (const size of sizes) {
        for (const zoom of zooms) {
          if (isWhole) {
            await showAs(THEMES[0], zoom)
            await page.resize(...size)
            if (isMenu) await reopen?.()
            await sleep(60)
          }
          for (const theme of themes) await lookOnce(what, size, zoom, theme)
        }
      }
      if (!isWhole) return
      await showAs(THEMES[0], ZOOMS[0])
      await page.resize(...SIZES[0])
    },
    seeNone(others = []) {
      const faults = [...others, ...found.values()]
      found.clear()
      assert.deepEqual(faults, [])
    },
  }
}
