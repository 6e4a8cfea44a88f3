// Compiles messages/<locale>/<area>.json and messages/<locale>/<group>/<area>.json with Paraglide into src/gen. English
// becomes one typed module per area, which screens import; every other language becomes a module of its own, loaded when
// it is chosen.
import { createHash, randomUUID } from 'node:crypto'
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const gen = join(dirname(here), 'src', 'gen')
const STAMP = 'stamp.json'
const SETTINGS = 'project.inlang/settings.json'
/** The file of the sentences that the core sends. */
export const SENTENCES = 'errors/core.json'
/** The language that the others translate; a text that they lack is shown in it. */
export const BASE = 'en'

/** Returns the languages: each folder that is named by a language tag. */
export function findLanguages(folder = here) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(entry.name))
    .map(({ name }) => name)
    .toSorted()
}

/** Returns the area files of one language, with their paths and their unique names. */
function areas(locale = BASE) {
  return readdirSync(join(here, locale), { recursive: true })
    .filter((path) => path.endsWith('.json'))
    .map((path) => ({
      locale,
      path: `${locale}/${path.replaceAll('\\', '/')}`,
      area: basename(path, '.json'),
    }))
    .toSorted((a, b) => (a.area < b.area ? -1 : 1))
}

/** Returns the name of the module that an area file becomes, without its ending. */
const moduleOf = ({ locale, area }) => (locale === BASE ? area : `${locale}/${area}`)

const keysOf = ({ path }) => Object.keys(JSON.parse(readFileSync(join(here, path), 'utf8')))

/** Returns a digest for each area of everything that determines its module. */
function fingerprints() {
  const made = ({ path }) => {
    const hash = createHash('sha256')
    for (const part of ['compile.mjs', SETTINGS, path])
      hash.update(part).update(readFileSync(join(here, part)))
    return hash.digest('hex')
  }
  const files = findLanguages().flatMap((locale) => areas(locale))
  return Object.fromEntries(files.map((file) => [moduleOf(file), made(file)]))
}

/** Loads the project with the messages of some areas of one language only, because the loader takes a tenth of a second
 *  for each. */
async function load(locale, files) {
  const { loadProjectFromDirectory } = await import('@inlang/sdk')
  const settings = JSON.parse(fs.readFileSync(join(here, SETTINGS), 'utf8'))
  const format = settings['plugin.inlang.messageFormat']
  const isWanted = (pattern) =>
    files.some(({ path }) => pattern === `./${path.replace(/^[^/]+/, '{locale}')}`)
  const known = format.pathPattern.filter(isWanted)
  if (known.length < files.length) throw new Error(`messages/${SETTINGS} does not name each of these files`)
  format.pathPattern = known
  Object.assign(settings, { baseLocale: locale, locales: [locale] })
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
  for (const file of findLanguages().flatMap((locale) => areas(locale))) {
    for (const key of keysOf(file)) {
      if (!/^[a-z][a-z0-9_]*$/.test(key) || !key.startsWith(`${file.area}_`))
        throw new Error(
          `messages/${file.path}: the key “${key}” must be snake_case and begin with “${file.area}_”`,
        )
    }
  }
}

/** Turns a compiled message into a line of TypeScript. An English one first asks for its text in the reader's language;
 *  its own text is tagged with `formatEnglish`, that of another language with `formatTranslation`. */
export function typed(key, source, locale = BASE) {
  const body = new RegExp(
    `const \\w+_${key} = /\\*\\* @type .*? \\*/ \\(i?\\) => \\{([\\s\\S]*?)\\n\\};`,
  ).exec(source)?.[1]
  const inputs = /@typedef \{(.*)\} \w+Inputs \*\//.exec(source)?.[1]
  if (body === undefined || inputs === undefined)
    throw new Error(`the compiled form of “${key}” is not the one that compile.mjs knows`)
  const type = inputs.replaceAll('NonNullable<unknown>', 'string | number')
  const given = type === '{}' ? '' : `i: ${type}`
  const text = body
    .replaceAll(
      /\/\*\* @type \{LocalizedString\} \*\/ \((`(?:[^`\\]|\\[\s\S])*`)\)/g,
      locale === BASE ? 'formatEnglish$1' : 'formatTranslation$1',
    )
    .replaceAll(/\/\*\* @type \{LocalizedString\} \*\/ \(("[^"]*")\)/g, '$1')
    .replaceAll('i?.', 'i.')
    .trim()
  if (locale !== BASE) return `export const ${key} = (${given}): string => {\n  ${text}\n}\n`
  const translation = `findTranslation('${key}'${given === '' ? '' : ', i'})`
  const lines = text.startsWith('return ')
    ? text.replace('return ', `return ${translation} ?? `)
    : `const own = ${translation}\n  if (own !== undefined) return own\n  ${text}`
  return `export const ${key} = (${given}): string => {\n  ${lines}\n}\n`
}

function write(name, text) {
  const path = join(gen, name)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  // Written through a rename, because several programs may compile and read at the same time.
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, text)
  renameSync(draft, path)
}

/** Compiles some areas of one language. */
async function compileAreas(locale, files) {
  const { compileProject } = await import('@inlang/paraglide-js')
  const project = await load(locale, files)
  const errors = await project.errors.get()
  if (errors.length > 0) throw new Error(errors.map(String).join('\n'))
  const compiled = await compileProject({
    project,
    compilerOptions: { outputStructure: 'message-modules', strategy: ['baseLocale'], emitReadme: false },
  })
  await project.close()
  const up = locale === BASE ? '' : '../'
  const names = locale === BASE ? 'formatEnglish, findTranslation' : 'formatTranslation'
  mkdirSync(join(gen, dirname(moduleOf(files[0]))), { recursive: true })
  for (const file of files) {
    const lines = keysOf(file).map((key) => typed(key, compiled[`messages/${key}.js`] ?? '', locale))
    const plural = lines.some((line) => line.includes('registry.'))
    write(
      `${moduleOf(file)}.ts`,
      `// Compiled from messages/${file.path} by messages/compile.mjs; do not edit.\n` +
        (plural ? `import * as registry from './${up}registry'\n` : '') +
        (lines.length > 0 ? `import { ${names} } from '../${up}lib/locale.svelte'\n` : 'export {}\n') +
        lines.join(''),
    )
  }
  write('registry.ts', `// @ts-nocheck\n${compiled['registry.js']}`)
}

/** Compiles the areas whose messages have changed since the last time. */
export async function compile() {
  check()
  const prints = fingerprints()
  const stamp = join(gen, STAMP)
  const last = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : {}
  if (JSON.stringify(last) === JSON.stringify(prints)) return false

  mkdirSync(gen, { recursive: true })
  write('.gitignore', '*\n')
  const all = (locale, folder) =>
    areas(locale)
      .map(({ area }) => `export * from '${folder}/${area}'\n`)
      .join('')
  const others = findLanguages().filter((locale) => locale !== BASE)
  for (const locale of [BASE, ...others]) {
    const changed = areas(locale).filter((file) => last[moduleOf(file)] !== prints[moduleOf(file)])
    if (changed.length > 0) await compileAreas(locale, changed)
    if (locale !== BASE) write(`language-${locale}.ts`, all(locale, `./${locale}`))
  }
  write('all.ts', all(BASE, '.'))
  write(
    'sentences.ts',
    '/** The English sentences of the core, by the key of their message. */\n' +
      `export const SENTENCES: Readonly<Record<string, string>> = ${readFileSync(join(here, BASE, SENTENCES), 'utf8')}`,
  )
  write('words.ts', "// Every message, by its key.\nexport * as m from './all'\n")
  write(
    'languages.ts',
    "import type { Texts } from '../lib/locale.svelte'\n" +
      '/** The languages besides English; each loads its texts. */\n' +
      'export const LANGUAGES: Readonly<Record<string, () => Promise<Texts>>> = {\n' +
      others.map((locale) => `  '${locale}': () => import('./language-${locale}'),\n`).join('') +
      '}\n',
  )
  write(STAMP, JSON.stringify(prints))
  return true
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await compile()
  // The loader keeps a timer of half a minute running.
  process.exit(0)
}
