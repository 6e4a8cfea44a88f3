// Compiles messages/<locale>/<area>.json and messages/<locale>/<group>/<area>.json with Paraglide into src/gen: one typed
// module an area, each text through `said`.
import { createHash, randomUUID } from 'node:crypto'
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const gen = join(dirname(here), 'src', 'gen')
const STAMP = 'stamp.txt'

/** The area files of the base locale: each its path, and its name, which no two share. */
function areas() {
  return readdirSync(join(here, 'en'), { recursive: true })
    .filter((path) => path.endsWith('.json'))
    .map((path) => ({ path: `en/${path.replaceAll('\\', '/')}`, area: basename(path, '.json') }))
    .toSorted((a, b) => (a.area < b.area ? -1 : 1))
}

const keysOf = ({ path }) => Object.keys(JSON.parse(readFileSync(join(here, path), 'utf8')))

function fingerprint() {
  const hash = createHash('sha256')
  for (const path of ['compile.mjs', 'project.inlang/settings.json', ...areas().map((file) => file.path)])
    hash.update(path).update(readFileSync(join(here, path)))
  return hash.digest('hex')
}

/** What a translator could get wrong and the compiler would pass over in silence. */
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

/** Turns one compiled message into a line of TypeScript whose text is tagged with `said`. */
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
  // Through a rename: several programs may compile, and read, at once.
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, text)
  renameSync(draft, path)
}

/** Compiles if a message changed since the last time. */
export async function compile() {
  check()
  const print = fingerprint()
  const stamp = join(gen, STAMP)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === print) return false
  const [{ compileProject }, { loadProjectFromDirectory }] = await Promise.all([
    import('@inlang/paraglide-js'),
    import('@inlang/sdk'),
  ])
  const folder = join(here, 'project.inlang')
  const project = await loadProjectFromDirectory({ path: folder, fs })
  const errors = await project.errors.get()
  if (errors.length > 0) throw new Error(errors.map(String).join('\n'))
  const compiled = await compileProject({
    project,
    compilerOptions: { outputStructure: 'message-modules', strategy: ['baseLocale'], emitReadme: false },
  })
  // The loader leaves a note on itself beside the settings.
  rmSync(join(folder, 'README.md'), { force: true })

  mkdirSync(gen, { recursive: true })
  write('.gitignore', '*\n')
  const index = []
  for (const file of areas()) {
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
    index.push(`export * from './${area}'\n`)
  }
  write('registry.ts', `// @ts-nocheck\n${compiled['registry.js']}`)
  write('all.ts', index.join(''))
  write('words.ts', "// Every message, by its key.\nexport * as m from './all'\n")
  write(STAMP, print)
  return true
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await compile()
  // The loader keeps a timer of half a minute.
  process.exit(0)
}
