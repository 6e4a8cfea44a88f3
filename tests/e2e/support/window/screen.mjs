// Input on the screen itself, where the driver cannot reach.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { sleep, until } from '../places.mjs'

const run = promisify(execFile)

const actOn =
  (display) =>
  async (...args) =>
    (await run('xdotool', args, { env: { ...process.env, DISPLAY: display } })).stdout

/** Clicks the right button. The driver presses it but then releases the left one. */
export const clickRight = ({ display }, x, y) =>
  // Without --sync, which never returns if the pointer is there already. The screen handles the events in order.
  actOn(display)('mousemove', String(x), String(y), 'click', '3')

/** Presses keys of the keyboard, which pass the toolkit before the page: those of the driver reach only the page. */
export async function pressOnScreen({ display }, ...keys) {
  const act = actOn(display)
  const [window] = (await act('search', '--onlyvisible', '--name', 'Roost')).trim().split('\n')
  // Without a window manager, nothing else gives it the focus.
  await act('windowfocus', '--sync', window)
  for (const key of keys) {
    await act('key', key)
    await sleep(100)
  }
}

/** Chooses an item of the last native menu and waits until `isDone`. The page draws its menus some time after it is
 *  shown, and a key that arrives before is lost, so the item is chosen again after a while. */
async function chooseHelpItem(place, step, isDone) {
  await until('the menu item has acted', async () => {
    await pressOnScreen(place, 'F10', 'Left', step, 'Return')
    const hasActed = await until('it acts', isDone, 3_000).catch(() => false)
    // Close the menu if it is still open.
    if (!hasActed) await pressOnScreen(place, 'Escape', 'Escape')
    return hasActed
  })
}

/** Chooses the last item of the last native menu and waits until `isDone`. */
export const chooseLastMenuItem = (place, isDone) => chooseHelpItem(place, 'Up', isDone)

/** Chooses the first item of the last native menu and waits until `isDone`. */
export const chooseFirstHelpItem = (place, isDone) => chooseHelpItem(place, 'Down', isDone)

/** Saves what the next dialog asks about, under the proposed name; returns the same as a browser's download. */
export async function saveNext({ display, folder }) {
  const act = actOn(display)
  const place = await mkdtemp(join(folder, 'saved-'))
  const dialog = await until('a dialog asks where to save', async () => {
    const found = await act('search', '--onlyvisible', '--name', '^Save File$')
    return found.trim().split('\n').at(-1)
  })
  // Without a window manager, nothing else gives it the focus.
  await act('windowfocus', '--sync', dialog)
  // Type the folder before the proposed name.
  await act('key', 'Home')
  await act('type', `${place}/`)
  await act('key', 'Return')
  const name = await until('the file is there', async () =>
    (await readdir(place)).find((one) => !one.startsWith('.')),
  )
  return { suggestedFilename: () => name, path: async () => join(place, name) }
}
