// Compiles messages/<locale>/<area>.json and messages/<locale>/<group>/<area>.json with Paraglide into src/gen: one
// typed module per area, each text tagged with `said`.
import { createHash, randomUUID } from 'node:crypto'
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const gen = join(dirname(here), 'src', 'gen')
const STAMP = 'stamp.json'
const SETTINGS = 'project.inlang/settings.json'

/** Returns the area files of the base locale, with their paths and their unique names. */
function areas() {
  return readdirSync(join(here, 'en'), { recursive: true })
    .filter((path) => path.endsWith('.json'))
    .map((path) => ({ path: `en/${path.replaceAll('\\', '/')}`, area: basename(path, '.json') }))
    .toSorted((a, b) => (a.area < b.area ? -1 : 1))
}

const keysOf = ({ path }) => Object.keys(JSON.parse(readFileSync(join(here, path), 'utf8')))

/** Returns a digest for each area of everything that determines its module. */
function fingerprints() {
  const made = ({ path }) => {
    const hash = createHash('sha256')
    for (const part of ['compile.mjs', SETTINGS, path])
      hash.update(part).update(readFileSync(join(here, part)))
    return hash.digest('hex')
  }
  return Object.fromEntries(areas().map((file) => [file.area, made(file)]))
}

/** Loads the project with the messages of some areas only, because the loader takes a tenth of a second for each. */
async function load(files) {
  const { loadProjectFromDirectory } = await import('@inlang/sdk')
  const settings = JSON.parse(fs.readFileSync(join(here, SETTINGS), 'utf8'))
  const format = settings['plugin.inlang.messageFormat']
  const isWanted = (pattern) => files.some(({ path }) => pattern === `./${path.replace(/^en/, '{locale}')}`)
  const known = format.pathPattern.filter(isWanted)
  if (known.length < files.length) throw new Error(`messages/${SETTINGS} does not name each of these files`)
  format.pathPattern = known
  const narrowed = Buffer.from(JSON.stringify(settings))
  const read = (path, encoding) => {
    if (basename(String(path)) !== 'settings.json') return fs.readFileSync(path, encoding)
    return encoding === undefined ? narrowed : narrowed.toString(encoding)
  }
  // The SDK would write the settings back, and a readme beside them.
  const writeFile = async () => {}
  return loadProjectFromDirectory({
    path: join(here, dirname(SETTINGS)),
    fs: {
      ...fs,
      readFileSync: read,
      promises: { ...fs.promises, readFile: async (...asked) => read(...asked), writeFile },
    },
  })
}

/** Checks for mistakes of translators that the compiler ignores. */
function check() {
  for (const file of areas()) {
    for (const key of keysOf(file)) {
      if (!/^[a-z][a-z0-9_]*$/.test(key) || !key.startsWith(`${file.area}_`))
        throw new Error(
          `messages/${file.path}: the key “${key}” must be snake_case and begin with “${file.area}_”`,
        )
    }
  }
}

/** Turns a compiled message into a line of TypeScript whose text is tagged with `said`. */
export function typed(key, source) {
  const body = new RegExp(`const en_${key} = /\\*\\* @type .*? \\*/ \\(i?\\) => \\{([\\s\\S]*?)\\n\\};`).exec(
    source,
  )?.[1]
  const inputs = /@typedef \{(.*)\} \w+Inputs \*\//.exec(source)?.[1]
  if (body === undefined || inputs === undefined)
    throw new Error(`the compiled form of “${key}” is not the one that compile.mjs knows`)
  const type = inputs.replaceAll('NonNullable<unknown>', 'string | number')
  const text = body
    .replaceAll(/\/\*\* @type \{LocalizedString\} \*\/ \((`(?:[^`\\]|\\[\s\S])*`)\)/g, 'said$1')
    .replaceAll(/\/\*\* @type \{LocalizedString\} \*\/ \(("[^"]*")\)/g, '$1')
    .replaceAll('i?.', 'i.')
    .trim()
  return `export const ${key} = (${type === '{}' ? '' : `i: ${type}`}): string => {\n  ${text}\n}\n`
}

function write(name, text) {
  const path = join(gen, name)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  // Written through a rename, because several programs may compile and read at the same time.
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, text)
  renameSync(draft, path)
}

/** Compiles the areas whose messages have changed since the last time. */
export async function compile() {
  check()
  const prints = fingerprints()
  const stamp = join(gen, STAMP)
  const last = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : {}
  if (JSON.stringify(last) === JSON.stringify(prints)) return false
  const changed = areas().filter(({ area }) => last[area] !== prints[area])

  mkdirSync(gen, { recursive: true })
  write('.gitignore', '*\n')
  if (changed.length > 0) {
    const { compileProject } = await import('@inlang/paraglide-js')
    const project = await load(changed)
    const errors = await project.errors.get()
    if (errors.length > 0) throw new Error(errors.map(String).join('\n'))
    const compiled = await compileProject({
      project,
      compilerOptions: { outputStructure: 'message-modules', strategy: ['baseLocale'], emitReadme: false },
    })
    await project.close()
    for (const file of changed) {
      const { area, path } = file
      const lines = keysOf(file).map((key) => typed(key, compiled[`messages/${key}.js`] ?? ''))
      const plural = lines.some((line) => line.includes('registry.'))
      write(
        `${area}.ts`,
        `// Compiled from messages/${path} by messages/compile.mjs; do not edit.\n` +
          (plural ? "import * as registry from './registry'\n" : '') +
          (lines.length > 0 ? "import { said } from '../lib/locale.svelte'\n" : 'export {}\n') +
          lines.join(''),
      )
    }
    write('registry.ts', `// @ts-nocheck\n${compiled['registry.js']}`)
  }
  write(
    'all.ts',
    areas()
      .map(({ area }) => `export * from './${area}'\n`)
      .join(''),
  )
  write('words.ts', "// Every message, by its key.\nexport * as m from './all'\n")
  write(STAMP, JSON.stringify(prints))
  return true
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await compile()
  // The loader keeps a timer of half a minute running.
  process.exit(0)
}
