// Checks the gzipped size of the built page's first load against its budget.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const BUDGET = 200_000
const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist')
const page = readFileSync(join(dist, 'index.html'), 'utf8')
const loaded = ['index.html', ...[...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1])]
let total = 0
for (const name of loaded) {
  const bytes = gzipSync(readFileSync(join(dist, name)), { level: 9 }).length
  total += bytes
  console.log(`${String(bytes).padStart(8)}  ${name}`)
}
console.log(`${String(total).padStart(8)}  first load, gzip; budget ${BUDGET}`)
process.exitCode = total > BUDGET ? 1 : 0
