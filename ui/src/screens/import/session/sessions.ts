// The imports that this page has opened, so that returning to one restores its state.
import { call, transport } from '../../../api/call'
import type { ImportTarget } from '../../../api/generated'
import { m } from '../../../gen/words'
import type { IncomingFiles, RefusedPaste } from '../../../parts/files/incoming.svelte'
import { ImportSession } from './session.svelte'
import { toImportSources } from '../../../parts/files/upload'

const KEPT = 4
const open = new Map<number, ImportSession>()

function keep(session: ImportSession): ImportSession {
  open.delete(session.id)
  open.set(session.id, session)
  for (const id of [...open.keys()].slice(0, -KEPT)) open.delete(id)
  return session
}

/** Starts an import with what was dropped, pasted or picked. */
export async function beginImport(given: IncomingFiles): Promise<ImportSession> {
  const target: ImportTarget | null = given.list === undefined ? null : { list: given.list }
  const sources = toImportSources(given, m.import_pasted())
  const first = await call('import_open', { purpose: 'contacts', sources, target })
  const session = keep(new ImportSession(first))
  const sent = session.send(given.files)
  const { refused } = given
  session.added = refused?.added ?? 0
  if (refused !== undefined) void sent.then(() => showRows(session, refused))
  return session
}

/** Goes on to the rows, unless the mapping needs an answer first. */
async function showRows(session: ImportSession, { country }: RefusedPaste): Promise<void> {
  if ((await session.go('mapping')) !== true) return
  if (session.mapping !== undefined) session.changeMapping({ ...session.mapping, region: country })
  await session.go('rehearsal')
}

/** Lets the user choose files in the desktop's dialog; returns undefined where there is none. */
export async function pickPaths(): Promise<readonly string[] | undefined> {
  if (transport.kind === 'browser') return undefined
  return (await call('import_pick', {})).paths
}

/** Resumes an unfinished import, even after a restart of the program. */
export async function resumeImport(id: number): Promise<ImportSession> {
  const known = open.get(id)
  if (known !== undefined) {
    void known.checkState()
    return keep(known)
  }
  const first = await call('import_state', { import: id, generation: null, wait_ms: 0 })
  return keep(new ImportSession(first))
}

export function forgetImport(id: number): void {
  open.delete(id)
}
