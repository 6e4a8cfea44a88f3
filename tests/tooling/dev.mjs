// Development of the pages: a server with a console, the pages with hot reload, and a window that shows them. A change
// of the pages appears at once; a change of the core rebuilds and reopens the window. Ctrl-C ends everything.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
// An account for development, separate from the user's own.
const DATA = join(ROOT, 'target', 'dev')
const READY = join(DATA, 'ready.json')
const PAGES = 'http://127.0.0.1:5173'
const PORT = '4010'

const children = []
let isEnding = false

function end(status) {
  if (isEnding) return
  isEnding = true
  for (const child of children) {
    try {
      process.kill(-child.pid, 'SIGTERM')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
  process.exitCode = status
}

/** Starts a program in its own group, so that its children end with it; when it ends, everything ends. */
function start(command, args, env = {}) {
  console.log(`$ ${command} ${args.join(' ')}`)
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  children.push(child)
  child.on('error', (error) => {
    console.error(`${command} cannot be started: ${error.message}`)
    end(1)
  })
  child.on('exit', (code) => end(code ?? 1))
  return child
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(0))

rmSync(DATA, { recursive: true, force: true })
mkdirSync(DATA, { recursive: true })
const serve = `serve --console --port ${PORT} --limits off --ready-file`.split(' ')
start('cargo', ['run', '--locked', '--package', 'roost-cli', '--bin', 'roost', '--', ...serve, READY])
const announce = setInterval(() => {
  if (!existsSync(READY)) return
  clearInterval(announce)
  const { console_url } = JSON.parse(readFileSync(READY, 'utf8'))
  console.log(`\nThe pages in a browser, with hot reload: ${PAGES}/${new URL(console_url).hash}\n`)
}, 200)
announce.unref()

// Tauri starts the pages' development server itself (beforeDevCommand in tauri.conf.json).
const tauri = ['ui/node_modules/.bin/tauri', 'dev', '--', '--locked', '--package', 'roost-desktop']
const hasDisplay = Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY)
const screen = hasDisplay
  ? []
  : ['xvfb-run', '--auto-servernum', '--server-args=-screen 0 1280x800x24 -nolisten tcp']
const [command, ...args] = [...screen, ...tauri]
start(command, args, {
  ROOST_DATA_DIR: join(DATA, 'accounts'),
  // The data of the web view is separate from the user's own too.
  XDG_DATA_HOME: join(DATA, 'share'),
  XDG_CACHE_HOME: join(DATA, 'cache'),
  ...(hasDisplay ? {} : { DBUS_SESSION_BUS_ADDRESS: 'disabled:', NO_AT_BRIDGE: '1' }),
})
