// Checks src/ against the import rules of rules.mjs; exits with 1 and lists every breach.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { faultsIn } from './rules.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const files = new Map(
  readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(root.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')]),
)
const faults = faultsIn(files)
for (const fault of faults) console.error(fault)
console.log(`${files.size} files, ${faults.length} broken import rules`)
process.exitCode = faults.length > 0 ? 1 : 0
