// Takes pictures of pages at rest and records what they show, for the contact sheet.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../e2e/support/places.mjs'

export const THEMES = ['light', 'dark']

/** Opens a folder of pictures, each named `<screen>-<state>-<theme>.png`. With names, which are screens or
 *  `<screen>-<state>`, it takes only those pictures and leaves the others in the folder. */
export async function openAlbum(folder, names = []) {
  const isWhole = names.length === 0
  if (isWhole) await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const pictures = []
  const faults = []
  return {
    folder,
    pictures,
    faults,
    isWhole,
    wants: (screen, state) => isWhole || names.includes(screen) || names.includes(`${screen}-${state}`),
    /** Names that match no picture. */
    missing: () =>
      names.filter(
        (name) => !pictures.some(({ screen, state }) => [screen, `${screen}-${state}`].includes(name)),
      ),
    /** Takes a picture. A failure is reported at the end and does not prevent other pictures. */
    async attempt(what, act) {
      await act().catch((error) => faults.push(`${what}: ${error.message}`))
    },
    async take(page, screen, state, theme, source = 'console') {
      if (!this.wants(screen, state)) return
      const file = `${screen}-${state}-${theme}.png`
      if (pictures.some((other) => other.file === file)) throw new Error(`two pictures are called ${file}`)
      await page.screenshot(join(folder, file))
      pictures.push({ file, screen, state, theme, source })
    },
  }
}

/** Returns what is still loading or moving on a page, if anything. */
const RESTLESS = `
  const busy = document.querySelector('[aria-busy=true]')
  if (busy !== null) return 'busy: ' + busy.className
  if (document.fonts.status !== 'loaded') return 'fonts are loading'
  const moving = document.getAnimations().find((animation) => animation.playState === 'running')
  return moving === undefined ? '' : 'moving: ' + moving.effect?.target?.className`

/** Tracks the pending calls of a tab; a new page starts with none. */
export function watchCalls(tab) {
  const open = new Set()
  tab.on('request', (request) => request.url().includes('/__console/call/') && open.add(request))
  for (const end of ['requestfinished', 'requestfailed']) tab.on(end, (request) => open.delete(request))
  tab.on('domcontentloaded', () => open.clear())
  return () => open.size
}

/** Waits until several successive checks find the page unchanged, with no call pending. */
export async function rest(page, calls = () => 0) {
  let quiet = 0
  let restless = ''
  await until('the page is at rest', async () => {
    restless = (await page.run(RESTLESS)) || (calls() > 0 ? `${calls()} calls under way` : '')
    quiet = restless === '' ? quiet + 1 : 0
    return quiet >= 4
  }).catch((error) => {
    throw new Error(`${error.message}; ${restless}`)
  })
}
