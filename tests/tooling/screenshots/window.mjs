// Pictures of the real window: what the console lacks, and those of the README.
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startServer } from '../../e2e/support/console.mjs'
import { chooseCountry } from '../../e2e/support/journeys.mjs'
import { sleep, until } from '../../e2e/support/places.mjs'
import { openWindow } from '../../e2e/support/window/open.mjs'
import { rest, THEMES } from './camera.mjs'
import { caller, rest as ask } from './seed.mjs'

/** The web view shows its scrollbars over new content for a while before they fade. */
const BARS_MS = 3_000
const ACCOUNT = 'corner-shop.roost'
const START = '[data-testid=welcome] button[type=submit]'
const NO_CARET = `
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { caret-color: transparent !important }')
  document.adoptedStyleSheets = [sheet]`

/** Opens a window on its own data folder, in a theme. */
async function open(display, folder, theme) {
  await mkdir(join(folder, 'account'), { recursive: true })
  await writeFile(join(folder, 'account', 'preferences.json'), JSON.stringify({ theme, motion: 'reduced' }))
  const page = await openWindow({ display, folder })
  const at = async () => {
    await page.run(NO_CARET)
    await rest(page)
  }
  return {
    ...page,
    rest: at,
    async goTo(place) {
      await page.run('location.hash = arguments[0]; location.reload()', place)
      await until(`${place} is shown`, () => page.count('main :is(h1, h2)'))
      await at()
    },
  }
}

/** Takes pictures of the first run in both themes; returns the account file with sample data that it created. */
export async function photographWelcome(display, album, folder) {
  for (const theme of THEMES) {
    const home = join(folder, `welcome-${theme}`)
    const page = await open(display, home, theme)
    try {
      await until('the welcome is shown', () => page.count(START))
      await page.rest()
      await album.take(page, 'welcome', 'empty', theme, 'window')
      await page.fill('[data-testid=welcome] input:not([type=radio])', ' ')
      await page.click(START)
      await until('the name is missed', () => page.count('[data-testid=welcome] [aria-invalid=true]'))
      await page.rest()
      await album.take(page, 'welcome', 'error', theme, 'window')
      await page.run(`document.querySelector('[data-testid=welcome] input[value=sample]').click()`)
      await page.fill('[data-testid=welcome] input:not([type=radio])', 'Corner Shop')
      await chooseCountry(page)
      await page.click(START)
      await until('the account is open', async () =>
        /^\d/.test((await page.text('[data-testid=overview-lists]')) ?? ''),
      )
      await page.rest()
      await album.take(page, 'home', 'first-run', theme, 'window')
    } finally {
      await page.close()
    }
  }
  return copyOf(join(folder, 'welcome-light', 'account', ACCOUNT), join(folder, 'served', ACCOUNT))
}

/** Copies an account that is not open, with the files beside it. */
export async function copyOf(from, to) {
  await mkdir(join(to, '..'), { recursive: true })
  for (const beside of ['', '-wal', '-shm'])
    await cp(from + beside, to + beside).catch((error) => {
      if (beside === '' || error.code !== 'ENOENT') throw error
    })
  return to
}

/** Takes pictures of accounts that cannot be opened. */
export async function photographFaults(display, album, folder, account) {
  for (const theme of THEMES) {
    const damaged = join(folder, `damaged-${theme}`)
    await mkdir(join(damaged, 'account'), { recursive: true })
    await writeFile(join(damaged, 'account', 'account.roost'), 'no database at all '.repeat(500))
    await fault('damaged', damaged, theme)

    const held = join(folder, `locked-${theme}`)
    const file = await copyOf(account, join(held, 'account', 'account.roost'))
    const holder = await startServer(held, '--db', file)
    await fault('locked', held, theme).finally(() => holder.stop())
  }

  async function fault(state, home, theme) {
    const page = await open(display, home, theme)
    try {
      await until('the fault is shown', () => page.count('[data-testid=account-fault]'))
      await page.rest()
      await album.take(page, 'account', state, theme, 'window')
    } finally {
      await page.close()
    }
  }
}

/** Takes pictures of the full account in the window, with a second account, and of the local server before and after
 *  its start. */
export async function photographWindow(display, album, folder, account, { list, link, vips, optedOut }) {
  const other = await copyOf(account, join(folder, 'other', 'harbour-cafe.roost'))
  const holder = await startServer(join(folder, 'other'), '--console', '--db', other)
  await caller(holder)('account_rename', { name: 'Harbour Café' })
  await caller(holder)('account_recolour', { colour: 'orange' })
  await holder.stop()
  for (const theme of THEMES) {
    const home = join(folder, `window-${theme}`)
    // The only account of this name opens at once, without a question.
    await copyOf(account, join(home, 'account', 'account.roost'))
    const page = await open(display, home, theme)
    const take = async (screen, state) => {
      if (album.wants(screen, state)) await sleep(BARS_MS)
      await album.take(page, screen, state, theme, 'window')
    }
    try {
      await until('the account is open', async () =>
        /^\d/.test((await page.text('[data-testid=overview-lists]')) ?? ''),
      )
      await copyOf(other, join(home, 'account', 'harbour-cafe.roost'))
      await page.goTo('#/accounts')
      await take('accounts', 'full')
      await page.goTo('#/server')
      await take('server', 'stopped')
      await page.goTo(`#/lists/${list('VIP customers')}/${vips[0].uid}`)
      await until('the record is open', () => page.count('[data-testid=contact-record] input'))
      await page.rest()
      await take('window', 'contacts')
      await page.goTo(`#/links/${link('Spring catalogue').link_id}`)
      await until('the clicks are counted', () => page.count('#panel figure'))
      await page.rest()
      await take('window', 'links')
      await page.click('#panel button:has(.lucide-qr-code)')
      await until('the code is drawn', () => page.count('dialog[open] svg[role=img]'))
      await page.rest()
      await take('window', 'qr')
      await page.goTo(`#/optouts/${encodeURIComponent(optedOut)}`)
      await until('the time line is shown', () => page.count('#panel q'))
      await page.rest()
      await take('window', 'optouts')
      await album.attempt(`window, server, ${theme}`, async () => {
        await journal(page, list)
        await take('window', 'server')
      })
    } finally {
      await page.close()
    }
  }
}

/** Starts the local server by its button, sends requests as a program would, and opens the refused one. */
async function journal(page, list) {
  await page.goTo('#/server')
  await page.click('[data-testid=server-start] button.primary')
  const url = await until('the server runs', () => page.text('[data-testid=server-url]'))
  const paths = [
    '/contacts/v1/lists/?page_size=25',
    `/contacts/v1/contacts/list/${list('Suppliers')}?page_size=10`,
  ]
  for (const path of paths) await ask(url, 'GET', path)
  await ask(url, 'GET', '/assets/v1/senders/?page_size=101')
  await ask(url, 'POST', '/contacts/v1/lists/create', { name: 'Made by the shop system' })
  await ask(url, 'POST', '/contacts/v1/lists/create', { name: '' })
  await until('the requests are listed', async () => (await page.count('main tbody tr')) >= 5)
  // A callback of the account may have been attempted since.
  await page.tab.locator('main tbody tr', { hasText: '/contacts/v1/lists/create' }).first().click()
  await page.tab.getByRole('tab', { name: 'Reason' }).click()
  await until('the reason is shown', () => page.count('[data-testid=refused]'))
  // Close the message of the start, so that the picture shows only the rows.
  await page.run(
    `document.querySelectorAll('[data-testid=toast] button').forEach((button) => button.click())
     document.querySelector('main tbody tr:last-child').scrollIntoView({ block: 'end' })`,
  )
  await until('the message is gone', async () => (await page.count('[data-testid=toast]')) === 0)
  await page.rest()
}
