// Takes pictures of every screen of the built program, full, empty and with errors, in light and dark; `make
// screenshots` builds it first. They go to target/screenshots with a contact sheet, and the best of the window to the
// folder of the README. `node tests/tooling/screenshots/main.mjs contacts clean-mending …` takes only the named
// pictures: screens of the console's full account or single pictures of them, and `window` for those of the README.
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startBrowser, startServer } from '../../e2e/support/console.mjs'
import { ownFolder, ROOT } from '../../e2e/support/places.mjs'
import { startScreen } from '../../e2e/support/processes.mjs'
import { openAlbum } from './camera.mjs'
import {
  photographEmpty,
  photographEmptyList,
  photographFull,
  photographGone,
  photographWritten,
} from './console.mjs'
import { caller, fill } from './seed.mjs'
import { writeSheet } from './sheet.mjs'
import { copyOf, photographFaults, photographWelcome, photographWindow } from './window.mjs'

/** The pictures in the README, by the names that it uses. */
const SHOWN = {
  'window-contacts-light.png': 'window-light.png',
  'window-qr-light.png': 'window-links.png',
  'window-optouts-dark.png': 'window-dark.png',
}

const names = process.argv.slice(2)
const album = await openAlbum(
  join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'screenshots'),
  names,
)
const folder = await ownFolder()
const place = async (name) => {
  await mkdir(join(folder.path, name), { recursive: true })
  return join(folder.path, name)
}
const screen = await startScreen()
const browser = await startBrowser()
try {
  const account = await photographWelcome(screen.display, album, folder.path)
  const sample = await copyOf(account, join(await place('sample'), 'account.roost'))
  const server = await startServer(
    await place('served'),
    '--console',
    '--allow-private-callbacks',
    `--db=${account}`,
  )
  let world
  try {
    world = await fill(server)
    await photographFull(browser, album, server, world)
    if (album.wants('contacts', 'empty')) await photographEmptyList(browser, album, server, caller(server))
  } finally {
    await server.stop()
  }
  if (names.length === 0 || names.some((name) => /^(?:import|contacts)/.test(name)))
    await photographWritten(browser, album, await place('written'), account, world)
  if (album.isWhole) {
    await photographEmpty(browser, album, await place('empty'))
    for (const theme of ['light', 'dark']) await place(join('gone', theme))
    await photographGone(browser, album, join(folder.path, 'gone'))
    await photographFaults(screen.display, album, folder.path, sample)
  }
  if (album.wants('window')) {
    await photographWindow(screen.display, album, folder.path, account, world)
    for (const [from, to] of Object.entries(SHOWN))
      await copyFile(join(album.folder, from), join(ROOT, 'ui', 'pictures', to))
  }
} finally {
  if (album.isWhole) await writeSheet(album)
  await browser.close()
  await screen.stop()
  await folder.remove()
}
process.stdout.write(
  `${album.pictures.length} pictures; see ${join(album.folder, album.isWhole ? 'index.html' : '')}\n`,
)
for (const name of album.missing()) album.faults.push(`${name}: no picture is called that`)
if (album.faults.length > 0) {
  process.stderr.write(`not taken:\n${album.faults.join('\n')}\n`)
  process.exitCode = 1
}
