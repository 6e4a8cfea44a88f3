// A screen reader for the real window: it reads the objects and hears the events that AT-SPI gives to Orca.
import { execFile } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { until } from '../places.mjs'
import { start } from '../processes.mjs'
import { startBus } from './bus.mjs'
import { windowEnvironment } from './open.mjs'

const run = promisify(execFile)
const LAUNCHER = '/usr/libexec/at-spi-bus-launcher'
/** The system's Python, because python3-gi is installed for no other. */
const PYTHON = '/usr/bin/python3'
const SCRIPT = fileURLToPath(new URL('screen-reader.py', import.meta.url))
const MOST_BYTES = 64 * 1024 * 1024

/** Returns an object and all objects below it. */
export const withChildren = (one) => [one, ...one.children.flatMap(withChildren)]

/** Starts a session bus and the bus of screen readers. A window that is opened with `env` can be read. */
export async function startScreenReader({ display, folder }) {
  const bus = await startBus(folder)
  const env = { ...windowEnvironment({ display, folder }), ...bus.env }
  const launcher = start(LAUNCHER, ['--launch-immediately'], { env, stdio: 'ignore' })
  const died = launcher.ended.then(() => {
    throw new Error(`${LAUNCHER} has ended`)
  })
  died.catch(() => undefined)
  const readPrograms = async () =>
    JSON.parse((await run(PYTHON, [SCRIPT, 'tree'], { env, maxBuffer: MOST_BYTES })).stdout)
  let listener
  const reader = {
    env: { ...bus.env, NO_AT_BRIDGE: undefined },
    /** Returns all objects of the window now. Reading fails if an object disappears meanwhile, so it is repeated. */
    async readWindow() {
      const [program] = await until('the window can be read', readPrograms)
      return withChildren(program)
    },
    /** Returns all objects of the page now; the first one is the page. */
    readPage: async () =>
      withChildren((await reader.readWindow()).find(({ role }) => role === 'document web')),
    /** Returns a function that returns the object that got the focus last, also within a grid or a list. */
    async followFocus() {
      let last
      listener = start(PYTHON, [SCRIPT, 'listen'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      createInterface({ input: listener.child.stdout }).on('line', (line) => (last = JSON.parse(line)))
      await until('the screen reader listens', () => last !== undefined)
      return () => last
    },
    async stop() {
      await listener?.stop()
      await launcher.stop()
      await bus.stop()
    },
  }
  try {
    // A window that starts before the bus answers can never be read.
    await Promise.race([until('the bus of screen readers answers', readPrograms), died])
  } catch (error) {
    await reader.stop()
    throw error
  }
  return reader
}
