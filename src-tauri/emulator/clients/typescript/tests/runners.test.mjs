// The helper inside runners, seen from outside: workers side by side, and what a failure prints.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { server } from '@roost/test'

const folder = mkdtempSync(join(tmpdir(), 'roost-runners-'))
after(() => rmSync(folder, { recursive: true }))

/**
 * Runs files of `inner` in a runner of their own.
 *
 * @param {string[]} files
 * @param {Record<string, string>} variables
 */
function run(files, variables = {}) {
  // A runner inside another is one of its own only without its word.
  const { NODE_TEST_CONTEXT: _, ...env } = { ...process.env, ...variables, TOLD: folder }
  const paths = files.map((file) => fileURLToPath(new URL(`inner/${file}`, import.meta.url)))
  return new Promise((resolve) => {
    const args = ['--test', '--test-concurrency=2', '--test-reporter=spec', ...paths]
    execFile(process.execPath, args, { env }, (why, stdout, stderr) => {
      resolve({ status: why?.code ?? 0, stdout, stderr })
    })
  })
}

test('a test that times out prints the story of its world', async () => {
  const { status, stdout, stderr } = await run(['late.mjs'])
  assert.equal(status, 1, stdout)
  const said = stdout + stderr
  assert.match(said, /the test did not finish in time\s+world /)
  assert.match(said, /1 -> GET \/contacts\/v1\/lists\/: 200/)
})

const WORKERS = ['worker-a.mjs', 'worker-b.mjs']

function told() {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

test('a failed test prints its requests and the fault that fired', async () => {
  const { status, stdout } = await run(['fails.mjs'])
  assert.equal(status, 1, stdout)
  assert.match(stdout, /as it is meant to/)
  assert.match(stdout, /1 -> GET \/contacts\/v1\/lists\/: 503 \(fault 'overloaded'/)
})

test('each worker has a server of its own, unless the environment names one', async () => {
  const own = await run(WORKERS)
  assert.equal(own.status, 0, own.stdout)
  assert.equal(new Set(told().map((one) => one.server)).size, 2)
  assert.equal(new Set(told().map((one) => one.world)).size, 8)

  const { url, admin, token } = await server()
  const shared = await run(WORKERS, { ROOST_ADMIN_URL: admin.url, ROOST_ADMIN_TOKEN: token })
  assert.equal(shared.status, 0, shared.stdout)
  assert.deepEqual(new Set(told().map((one) => one.server)), new Set([url]))
  const { items } = await admin.get('/worlds')
  assert.deepEqual(
    items.map((world) => world.id),
    ['default'],
  )
})
