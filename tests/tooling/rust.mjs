// Builds the programs, or runs Rust tests, with the same settings as `make test`, so that nothing is compiled twice.
// Usage: rust.mjs build | test CRATE NAME [ignored: only tests that are too long for make test]; CRATE and NAME may be
// empty
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { LINTED, rustTests, WORKSPACE } from './support/commands.mjs'

const CRATES = { it: 'roost-tests', xtask: 'xtask', window: 'roost-desktop' }

function command([kind, crate = '', name = '', ignored = '']) {
  if (kind === 'build') return `cargo build ${WORKSPACE} --bins`
  const crates = crate === '' ? [] : [CRATES[crate] ?? `roost-${crate}`]
  const tests = rustTests({ crates, name, onlyIgnored: ignored === 'ignored' })
  // The tests in tests/ start the programs, so build those first.
  return crates.length === 0 || crates.includes('roost-tests') ? `${command(['build'])} && ${tests}` : tests
}

try {
  const line = command(process.argv.slice(2))
  process.stdout.write(`$ ${line}\n`)
  const { status } = spawnSync('bash', ['-c', line], { stdio: 'inherit', env: { ...process.env, ...LINTED } })
  process.exitCode = status ?? 1
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
