// The loyalty program against the emulator: a world for each test, all at once, and nothing sleeps.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { NotVerified, withWorld, type Hook, type World } from '@roost/test'
import { Loyalty, type Told } from './loyalty.ts'
import type { Options } from './service.ts'

/** +447700900000 and up: kept for fiction. */
const members = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ phone: `+44${7_700_900_000 + at}`, firstname: `Member ${at}` }))

function program(
  world: World,
  { callbackUrl = world.hook().url, ...how }: Partial<Options> & { callbackUrl?: string } = {},
) {
  return new Loyalty({ url: world.url, key: world.key, sleep: async () => {}, ...how }, callbackUrl)
}

/** Hands on what came to a receiver of the server. */
async function handOn(hook: Hook, loyalty: Loyalty, count: number): Promise<void> {
  for (const { json } of await hook.wait(count)) loyalty.called(json as Told)
}

const imported = (told: Told[]) => told.map(({ results }) => results.total_contacts_imported)

test.concurrent(
  'members become contacts, and callbacks arrive at a receiver of our own',
  withWorld(async (world) => {
    const server: Server = createServer(async (request, response) => {
      let text = ''
      for await (const part of request) text += String(part)
      loyalty.called(JSON.parse(text) as Told)
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const loyalty = program(world, { callbackUrl: `http://127.0.0.1:${port}/told` })
    try {
      expect(imported(await loyalty.sync('Leeds', members(5), 2))).toEqual(['2', '2', '1'])
    } finally {
      server.close()
    }
    await loyalty.optOut('+447700900000')
    const { resources } = await world.snapshots.diff('seed', 'now', { ignore: ['jobs'] })
    expect(resources.contacts.added.count).toBe(5)
    expect(resources.opt_outs.added.items[0]?.fields['number']).toBe('+447700900000')
  }),
)

test.concurrent(
  'a list is not made twice when the answer is lost',
  withWorld(async (world) => {
    await world.faults.lose('lists.create', { first: 1 })
    await program(world).list('Leeds')
    await world.journal.verify('lists.create', { exactly: 1 })
    await world.journal.verifyOrder(['lists.query', 'lists.create', 'lists.query'])
  }),
)

test.concurrent(
  'a link is not made twice, and its clicks are counted',
  withWorld(async (world) => {
    await world.faults.lose('shortlinks.create', { first: 1 })
    const link = await program(world).link('Points', 'https://shop.example/points')
    await fetch(link.short_link_url, { redirect: 'manual' })
    const clicks = await world.admin.get(`/short_links/${link.link_id}/clicks`)
    expect(clicks.items.map((click) => click.target_url)).toEqual(['https://shop.example/points'])
    await world.journal.verify('shortlinks.create', { exactly: 1 })
  }),
)

test.concurrent(
  'a 429 is waited out for as long as it says',
  withWorld(async (world) => {
    await world.faults.fail(429, 'lists.query', { first: 1, retryAfter: 30 })
    const slept: number[] = []
    const sleep = async (milliseconds: number) => void slept.push(milliseconds)
    await program(world, { sleep }).list('Leeds')
    expect(slept).toEqual([30_000])
  }),
)

test.concurrent(
  'a hang, a reset connection and a truncated body are survived',
  withWorld(async (world) => {
    const match = { operation: 'lists.query' }
    for (const effect of [
      { line: 'hang' },
      { line: 'reset' },
      { body: { truncate: { bytes: 5 } } },
    ] as const) {
      await world.faults.add({ match, effect, apply: { first: 1 } })
    }
    await program(world, { timeout: 1000, tries: 9 }).list('Leeds')
    expect((await world.faults.all()).map((rule) => rule.hits)).toEqual([1, 1, 1])
  }),
)

test.concurrent(
  'callbacks may come late and in another order',
  withWorld(async (world) => {
    await world.admin.put('/callback_policy', { hold: true })
    const [loyalty, hook] = [program(world), world.hook()]
    const done = loyalty.sync('Leeds', members(3), 1)
    await world.journal.verify('contacts.create', { atLeast: 3, timeout: 4000 })
    await world.settle()
    // The newest first.
    for (const { id } of await world.callbacks({ state: 'held' })) {
      await world.admin.post(`/callbacks/${id}/release`)
    }
    await handOn(hook, loyalty, 3)
    expect(imported(await done)).toEqual(['1', '1', '1'])
  }),
)

test.concurrent(
  'a callback that was answered 500 comes again a minute later',
  withWorld({ clock: { mode: 'frozen', now: '2026-01-05T09:00:00Z' } }, async (world) => {
    const [loyalty, hook] = [program(world), world.hook()]
    await hook.answers(500)
    const done = loyalty.sync('Leeds', members(1))
    await hook.wait(1)
    const { ran } = await world.advance('1m')
    expect(ran.at(-1)).toMatchObject({
      what: 'callback',
      attempt: 2,
      status: 200,
      at: '2026-01-05T09:01:00Z',
    })
    await handOn(hook, loyalty, 2)
    expect(imported(await done)).toEqual(['1'])
  }),
)

test.concurrent(
  'a job that fails after three contacts says so',
  withWorld(async (world) => {
    await world.admin.put('/job_policy', { faults: [{ fault: { fail_after: 3 }, first: 1 }] })
    const [loyalty, hook] = [program(world), world.hook()]
    const done = loyalty.sync('Leeds', members(5))
    await handOn(hook, loyalty, 1)
    expect((await done)[0]?.results).toMatchObject({
      total_contacts_imported: '3',
      total_contacts_failed: '2',
    })
  }),
)

test.concurrent(
  'a sender is used once it is approved',
  withWorld(async (world) => {
    const { id } = await world.admin.post('/senders', { name: 'Acme' })
    expect(await program(world).sender()).toBeUndefined()
    await world.admin.post(`/senders/${id}/approve`)
    expect(await program(world).sender()).toBe(id)
  }),
)

const seed = `
lists:
- name: Leeds
  contacts:
  - phone_number: "+447700900000"
`

test.concurrent(
  'an existing list is found instead of created, and a reset restores the seed',
  withWorld({ account: seed }, async (world) => {
    const loyalty = program(world)
    await loyalty.list('Leeds')
    await world.journal.verify('lists.create', { exactly: 0 })
    await loyalty.list('York')
    const why = await world.journal.verify('lists.create', { exactly: 2 }).catch((cause: unknown) => cause)
    expect(why).toBeInstanceOf(NotVerified)
    await world.reset()
    expect(await world.snapshots.diff()).toMatchObject({ is_empty: true })
  }),
)
