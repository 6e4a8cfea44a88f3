// Child processes, each in its own group, so that their children end with them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { until } from './places.mjs'

/** Starts a program; `stop` ends its whole group and waits for it. */
export function start(command, args, { env, stdio = ['ignore', 'ignore', 'inherit'] } = {}) {
  const child = spawn(command, args, { env, stdio, detached: true })
  const ended = once(child, 'exit').catch((error) => {
    throw new Error(`${command} cannot be started: ${error.message}`)
  })
  ended.catch(() => undefined)
  return {
    child,
    ended,
    async stop(signal = 'SIGKILL') {
      killGroup(child.pid, signal)
      await ended
      await until(`the group of ${command} is gone`, () => !isAlive(-child.pid))
    },
  }
}

function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Starts a virtual screen on which windows open. */
export async function startScreen(size = '1280x800') {
  // Without `-noreset` the screen starts again when its last client leaves, and refuses others meanwhile.
  const options = ['-noreset', '-nolisten', 'tcp', '-displayfd', '3', '-screen', '0', `${size}x24`]
  const screen = start('Xvfb', options, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [number] = await Promise.race([
    once(screen.child.stdio[3], 'data'),
    screen.ended.then(() => ['none']),
  ])
  const display = `:${String(number).trim()}`
  if (!/^:\d+$/.test(display)) throw new Error('Xvfb gave no display; is it installed?')
  return { display, stop: () => screen.stop() }
}
