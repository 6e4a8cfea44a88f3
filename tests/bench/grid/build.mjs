// Builds a page with only the grid, over generated rows, into target/grid-bench and serves it with the console's
// content security policy. Used by its tests; `node build.mjs` serves it for manual use.
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { dirname, extname, join, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(dirname(here)))
const ui = join(root, 'ui')
const out = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'grid-bench')
const KINDS = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/** Resolves packages in ui/, the only folder that has any. */
const fromUi = {
  name: 'packages-of-ui',
  enforce: 'pre',
  resolveId(id) {
    return /^svelte(\/|$)/.test(id) ? this.resolve(id, join(ui, 'src', 'main.ts'), { skipSelf: true }) : null
  },
}

export async function build() {
  const [{ build: bundle }, { svelte, vitePreprocess }] = await Promise.all([
    import(pathToFileURL(join(ui, 'node_modules', 'vite', 'dist', 'node', 'index.js')).href),
    import(
      pathToFileURL(join(ui, 'node_modules', '@sveltejs', 'vite-plugin-svelte', 'src', 'index.js')).href
    ),
  ])
  await bundle({
    root: here,
    base: './',
    configFile: false,
    logLevel: 'warn',
    plugins: [
      fromUi,
      svelte({ configFile: false, preprocess: vitePreprocess(), compilerOptions: { runes: true } }),
    ],
    worker: { format: 'es' },
    build: {
      outDir: out,
      emptyOutDir: true,
      target: ['es2022', 'safari16.4'],
      rolldownOptions: { input: { page: join(here, 'page.html') } },
    },
  })
}

/** Serves the built page; returns its address and a function that stops it. */
export async function serve(port = 0) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    const path = normalize(join(out, pathname))
    try {
      if (!path.startsWith(out)) throw new Error('outside')
      const body = await readFile(path)
      response.writeHead(200, { 'content-type': KINDS[extname(path)] ?? 'application/octet-stream' })
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((done) => server.listen(port, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await build()
  const { url } = await serve(Number(process.argv[2] ?? 0))
  console.log(`${url}/page.html`)
}
