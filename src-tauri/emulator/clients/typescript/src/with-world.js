/** A separate world for each test, in any test runner. */
import { Server } from './server.js'

/** @import { Wish } from './server.js' */
/** @import { World } from './world.js' */

/** @type {Promise<Server> | undefined} */
let obtained

/** The server of this process: the one that the environment names, or one that ends with the process. */
export function server() {
  obtained ??= Server.obtain()
  return obtained
}

/**
 * `test('…', withWorld(async (world) => {…}))`, with the world's options before the function if needed. The world
 * is removed when the test ends. A failure, including the runner's timeout, shows the world's last requests.
 *
 * @template [Context=unknown]
 * @overload
 * @param {(world: World, context: Context) => unknown} act
 * @returns {(context: Context) => Promise<void>}
 */
/**
 * @template [Context=unknown]
 * @overload
 * @param {Wish} wish
 * @param {(world: World, context: Context) => unknown} act
 * @returns {(context: Context) => Promise<void>}
 */
/**
 * @template [Context=unknown]
 * @param {Wish | ((world: World, context: Context) => unknown)} first
 * @param {(world: World, context: Context) => unknown} [second]
 */
export function withWorld(first, second) {
  const wish = typeof first === 'function' ? {} : first
  const act = typeof first === 'function' ? first : second
  if (act === undefined) throw new TypeError('withWorld takes a function, or options and a function')
  /** @param {Context} context */
  return async (context) => {
    const world = await (await server()).world(wish)
    let isOver = false
    atEnd(context, async () => {
      if (isOver) return
      // The runner has given up on the test and ignores its error, but shows this output.
      // oxlint-disable-next-line no-console
      console.error(`the test did not finish in time\n\n${await told(world)}\n`)
    })
    try {
      await act(world, context)
    } catch (why) {
      await tell(world, why)
      throw why
    } finally {
      isOver = true
      await world.remove()
    }
  }
}

/**
 * Runners wait for a function registered for a failed (vitest) or ended (node:test) test, including on a timeout.
 *
 * @param {unknown} context
 * @param {() => Promise<void>} act
 */
function atEnd(context, act) {
  const runner = /** @type {{ onTestFailed?: unknown, after?: unknown } | undefined} */ (context)
  if (typeof runner?.onTestFailed === 'function') runner.onTestFailed(act)
  else if (typeof runner?.after === 'function') runner.after(act)
}

/** @param {World} world */
function told(world) {
  return world.story().catch((cause) => `the world's requests are unknown: ${String(cause)}`)
}

/**
 * @param {World} world
 * @param {unknown} why
 */
async function tell(world, why) {
  if (!(why instanceof Error)) return
  const { message, stack } = why
  why.message = `${message}\n\n${await told(world)}\n`
  // Runners print the stack, which contains the message.
  if (stack?.includes(message)) why.stack = stack.replace(message, () => why.message)
}
