// Runs every check that a change must pass. `make test` calls it after installing what it needs.
import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { LINTED, npm, rustTests, WORKSPACE } from './support/commands.mjs'
import { onlyIfChanged } from './support/passed.mjs'
import { runSteps } from './support/steps.mjs'
import { failures, slowestTests } from './support/times.mjs'
import { listUserFiles } from './support/user-files.mjs'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target')
const TIMES = join(TARGET, 'times')
const RUST_TIMES = join(TARGET, 'nextest', 'default', 'junit.xml')

const xtask = (chore) => `target/debug/xtask ${chore}`

const before = new Set(listUserFiles())

/** Fails if the tests have written to the user's own folders. */
function checkUserFiles() {
  const added = listUserFiles().filter((line) => !before.has(line))
  if (added.length > 0)
    throw new Error(
      `Written into the user's own folders (path, size, time):\n${added.join('\n')}\n` +
        'Point the test that wrote them at a folder of its own.',
    )
}

/** Budgets are in seconds on two cores, with nothing built and warm caches of cargo and npm. */
const steps = [
  { name: 'pages', commands: ['make --no-print-directory ui', npm('size')], budget: 20 },
  { name: 'format', commands: ['cargo fmt --all --check', npm('format:check')], budget: 30 },
  { name: 'no webview below the window', commands: ['tests/tooling/no-webview.sh'], budget: 5 },
  {
    name: 'build, linted',
    commands: [`cargo build ${WORKSPACE} --bins --tests --examples`],
    env: LINTED,
    needs: ['pages'],
    budget: 420,
  },
  { name: 'pages: lint', commands: [npm('lint')], needs: ['pages'], budget: 30 },
  { name: 'pages: types', commands: [npm('check')], needs: ['pages'], budget: 60 },
  { name: 'pages: tests', commands: [npm('test')], needs: ['pages'], budget: 60 },
  {
    name: 'measures, generated files, dependencies',
    commands: ['tidy', 'codegen --check', 'dependencies', 'features'].map(xtask),
    needs: ['build, linted'],
    budget: 20,
  },
  {
    name: 'Rust tests',
    commands: [rustTests()],
    env: LINTED,
    needs: ['build, linted'],
    budget: 300,
  },
  {
    name: 'examples in the documentation',
    commands: [`cargo test ${WORKSPACE} --doc`],
    env: LINTED,
    needs: ['build, linted'],
    budget: 20,
  },
  {
    name: 'interface, from outside',
    commands: ['target/venv/bin/python tests/tooling/interface/interface.py'],
    needs: ['build, linted'],
    budget: 60,
  },
  {
    name: 'files of other programs',
    commands: ['tests/corpus/run.sh --quick'],
    needs: ['build, linted'],
    cores: cpus().length,
    budget: 40,
  },
  { name: 'clients', commands: ['tests/tooling/interface/clients.sh'], needs: ['build, linted'], budget: 60 },
  {
    name: 'packages',
    commands: ['target/venv/bin/pytest --quiet -p no:cacheprovider tests/tooling/packages'],
    needs: ['build, linted'],
    budget: 40,
  },
  {
    name: 'guide of the emulator',
    commands: ['target/venv/bin/python tests/tooling/interface/guide.py'],
    needs: ['build, linted'],
    budget: 40,
  },
  {
    name: 'journeys, in browser and window',
    commands: ['node tests/tooling/e2e.mjs all'],
    needs: ['Rust tests'],
    cores: cpus().length,
    budget: 360,
  },
  {
    name: "nothing left in the user's folders",
    check: checkUserFiles,
    needs: ['journeys, in browser and window', 'clients', 'packages', 'guide of the emulator'],
  },
]

const OUTCOMES = {
  rust: RUST_TIMES,
  pages: join(TIMES, 'pages.xml'),
  journeys: join(TIMES, 'all.xml'),
}

for (const path of [TIMES, RUST_TIMES]) rmSync(path, { recursive: true, force: true })
/** These test the programs from outside and take half of the time. */
const OUTSIDE = new Set([
  'interface, from outside',
  'files of other programs',
  'clients',
  'packages',
  'guide of the emulator',
  'journeys, in browser and window',
])
const chosen = steps.map((step) =>
  OUTSIDE.has(step.name) && process.env.ALL !== '1'
    ? onlyIfChanged(step, { root: ROOT, target: TARGET })
    : step,
)
const passed = await runSteps(chosen, {
  cwd: ROOT,
  env: process.env,
  summary: () => ['\n=== slowest tests', ...slowestTests(OUTCOMES), ...failures(OUTCOMES)],
})
process.exitCode = passed ? 0 : 1
