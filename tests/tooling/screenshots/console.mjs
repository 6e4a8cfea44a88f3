// Pictures of the web console in Chromium: the full account, a new account, and a stopped server.
import { join } from 'node:path'
import { openConsole, startServer } from '../../e2e/support/console.mjs'
import { until } from '../../e2e/support/places.mjs'
import { rest, THEMES, watchCalls } from './camera.mjs'
import { written } from './contacts.mjs'
import { full } from './full.mjs'
import { imports } from './import.mjs'
import { copyOf } from './window.mjs'

const SECTIONS = ['overview', 'lists', 'fields', 'optouts', 'links', 'senders', 'server', 'activity', 'trash']
const SCREEN_OF = { overview: 'home' }

/** Opens a console in a theme, with a function that goes to a route on a new page. */
async function visit(browser, url, theme) {
  const page = await openConsole(browser, url, { colorScheme: theme, reducedMotion: 'reduce' })
  const { tab } = page
  tab.setDefaultTimeout(5_000)
  // Store no state, so that no picture depends on an earlier one.
  await tab.route('**/call/ui_state_put', (route) => route.fulfill({ json: {} }))
  const calls = watchCalls(tab)
  return {
    ...page,
    async rest() {
      // Move the pointer away, because it would highlight the element under it.
      await tab.mouse.move(640, 799)
      await rest(page, calls)
    },
    async goTo(place) {
      await tab.evaluate((hash) => history.replaceState(null, '', hash), place)
      await tab.reload()
      await until(`${place} is shown`, () => page.count('main :is(h1, h2)'))
      await rest(page, calls)
    },
  }
}

const inEachTheme = (act) => Promise.all(THEMES.map(act))

export async function photographFull(browser, album, server, world) {
  await inEachTheme((theme) => photograph(browser, album, server, full(world), theme))
}

/** Takes pictures that change the account, in each theme on a separate copy. */
export async function photographWritten(browser, album, folder, account, world) {
  await inEachTheme(async (theme) => {
    const copy = await copyOf(account, join(folder, theme, 'account.roost'))
    const server = await startServer(join(folder, theme), '--console', `--db=${copy}`)
    try {
      await photograph(browser, album, server, [...written(world), ...imports(world)], theme)
    } finally {
      await server.stop()
    }
  })
}

async function photograph(browser, album, server, scenes, theme) {
  const page = await visit(browser, server.console_url, theme)
  for (const [screen, state, place, act] of scenes) {
    if (!album.wants(screen, state)) continue
    await album.attempt(`${screen}, ${state}, ${theme}`, async () => {
      await page.goTo(place)
      await act?.(page.tab)
      await page.rest()
      await album.take(page, screen, state, theme)
    })
  }
  await page.close()
}

export async function photographEmpty(browser, album, folder) {
  const server = await startServer(folder, '--console')
  try {
    await inEachTheme(async (theme) => {
      const page = await visit(browser, server.console_url, theme)
      for (const section of SECTIONS) {
        await page.goTo(`#/${section}`)
        await album.take(page, SCREEN_OF[section] ?? section, 'empty', theme)
      }
      await page.goTo('#/senders/numbers')
      await album.take(page, 'numbers', 'empty', theme)
      await page.goTo('#/activity/jobs')
      await album.take(page, 'jobs', 'empty', theme)
      await page.close()
    })
  } finally {
    await server.stop()
  }
}

/** Takes a picture of a list without contacts. */
export async function photographEmptyList(browser, album, server, call) {
  const { uid } = await call('list_create', { name: 'Empty list' })
  await inEachTheme(async (theme) => {
    const page = await visit(browser, server.console_url, theme)
    await page.goTo(`#/lists/${uid}`)
    await album.take(page, 'contacts', 'empty', theme)
    await page.close()
  })
}

/** Takes pictures of every section after its server has stopped, and of a page without a token. */
export async function photographGone(browser, album, folder) {
  await inEachTheme(async (theme) => {
    const server = await startServer(join(folder, theme), '--console')
    const stranger = await visit(browser, server.console_url.replace(/#.*/, ''), theme)
    await until('the page misses its token', () => stranger.count('[data-testid=account-fault]'))
    await stranger.rest()
    await album.take(stranger, 'token', 'error', theme)
    await stranger.close()

    const page = await visit(browser, server.console_url, theme)
    // Load each screen while the server still runs.
    for (const section of SECTIONS) await page.goTo(`#/${section}`)
    for (const section of SECTIONS) await open(page, section)
    await server.stop()
    await until(
      'the status bar shows it',
      async () => (await page.text('[data-testid=transport]')) === 'Reconnecting…',
    )
    for (const section of SECTIONS) {
      await album.attempt(`${section}, error, ${theme}`, async () => {
        await open(page, section)
        await album.take(page, SCREEN_OF[section] ?? section, 'error', theme)
      })
    }
    await page.close()
  })
}

async function open(page, section) {
  await page.click(`#sidebar a[href="#/${section}"]`)
  await until(`${section} is shown`, async () => (await page.run('return location.hash')) === `#/${section}`)
  await page.rest()
}
