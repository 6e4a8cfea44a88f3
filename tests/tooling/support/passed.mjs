// Records which steps passed on which inputs, so that a step is not repeated on the same.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PROGRAMS = ['roost', 'roost-desktop', 'xtask']

/** Returns a digest of the programs and every file of the repository except the Rust sources, which the programs
 *  contain. */
function digestInputs(root, target) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  const files = listed.split('\0').filter((path) => path !== '' && !path.endsWith('.rs'))
  const paths = [
    ...files.map((path) => join(root, path)),
    ...PROGRAMS.map((name) => join(target, 'debug', name)),
  ]
  const digest = createHash('sha256')
  for (const path of paths) digest.update(path).update('\0').update(digestFile(path)).update('\0')
  return digest.digest('hex')
}

function digestFile(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch (error) {
    // The file was removed but is still in the index.
    if (error.code === 'ENOENT') return 'missing'
    throw error
  }
}

/** Returns the step so that it runs only if its inputs differ from those on which it last passed. It must run after
 *  the build. */
export function onlyIfChanged(step, { root, target }) {
  const folder = join(target, 'passed')
  const path = join(folder, step.name.replaceAll(/\W+/g, '-'))
  let inputs
  const isUnchanged = () => {
    inputs = digestInputs(root, target)
    const isSame = digestFile(path) !== 'missing' && readFileSync(path, 'utf8') === inputs
    // Removed before the step, because an interrupted step has not passed.
    if (!isSame) rmSync(path, { force: true })
    return isSame
  }
  const recordPass = () => {
    mkdirSync(folder, { recursive: true })
    // Write the inputs from before the step, because they may have changed while it ran.
    writeFileSync(path, inputs)
  }
  return { ...step, isUnchanged, recordPass }
}
