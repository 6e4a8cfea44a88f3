/** A world of its own for each test, in whichever runner calls a function. */
import { Server } from './server.js'

/** @import { Wish } from './server.js' */
/** @import { World } from './world.js' */

/** @type {Promise<Server> | undefined} */
let obtained

/** The server of this process: the one that the environment names, or one of our own that ends with the process. */
export function server() {
  obtained ??= Server.obtain()
  return obtained
}

/**
 * `test('…', withWorld(async (world) => {…}))`, with a wish before the function where the world is to be otherwise. The
 * world is gone when the test ends, and a failure tells what was asked of it, also one by the runner's time-out.
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
  if (act === undefined) throw new TypeError('withWorld takes a function, behind a wish or alone')
  /** @param {Context} context */
  return async (context) => {
    const world = await (await server()).world(wish)
    let isOver = false
    atEnd(context, async () => {
      if (isOver) return
      // The runner gave up on it and will not hear what it throws, but shows this beside it.
      // oxlint-disable-next-line no-console
      console.error(`the test did not end in time\n\n${await told(world)}\n`)
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
 * Runners wait for what is to be done when a test has failed (vitest) or ended (node:test), also by its time-out.
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
  return world.story().catch((cause) => `nothing can be told of the world: ${String(cause)}`)
}

/**
 * @param {World} world
 * @param {unknown} why
 */
async function tell(world, why) {
  if (!(why instanceof Error)) return
  const { message, stack } = why
  why.message = `${message}\n\n${await told(world)}\n`
  // Runners print the stack, which was written when the error was made.
  if (stack?.includes(message)) why.stack = stack.replace(message, () => why.message)
}
