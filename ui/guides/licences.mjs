// Writes licences.md: what is compiled into the programs, by licence. Usage: node ui/guides/licences.mjs
// With `--list PLATFORM` it prints the packages of a platform as JSON, for the packages of Roost.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const HERE = dirname(fileURLToPath(import.meta.url))
const ROOT = join(HERE, '..', '..')
const PROGRAMS = new Set(['roost-cli', 'roost-desktop'])
/** The platform of the page. */
const PLATFORM = 'x86_64-unknown-linux-gnu'
/** What the compilers of the pages put into them, besides the packages that the pages import. */
const COMPILED_IN = ['svelte', 'clsx', 'esm-env', '@inlang/paraglide-js']

const readJson = (...path) => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'))

/** Every crate that the programs contain; not what only builds or tests them. */
function listCrates(platform) {
  const asked = ['metadata', '--locked', '--format-version', '1', '--filter-platform', platform]
  const answer = execFileSync('cargo', asked, {
    cwd: ROOT,
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { packages, resolve } = JSON.parse(answer)
  const crates = new Map(packages.map((one) => [one.id, one]))
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]))
  const isMacro = ({ targets }) => targets.some(({ kind }) => kind.includes('proc-macro'))
  const waiting = packages.filter(({ name }) => PROGRAMS.has(name)).map(({ id }) => id)
  const seen = new Set()
  while (waiting.length > 0) {
    const id = waiting.pop()
    if (seen.has(id) || isMacro(crates.get(id))) continue
    seen.add(id)
    const used = nodes.get(id).deps.filter(({ dep_kinds }) => dep_kinds.some(({ kind }) => kind === null))
    waiting.push(...used.map(({ pkg }) => pkg))
  }
  const others = [...seen].map((id) => crates.get(id)).filter(({ source }) => source !== null)
  return others.map(({ name, version, license, manifest_path }) => ({
    name,
    version,
    license,
    folder: dirname(manifest_path),
    registry: 'cargo',
  }))
}

function listPagePackages() {
  const imported = Object.keys(readJson('ui', 'package.json').dependencies ?? {})
  return [...imported, ...COMPILED_IN].map((name) => {
    const path = ['ui', 'node_modules', name]
    const { version, license } = readJson(...path, 'package.json')
    return { name, version, license, folder: join(ROOT, ...path), registry: 'npm' }
  })
}

const listPackages = (platform) => [...listCrates(platform), ...listPagePackages()]

/** Returns one spelling for the expressions that offer the same licences. */
function toExpression(license) {
  const expression = license.replaceAll('/', ' OR ').replaceAll(/ +/g, ' ')
  return /[()]| AND /.test(expression) ? expression : expression.split(' OR ').toSorted().join(' OR ')
}

export function readLicences() {
  const packages = listPackages(PLATFORM).map(({ name, version, license }) => ({
    title: `${name} ${version}`,
    licence: toExpression(license ?? 'Its own'),
  }))
  const byLicence = new Map()
  for (const { title, licence } of packages)
    byLicence.set(licence, (byLicence.get(licence) ?? new Set()).add(title))
  const sections = [...byLicence]
    .toSorted(([a, those], [b, others]) => others.size - those.size || (a < b ? -1 : 1))
    .flatMap(([licence, titles]) => ['', `## ${licence}`, '', [...titles].toSorted().join(', ')])
  return `${[
    '# Licences',
    '',
    'Roost is licensed under the MIT licence or the Apache licence 2.0, as you choose. It contains these packages, each under its own licence. Their texts are in `LICENSES-OF-DEPENDENCIES.txt`, which every package of Roost installs.',
    ...sections,
  ].join('\n')}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [option, platform] = process.argv.slice(2)
  if (option === '--list') process.stdout.write(JSON.stringify(listPackages(platform)))
  else writeFileSync(join(HERE, 'licences.md'), readLicences())
}
