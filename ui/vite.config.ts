// One bundle for both places: the Tauri window (served at /) and the web console (served at /__console/).
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { compileGuides } from './guides/compile.mjs'
import { compile } from './messages/compile.mjs'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  version: string
}

const emulator = process.env.ROOST_URL ?? 'http://127.0.0.1:4010'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const TESTS = ['src', 'lint', 'guides'].flatMap((folder) =>
  readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.test\.(?:ts|mjs)$/.test(path)),
)
/** These expect a list of commands and a history that no other test has used. */
const FRESH = new Set(['src/app/menus.test.ts', 'src/lib/commands/places.test.ts'])
/** Tests that replace modules need modules of their own too. All others share theirs, which takes a third of the
 *  time. */
const ISOLATED = TESTS.filter(
  (path) => FRESH.has(path) || readFileSync(ROOT + path, 'utf8').includes('vi.mock('),
)

const messages = fileURLToPath(new URL('./messages', import.meta.url))

/** During development, compiles a changed text at once, so that it reloads like any changed module. */
const compileMessages: Plugin = {
  name: 'compile-messages',
  apply: 'serve',
  configureServer({ watcher, config }) {
    let underWay: Promise<unknown> = Promise.resolve()
    const compileNext = async (last: Promise<unknown>) => {
      await last
      try {
        await compile()
      } catch (error) {
        config.logger.error(String(error))
      }
    }
    watcher.add(messages)
    watcher.on('change', (path) => {
      // Compiled one after the other, so that a change during one compilation is included in the next.
      if (path.startsWith(messages) && path.endsWith('.json')) underWay = compileNext(underWay)
    })
  },
}

export default defineConfig({
  base: './',
  define: { 'import.meta.env.VITE_VERSION': JSON.stringify(version) },
  plugins: [svelte(), compileMessages, compileGuides],
  clearScreen: false,
  build: {
    target: ['es2022', 'safari16.4', 'chrome111'],
    reportCompressedSize: false,
    // A language is loaded as one file, with six forms for each count in Arabic.
    chunkSizeWarningLimit: 1000,
    // Loading a compiled message has no side effects, so each screen includes only its own.
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: /\/src\/gen\//, sideEffects: false }] },
      // The first page is one file, and what only screens share is another that loads later. A hundred small files
      // would load more slowly.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: {
      // The gate accepts only its own origin, so the proxy sends the console's origin.
      '/__console/': {
        target: emulator,
        changeOrigin: true,
        configure: (proxy) => proxy.on('proxyReq', (request) => request.setHeader('origin', emulator)),
      },
    },
  },
  resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
  test: {
    environment: 'happy-dom',
    // Only for a test that hangs: a build may run beside the tests.
    testTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: TESTS.filter((path) => !ISOLATED.includes(path)) },
      },
    ],
  },
})
