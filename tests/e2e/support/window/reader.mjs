// A screen reader's view of the real window.
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { ROOT, until } from '../places.mjs'
import { start } from '../processes.mjs'
import { startBus } from './bus.mjs'
import { windowEnvironment } from './open.mjs'

/** The Python of the system, because its packages have AT-SPI. */
const PYTHON = '/usr/bin/python3'

/** Starts a bus on which programs are accessible, and listens to what a screen reader would say. */
export async function startReader(place) {
  const env = { ...windowEnvironment(place), NO_AT_BRIDGE: '0' }
  const bus = await startBus(place.folder, { services: ['org.a11y.Bus'], env })
  Object.assign(env, bus.env)
  const listener = start(PYTHON, [join(ROOT, 'tests', 'e2e', 'support', 'window', 'heard.py')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const heard = []
  createInterface(listener.child.stdout).on('line', (line) => heard.push(JSON.parse(line)))
  const reader = {
    env: { ...bus.env, NO_AT_BRIDGE: '0' },
    /** Forgets what was heard. */
    forget: () => heard.splice(0),
    /** Waits until a text was said that is accepted. */
    hears: (what, accepts) =>
      until(`${what} is heard`, () => {
        if (heard.some(accepts)) return true
        throw new Error(`heard ${JSON.stringify(heard)}`)
      }),
    announces: (text) =>
      reader.hears(`“${text}”`, (said) => said.kind === 'announced' && said.text.trim() === text),
    async stop() {
      await listener.stop()
      await bus.stop()
    },
  }
  await reader.hears('the reader', ({ kind }) => kind === 'ready')
  return reader
}
