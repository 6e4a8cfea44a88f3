// Compiled and never run: the types as whoever imports the package sees them.
import { NotVerified, Server, withWorld, type Wish, type World } from '@roost/test'
import type { JobEnded } from '@roost/test/interface'
import type { FaultRule, JournalLine } from '@roost/test/types'

export const rule: FaultRule = {
  match: { operation: 'lists.create' },
  effect: { line: 'reset' },
  commit: 'after',
}
// @ts-expect-error: there is no such time to commit.
export const wrong: FaultRule = { effect: { status: 500 }, commit: 'later' }

export async function use(): Promise<JournalLine[]> {
  await using server = await Server.start({ flags: ['--limits', 'off'] })
  await using world = await server.world({ settings: { limits: 'off' }, source: 'empty' })
  const fault = await world.faults.lose('lists.create')
  await world.faults.fail(500, 'lists')
  // @ts-expect-error: no operation has this name.
  await world.faults.fail(500, 'lists.creat')
  // @ts-expect-error: no group of operations has this name.
  await world.journal.count('list')
  // @ts-expect-error: no setting has this name.
  await world.set({ limit: 'off' })
  const hits: number = fault.hits
  const verified: number[] = await world.journal.verify('lists.create', { exactly: hits, timeout: 100 })
  const status: number = (await world.send('GET', '/contacts/v1/lists/')).status
  return status === 200 && verified.length > 0 ? world.journal.find({ status: 200 }) : []
}

/** Paths of the operator's side know what they take and answer. */
export async function ask(
  { admin, server, snapshots }: World,
  id: string,
): Promise<(string | number | null)[]> {
  const { items } = await admin.get(`/short_links/${id}/clicks`, { page_size: 5 })
  await admin.put('/job_policy', { faults: [{ fault: { fail_after: 3 } }] })
  // @ts-expect-error: no policy has this field.
  await admin.put('/job_policy', { fail_after: 3 })
  // @ts-expect-error: no setting takes this word.
  await admin.patch('/settings', { limits: 'of' })
  const { url } = await admin.get('/__admin/hooks/inbox')
  const [click] = items
  const { pid } = await server.admin.get('/info')
  const mine = await admin.get<{ mine: string }>('/faults/magic')
  const { added } = await snapshots.diff()
  const anything: unknown = await admin.get(id)
  return [click?.browser ?? null, url, pid, mine.mine, added, String(anything)]
}
export const ended = (body: JobEnded): string => body.results.total_contacts_imported
export const wish: Wish = { clock: { mode: 'frozen' }, account: 'lists: []' }

export const run: (context: { signal: AbortSignal }) => Promise<void> = withWorld(async (world, context) => {
  const given: World = world
  context.signal.throwIfAborted()
  await given.reset('faults')
})
export const seeded: (context: unknown) => Promise<void> = withWorld({ account: { lists: [] } }, (world) =>
  world.story(),
)
export const near = (why: NotVerified): number | undefined => why.verified.nearest[0]?.seq
