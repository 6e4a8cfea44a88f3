// Checks what changed since a commit in about a minute: format, size, lints, types, and the unit tests of the changed
// crates. Usage: check.mjs [COMMIT, HEAD unless given]
import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { LINTED, npm, rustTests } from './support/commands.mjs'
import { runSteps } from './support/steps.mjs'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const since = process.argv[2] ?? 'HEAD'
const git = (...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)
const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', since, '--'),
  ...git('ls-files', '--others', '--exclude-standard'),
]
if (changed.length === 0) {
  console.log(`Nothing has changed since ${since}. Name an older commit: make check SINCE=HEAD~1`)
  process.exit(0)
}
console.log(changed.join('\n'))

const PACKAGES = { shell: 'roost-desktop', xtask: 'xtask' }
function crateOf(path) {
  if (path.startsWith('migrations/')) return 'roost-store'
  if (/^tests\/.*\.rs$/.test(path)) return 'roost-tests'
  const folder = /^src-tauri\/([^/]+)\//.exec(path)?.[1]
  return folder === undefined ? undefined : (PACKAGES[folder] ?? `roost-${folder}`)
}

const steps = []
const PAGES = /^(?:ui|tests\/e2e|tests\/tooling)\/.*\.(?:mjs|ts|svelte|json|css|html|md)$/
const pages = changed.filter((path) => PAGES.test(path))
const rust = changed.filter((path) => /\.(?:rs|sql|toml)$/.test(path))

if (pages.length > 0) {
  const formatted = pages.filter((path) => !path.startsWith('ui/package-lock'))
  const sources = pages.filter((path) => path.startsWith('ui/src/'))
  steps.push({
    name: 'pages: format, lint',
    commands: [
      `cd ui && node_modules/.bin/prettier --config .prettierrc.json --check ${formatted.map((path) => `'../${path}'`).join(' ')}`,
      npm('lint'),
    ],
  })
  const texts = pages.filter((path) => /^ui\/(?:messages|guides)\//.test(path))
  if (sources.length > 0 || texts.length > 0) {
    steps.push({ name: 'pages: types', commands: [npm('check')] })
    const related = sources.map((path) => `'${path.slice('ui/'.length)}'`).join(' ')
    steps.push({
      name: 'pages: tests of what changed',
      commands: [
        texts.length === 0
          ? `cd ui && node_modules/.bin/vitest related --run --passWithNoTests ${related}`
          : npm('test'),
      ],
    })
  }
}
if (rust.length > 0) {
  steps.push({
    name: 'format, measures',
    commands: ['cargo fmt --all --check', 'cargo xtask tidy'],
    env: LINTED,
  })
  const crates = [...new Set(rust.map(crateOf))].filter(Boolean)
  // The tests of the whole program take minutes, so the user must decide which of them to run.
  const tested = crates.filter((crate) => crate !== 'roost-tests')
  if (tested.length > 0)
    steps.push({
      name: `lints and tests of ${tested.join(', ')}`,
      commands: [rustTests({ crates: tested })],
      env: LINTED,
    })
  if (tested.length < crates.length)
    steps.push({
      name: 'lints of tests/it',
      commands: [`${rustTests({ crates: ['roost-tests'] })} --no-run`],
      env: LINTED,
    })
}
if (steps.length === 0) console.log('No check applies to these files; make test checks everything.')
else process.exitCode = (await runSteps(steps, { cwd: ROOT, env: process.env })) ? 0 : 1
