// The commands that build and test the workspace, shared by all tools.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpus } from 'node:os'

const FEATURES = '--locked --features xtask/codegen,roost-desktop/custom-protocol'
// Together these enable all features of the dependencies, so that every selection shares the compiled code.
const ALWAYS_SELECTED = ['roost-cli', 'roost-desktop', 'xtask']

export const WORKSPACE = `${FEATURES} --workspace`

/** Uses clippy as the compiler of the workspace's own crates, so that one build lints them and produces the
 *  programs. */
export const LINTED = {
  RUSTC_WORKSPACE_WRAPPER: 'clippy-driver',
  // The form in which `cargo clippy -- -D warnings` passes it on.
  CLIPPY_ARGS: '-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__',
}

const hasNextest = spawnSync('cargo', ['nextest', '--version'], { stdio: 'ignore' }).status === 0
// Many tests mostly wait, so run more of them at once than there are cores.
const THREADS = cpus().length * 2

/** Returns the command that runs Rust tests: all, those of some crates' own targets, or those whose name contains a
 *  text. */
export function rustTests({ crates = [], name = '', onlyIgnored = false } = {}) {
  const selected = crates.length === 0 ? WORKSPACE : `${FEATURES} ${testTargets(crates)}`
  return hasNextest
    ? `cargo nextest run --test-threads ${THREADS} --no-tests ${name === '' ? 'pass' : 'fail'} ${selected} ${onlyIgnored ? '--run-ignored only' : ''} ${name}`
    : `cargo test ${selected} ${name} ${onlyIgnored ? '-- --ignored' : ''}`
}

/** Returns the test targets of these crates only, so that nothing that depends on them is built. */
function testTargets(crates) {
  const metadata = JSON.parse(
    execFileSync('cargo', ['metadata', '--format-version', '1', '--no-deps', '--locked'], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    }),
  )
  const packages = metadata.packages.filter((one) => crates.includes(one.name))
  const unknown = crates.filter((crate) => packages.every((one) => one.name !== crate))
  if (unknown.length > 0)
    throw new Error(
      `unknown crate ${unknown.join(', ')}; expected one of ${metadata.packages.map((one) => one.name).join(', ')}`,
    )
  const targets = packages
    .flatMap((one) => one.targets)
    .map((target) => {
      if (target.kind.includes('lib')) return '--lib'
      if (target.kind.includes('test')) return `--test ${target.name}`
      return target.kind.includes('bin') ? `--bin ${target.name}` : ''
    })
  const selected = new Set([...crates, ...ALWAYS_SELECTED])
  return [...[...selected].map((crate) => `--package ${crate}`), ...new Set(targets)]
    .filter(Boolean)
    .join(' ')
}

export const npm = (script) => `npm --prefix ui run --silent ${script}`
