// Checks the modules, makes their declarations, and looks at both as an importer would. Usage: declare.mjs [--check]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const tsc = join(here, '../../../../ui/node_modules/.bin/tsc')
const made = mkdtempSync(join(tmpdir(), 'roost-declarations-'))

function compile(...args) {
  const { status } = spawnSync(tsc, args, { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

try {
  compile('--project', here, '--outDir', made)
  for (const name of readdirSync(made)) {
    const kept = join(here, 'gen', name)
    const text = `// Made by declare.mjs; not written by hand.\n${readFileSync(join(made, name), 'utf8')}`
    if (existsSync(kept) && readFileSync(kept, 'utf8') === text) continue
    if (process.argv.includes('--check')) {
      process.stderr.write(
        `gen/${name} is not current; run node src-tauri/emulator/clients/typescript/declare.mjs\n`,
      )
      process.exitCode = 1
    } else {
      writeFileSync(kept, text)
    }
  }
  compile('--project', join(here, 'tests'))
  compile('--project', join(here, 'examples'))
} finally {
  rmSync(made, { recursive: true })
}
