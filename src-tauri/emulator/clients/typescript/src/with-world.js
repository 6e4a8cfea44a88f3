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
 * world is gone when the test ends, and a failure tells what was asked of it.
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
    try {
      await act(world, context)
    } catch (why) {
      await tell(world, why)
      throw why
    } finally {
      await world.remove()
    }
  }
}

/**
 * @param {World} world
 * @param {unknown} why
 */
async function tell(world, why) {
  if (!(why instanceof Error)) return
  const told = await world.story().catch((cause) => `nothing can be told of the world: ${String(cause)}`)
  const { message, stack } = why
  why.message = `${message}\n\n${told}\n`
  // Runners print the stack, which was written when the error was made.
  if (stack?.includes(message)) why.stack = stack.replace(message, () => why.message)
}
