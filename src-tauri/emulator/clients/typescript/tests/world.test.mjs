// A world per test: isolated, with faults, proof, and ways back.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { AdminError, NotSettled, NotVerified, server, withWorld } from '@roost/test'
import { CREATE, LISTS, create, names } from './lists.mjs'

describe('side by side', { concurrency: 6 }, () => {
  for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) {
    test(
      `each test has a world of its own: ${name}`,
      withWorld(async (world) => {
        assert.deepEqual(await names(world), [])
        await create(world, name)
        assert.deepEqual(await names(world), [name])
      }),
    )
  }
})

test(
  'two worlds share nothing',
  withWorld(async (here) => {
    const there = await here.another()
    await create(here, 'VIP')
    await here.faults.fail(503, 'lists.query')
    assert.equal((await here.send('GET', LISTS)).status, 503)
    assert.deepEqual(await names(there), [])
    assert.deepEqual(
      [await here.journal.count('lists.create'), await there.journal.count('lists.create')],
      [1, 0],
    )
  }),
)

test(
  "a key names its world at the server's own address",
  withWorld(async (world) => {
    await create(world, 'VIP')
    const answer = await fetch(world.server.url + LISTS, { headers: { 'x-auth-key': world.key } })
    assert.deepEqual(
      (await answer.json()).items.map((item) => item.name),
      ['VIP'],
    )
  }),
)

test(
  'a lost answer is stored all the same',
  withWorld(async (world) => {
    const fault = await world.faults.lose('lists.create', { first: 1 })
    await assert.rejects(world.send('POST', CREATE, { name: 'VIP' }), TypeError)
    assert.deepEqual(await names(world), ['VIP'])
    const [line] = await world.journal.find('lists.create')
    assert.deepEqual([line.status, line.rule, line.meant.status], [null, fault.name, 200])
    // Only the first answer was lost.
    await create(world, 'Other')
  }),
)

test(
  'every fault fires on each request unless first is given',
  withWorld(async (world) => {
    const { faults } = world
    for (const begin of [
      () => faults.fail(503, 'lists.query'),
      () => faults.lose('lists.query'),
      () => faults.delay(10, 'lists.query'),
      () => faults.add({ match: { operation: 'lists.query' }, effect: { status: 503 } }),
    ]) {
      const { rule } = await begin()
      assert.equal(rule.apply?.first ?? null, null)
      for (let at = 0; at < 2; at++) await world.send('GET', LISTS).catch(() => undefined)
      assert.deepEqual(
        (await faults.all()).map(({ seen, hits }) => [seen, hits]),
        [[2, 2]],
      )
      await faults.clear()
    }
  }),
)

test(
  'a 429 says when to come again',
  withWorld(async (world) => {
    await world.faults.fail(429, 'lists.query', { first: 1, retryAfter: 7 })
    const answer = await world.send('GET', LISTS)
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '7'])
    assert.equal((await world.send('GET', LISTS)).status, 200)
    assert.deepEqual(
      (await world.faults.all()).map((rule) => rule.hits),
      [1],
    )
  }),
)

/** A job of one contact. */
async function queue(world, url) {
  const job = {
    list_id: await create(world, 'VIP'),
    merge_type: 'skipDuplicates',
    callback_url: url,
    contacts: [{ phone_number: '+447700900001' }],
  }
  assert.equal((await world.send('POST', '/contacts/v1/contacts', job)).status, 200)
}

async function statuses(world) {
  const answers = await Promise.all(Array.from({ length: 20 }, () => world.send('GET', LISTS)))
  return new Set(answers.map((answer) => answer.status))
}

test(
  'limits are those of the world',
  withWorld({ settings: { 'limits.per_second': 1 } }, async (world) => {
    assert.ok((await statuses(world)).has(429))
    const free = await world.another({ settings: { limits: 'off' } })
    assert.deepEqual(await statuses(free), new Set([200]))
  }),
)

test(
  'a failed verification names the nearest miss',
  withWorld(async (world) => {
    await create(world, 'Basil')
    const match = { operation: 'lists.create', body: { pointer: { '/name': 'Thyme' } } }
    await assert.rejects(world.journal.verify(match, { exactly: 1 }), (why) => {
      assert.ok(why instanceof NotVerified)
      assert.match(why.message, /expected exactly 1, found 0/)
      assert.match(why.message, /near: line 1, POST \/contacts\/v1\/lists\/create, 200/)
      assert.match(why.message, /body\/name: expected Thyme, found "Basil"/)
      return true
    })
  }),
)

test(
  'requests are verified by number and by order',
  withWorld(async (world) => {
    const since = await world.journal.place()
    await create(world, 'VIP')
    await names(world)
    assert.deepEqual(await world.journal.verify('lists.create', { exactly: 1, since }), [1])
    assert.deepEqual(await world.journal.verifyOrder(['lists.create', 'lists.query']), [1, 2])
    await assert.rejects(world.journal.verifyOrder(['lists.query', 'lists.create']), NotVerified)
    await assert.rejects(world.journal.verify(undefined, { atMost: 1 }), NotVerified)
    const named = /unknown operation 'lists\.creat'; operations: .*lists\.create/
    await assert.rejects(world.journal.verify('lists.creat'), named)
    await assert.rejects(world.faults.lose('lists.creat'), named)
  }),
)

test(
  'a failed verification lists the matching requests if there are too many',
  withWorld(async (world) => {
    await create(world, 'VIP')
    await create(world, 'Other')
    await assert.rejects(world.journal.verify('lists.create', { exactly: 1 }), (why) => {
      assert.match(
        why.message,
        /expected exactly 1, found 2 .*\n {2}matches: line 1, POST .*create, 200\n {2}matches: line 2, /,
      )
      return true
    })
  }),
)

test(
  'a request that comes later is waited for',
  withWorld(async (world) => {
    const waits = world.journal.wait('lists.create', { timeout: 20_000 })
    await create(world, 'Late')
    const line = await waits
    assert.equal(line.request.body.text, '{"name":"Late"}')
    assert.ok((await world.journal.curl(line.seq)).includes(CREATE))
  }),
)

test(
  'reset goes back to the seed',
  withWorld({ account: { lists: [{ name: 'Seeded' }] } }, async (world) => {
    await create(world, 'VIP')
    await world.faults.fail(500)
    await world.reset()
    assert.deepEqual(await names(world), ['Seeded'])
    await world.faults.fail(500)
    await world.reset('faults')
    assert.equal((await world.send('GET', LISTS)).status, 500)
  }),
)

test(
  'a snapshot is restored and removed',
  withWorld(async (world) => {
    await create(world, 'Kept')
    await world.snapshots.take('before')
    await create(world, 'Lost')
    await world.snapshots.restore('before')
    assert.deepEqual(await names(world), ['Kept'])
    await world.snapshots.remove('before')
    assert.deepEqual(await world.snapshots.all(), [])
  }),
)

test(
  'an account may be a text',
  withWorld({ account: 'lists:\n- name: Leeds\n' }, async (world) => {
    assert.deepEqual(await names(world), ['Leeds'])
    await world.seed('{"lists":[{"name":"York"}]}')
    assert.deepEqual(await names(world), ['York'])
  }),
)

test(
  'an account is taken to another world',
  withWorld(async (world) => {
    await create(world, 'VIP')
    const other = await world.another({ account: await world.export() })
    assert.deepEqual(await names(other), ['VIP'])
    const third = await world.another({ source: `world:${other.name}` })
    assert.deepEqual(await names(third), ['VIP'])
  }),
)

test(
  'a callback arrives and is listed',
  withWorld(async (world) => {
    const receiver = createServer().listen(0, '127.0.0.1')
    try {
      await once(receiver, 'listening')
      const came = once(receiver, 'request')
      const job = {
        list_id: await create(world, 'VIP'),
        merge_type: 'skipDuplicates',
        callback_url: `http://127.0.0.1:${receiver.address().port}/done`,
        correlation_id: 'job-17',
        contacts: [{ phone_number: '+447700900001' }],
      }
      assert.equal((await world.send('POST', '/contacts/v1/contacts', job)).status, 200)
      const [request, response] = await came
      request.resume()
      response.writeHead(204).end()
      const line = await world.journal.wait({ direction: 'out' }, { timeout: 20_000 })
      assert.deepEqual([line.status, line.attempt], [204, 1])
      assert.equal((await world.callbacks())[0].correlation_id, 'job-17')
      assert.equal((await world.jobs())[0].state, 'done')
    } finally {
      receiver.close()
      receiver.closeAllConnections()
    }
  }),
)

test(
  'every other route is one call away',
  withWorld(async (world) => {
    const sender = await world.admin.post('/senders', { name: 'Acme' })
    assert.equal((await world.admin.get('/senders', { page_number: 1 })).items[0].name, sender.name)
    await world.faults.profile('flaky')
    assert.deepEqual(await world.admin.get('/faults/profile'), { name: 'flaky' })
  }),
)

test(
  'an admin path may have any documented form, and an error names its request',
  withWorld(async (world) => {
    for (const path of ['/faults/rules', '/__admin/faults/rules', 'faults/rules']) {
      assert.deepEqual((await world.admin.get(path)).items, [])
    }
    await assert.rejects(world.admin.put('/job_policy', { after: 5 }), (why) => {
      assert.ok(why instanceof AdminError)
      assert.match(why.message, /^PUT \/job_policy: .*\(400 bad_body\)$/)
      return true
    })
  }),
)

test(
  'a change without effect is warned of, and a mistyped correlation id is refused',
  withWorld(async (world) => {
    const warned = once(process, 'warning')
    await world.admin.patch('/limits', { enabled: true })
    await world.admin.patch('/limits', { enabled: false, per_second: 3 })
    const [warning] = await warned
    assert.equal(warning.name, 'RoostWarning')
    assert.equal(warning.message, 'PATCH /limits: per_second: has no effect while enabled is false.')
    await assert.rejects(world.settle({ timeout: 50, correlationId: 'mistyped' }), (why) => {
      assert.ok(why instanceof AdminError)
      assert.equal(why.code, 'unknown_correlation_id')
      return true
    })
  }),
)

test('one server serves all tests of a process', async () => {
  assert.equal(await server(), await server())
})

test(
  'time, callbacks and differences are one call away',
  withWorld({ clock: { mode: 'frozen', now: '2026-01-05T09:00:00Z' }, seed: 7 }, async (world) => {
    assert.equal((await world.advance('1h')).now, '2026-01-05T10:00:00Z')
    await world.snapshots.take('before')
    const inbox = world.hook()
    await inbox.answers(500)
    await queue(world, inbox.url)
    assert.equal((await inbox.wait(1, { timeout: 20_000 }))[0].answered, 500)
    // What is left waits for the clock, and so for us: nobody waits twenty seconds to say so.
    await assert.rejects(world.settle({ timeout: 20_000 }), (why) => {
      assert.ok(why instanceof NotSettled)
      assert.match(
        why.message,
        /callback 1 of job 1 is waiting until 2026-01-05T10:01:00Z, after 500\n.* clock is frozen at 2026-01-05T10:00:00Z/,
      )
      return true
    })
    const { ran } = await world.advance({ until: 'idle' })
    assert.deepEqual([ran.at(-1).attempt, ran.at(-1).status], [2, 200])
    assert.equal((await world.settle()).delivered, 1)
    assert.deepEqual(
      (await inbox.calls()).map((call) => call.answered),
      [500, 200],
    )
    await assert.rejects(inbox.wait(3, { timeout: 1 }), NotSettled)
    const { resources } = await world.snapshots.diff('before', 'now', { ignore: ['jobs'] })
    assert.deepEqual([resources.lists.added.count, resources.jobs.added.count], [1, 0])
    assert.equal((await world.snapshots.diff()).from, 'seed')
  }),
)

test(
  'a job that nobody runs is named at once instead of waited for',
  withWorld(async (world) => {
    await world.admin.put('/job_policy', { progress: 'manual' })
    await queue(world, world.hook('inbox').url)
    await assert.rejects(world.settle({ timeout: 300_000 }), (why) => {
      assert.ok(why instanceof NotSettled)
      assert.match(
        why.message,
        /waiting cannot help: jobs waiting: 1, .*\n  job 1: the job policy waits for it.*\n  Run it with POST \/__admin\/jobs\/1\/run/,
      )
      assert.doesNotMatch(why.message, /advance/)
      return true
    })
  }),
)

test(
  'the story names a fault that never fired, and why',
  withWorld(async (world) => {
    await world.faults.fail(503, 'senders.query', { name: 'unused' })
    assert.match(await world.story(), /fault 'unused' never fired: because no request matched/)
  }),
)

test(
  'callbacks are found by their state',
  withWorld(async (world) => {
    await world.admin.put('/callback_policy', { hold: true })
    await queue(world, world.hook('inbox').url)
    await world.settle(20_000)
    assert.deepEqual(
      (await world.callbacks({ state: 'held' })).map((callback) => callback.id),
      [1],
    )
    assert.deepEqual(await world.callbacks({ state: 'delivered' }), [])
  }),
)

test(
  'recorded requests are saved to a file',
  withWorld(async (world) => {
    await create(world, 'VIP')
    await names(world)
    const folder = mkdtempSync(join(tmpdir(), 'roost-archive-'))
    try {
      await world.journal.save(join(folder, 'all.har'))
      await world.journal.save(join(folder, 'lists.har'), { filter: 'operation:lists.query' })
      const methods = (name) => {
        const { log } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
        return log.entries.map((entry) => entry.request.method)
      }
      assert.deepEqual([methods('all.har'), methods('lists.har')], [['POST', 'GET'], ['GET']])
    } finally {
      rmSync(folder, { recursive: true })
    }
  }),
)

test(
  'an option that does not exist is refused, and a group of operations is accepted',
  withWorld(async (world) => {
    await assert.rejects(
      world.journal.verify('lists.create', { at_most: 1 }),
      /'at_most'; did you mean 'atMost'/,
    )
    await assert.rejects(world.faults.fail(429, 'lists', { retry_after: 1 }), /did you mean 'retryAfter'/)
    await assert.rejects(world.hook().wait(1, { seconds: 1 }), /unknown option 'seconds'; options: timeout/)
    await assert.rejects(
      world.journal.verify('lists.create', 1),
      /expected an object with the options .*exactly.*, got 1/,
    )
    await assert.rejects(
      world.callbacks('held'),
      /expected an object with the options state, correlationId, got "held"/,
    )
    assert.throws(
      () => world.advance(1000),
      /expected a duration with its unit, such as '1000ms' or '1h', got 1000/,
    )
    await create(world, 'VIP')
    assert.deepEqual(await world.journal.verify('lists', { exactly: 1 }), [1])
  }),
)
