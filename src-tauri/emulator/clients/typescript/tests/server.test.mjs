// Servers: begun, ended, not begun, and worlds that are gone with their test.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, test } from 'node:test'
import { AdminError, NotThere, Server, StartError, server, withWorld } from '@roost/test'

const SECONDS = 20
const NAMES = ['ROOST_ADMIN_URL', 'ROOST_ADMIN_TOKEN', 'ROOST_READY_FILE']

/** @param {string} url */
function answers(url) {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const line = connect(Number(port), hostname)
    line.once('connect', () => resolve(true)).once('error', () => resolve(false))
    line.once('connect', () => line.destroy())
  })
}

/** @param {() => boolean} holds */
async function soon(holds) {
  const end = performance.now() + SECONDS * 1000
  while (!holds()) {
    assert.ok(performance.now() < end)
    await new Promise((go) => setTimeout(go, 5))
  }
}

afterEach(() => {
  for (const name of NAMES) delete process.env[name]
})

test('a world is gone after its test', async () => {
  const { admin } = await server()
  await withWorld({ name: 'short-lived' }, async (world) => {
    assert.equal((await admin.get(`/worlds/${world.name}`)).id, 'short-lived')
  })({})
  await assert.rejects(
    admin.get('/worlds/short-lived'),
    (why) => why instanceof AdminError && why.status === 404,
  )
})

test('a failed test removes its world and throws the same error, with the story added', async () => {
  const { admin } = await server()
  const failed = withWorld({ name: 'short-lived' }, async (world) => {
    await world.faults.fail(503, 'lists.query', { name: 'overloaded' })
    await world.send('GET', '/contacts/v1/lists/')
    await world.send('GET', '/contacts/v1/list')
    await world.send('POST', '/contacts/v1/lists/create', { name: 7 })
    throw new RangeError('as it is meant to')
  })
  await assert.rejects(failed({}), (why) => {
    assert.ok(why instanceof RangeError)
    for (const told of [why.message, why.stack]) {
      assert.match(told, /as it is meant to\n\nworld short-lived at http/)
      assert.match(told, /1 -> GET \/contacts\/v1\/lists\/: 503 \(fault 'overloaded'/)
      assert.match(told, /3 -> POST \/contacts\/v1\/lists\/create: 400 \(The request breaks 1 rule\. .*name/)
      assert.match(told, /fault 'overloaded' fired on 1 of 1/)
      assert.match(told, /unmatched: GET \/contacts\/v1\/list\. Did you mean GET \/contacts\/v1\/lists\//)
    }
    return true
  })
  await assert.rejects(admin.get('/worlds/short-lived'), AdminError)
})

test('a test that its runner gives up on prints the story of its world once', async (context) => {
  const said = context.mock.method(console, 'error', () => {})
  const told = () => said.mock.calls.map((call) => String(call.arguments[0])).join('')
  // As vitest does it: what was handed to it is run while the test still waits.
  let failed
  let end
  const runner = { onTestFailed: (act) => (failed = act) }
  const running = withWorld((world) => new Promise((done) => (end = () => done(world))))(runner)
  await soon(() => end !== undefined)
  await failed()
  assert.match(told(), /the test did not finish in time\n\nworld /)
  end()
  await running
  const before = told()
  await failed()
  assert.equal(told(), before, 'one that has ended tells it by itself')
})

test('a world that cannot be seeded is not left behind', async () => {
  const given = await server()
  await assert.rejects(given.world({ name: 'misfit', account: { lists: [{ nam: 'x' }] } }), AdminError)
  await assert.rejects(
    given.admin.get('/worlds/misfit'),
    (why) => why instanceof AdminError && why.status === 404,
  )
})

test('a server of our own ends when it is stopped', async () => {
  const own = await Server.start({ flags: ['--limits', 'off'] })
  assert.equal((await own.admin.get('/settings')).limits, 'off')
  assert.ok(await answers(own.url))
  const world = await own.world()
  await own.stop()
  assert.equal(await answers(own.url), false)
  // Whoever clears up after the end has nothing to do.
  await world.remove()
  await own.stop()
  await assert.rejects(
    own.admin.get('/info'),
    (why) => why instanceof NotThere && /not answer/.test(why.message),
  )
})

test("an unknown flag is reported in the server's own words", async () => {
  await assert.rejects(Server.start({ flags: ['--limit', 'off'] }), (why) => {
    assert.ok(why instanceof StartError)
    assert.match(why.message, /\(2\): .*unknown argument '--limit'.* '--limits'/)
    return true
  })
})

test('a port that is in use is reported', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address()
  await assert.rejects(
    Server.start({ flags: ['--port', String(port)] }),
    (why) => why instanceof StartError && why.message.includes(`${port} is in use`),
  )
  taken.close()
})

test('a missing program is reported with what to do', async () => {
  await assert.rejects(
    Server.start({ binary: 'no-such-roost' }),
    (why) =>
      why instanceof StartError &&
      /no-such-roost cannot be started.*cargo build.*ROOST_BIN/.test(why.message),
  )
})

test('a program that says nothing is ended', async () => {
  // It reads what we hold open, and so would go on for ever.
  const binary = new URL('../../python/tests/silent.sh', import.meta.url).pathname
  await assert.rejects(
    Server.start({ binary, timeout: 200 }),
    (why) => why instanceof StartError && /did not start \(SIGKILL\): no output/.test(why.message),
  )
})

test('the environment names a server', async () => {
  const given = await server()
  process.env.ROOST_ADMIN_URL = given.admin.url
  await assert.rejects(Server.obtain(), /ROOST_ADMIN_TOKEN must be set/)
  process.env.ROOST_ADMIN_TOKEN = 'another-token-altogether'
  await assert.rejects(Server.obtain(), /admin token is missing or wrong/)
  process.env.ROOST_ADMIN_TOKEN = given.token
  const same = await Server.obtain()
  assert.equal(same.url, given.url)
  await same.stop()
  assert.ok(await answers(given.url), 'it is not ours to end')

  delete process.env.ROOST_ADMIN_URL
  const folder = mkdtempSync(join(tmpdir(), 'roost-ready-'))
  try {
    process.env.ROOST_READY_FILE = join(folder, 'ready.json')
    await assert.rejects(Server.obtain(), /not a ready file/)
    const ready = { admin_url: given.admin.url, admin_token: given.token }
    writeFileSync(process.env.ROOST_READY_FILE, JSON.stringify(ready))
    assert.equal((await Server.obtain()).url, given.url)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the address of a world begins with the one at which its server was attached', async () => {
  const { url, token } = await server()
  const { port } = new URL(url)
  const named = await Server.attach(`http://localhost:${port}/`, token)
  const world = await named.world()
  assert.equal(world.url, `http://localhost:${port}/w/${world.name}`)
  assert.equal(world.admin.url, `http://localhost:${port}/__admin/worlds/${world.name}`)
  assert.equal((await world.send('GET', '/contacts/v1/lists/')).status, 200)
  assert.equal(await world.journal.count(), 1)
  await world.remove()
})

test('a server does not keep its starter running, and does not outlive it', async () => {
  for (const rest of ['', 'setInterval(() => {}, 1000)']) {
    const begin = `import { server } from '@roost/test'; console.log((await server()).url); ${rest}`
    const cwd = new URL('..', import.meta.url)
    const stdio = ['ignore', 'pipe', 'inherit']
    const starter = spawn(process.execPath, ['--input-type=module', '-e', begin], { cwd, stdio })
    const ended = once(starter, 'exit')
    const [text] = await Promise.race([once(starter.stdout.setEncoding('utf8'), 'data'), ended])
    const url = String(text).trim()
    assert.match(url, /^http/, 'it ended before it had a server')
    if (rest) starter.kill('SIGKILL')
    assert.deepEqual(await ended, rest ? [null, 'SIGKILL'] : [0, null])
    // It hears of the end through the pipe that was held; there is nobody left to ask but the port.
    const until = performance.now() + SECONDS * 1000
    while (await answers(url)) {
      assert.ok(performance.now() < until, `${url} still answers ${SECONDS} s after its starter ended`)
    }
  }
})
