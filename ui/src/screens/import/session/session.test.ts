// An import that is finished shows its result, whatever step was open before.
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../../api/call'
import type { ImportState } from '../../../api/generated'
import { ImportSession } from './session.svelte'

vi.mock('../../../api/call', () => ({ call: vi.fn(), onSlowCall: vi.fn(), transport: {} }))
const asked = vi.mocked(call)

const OPEN = {
  import: 1,
  generation: 1,
  stage: 'rehearsed',
  target: { list: 'list' },
  files: [],
  progress: null,
  accepted: null,
} as unknown as ImportState
const DONE = {
  ...OPEN,
  generation: 2,
  stage: 'accepted',
  accepted: { list: 'list', ledger: { entries: [] }, lost_opt_outs: [] },
} as unknown as ImportState

beforeEach(() => {
  asked.mockReset()
  asked.mockImplementation(
    (name: string) =>
      Promise.resolve(name === 'import_state' ? DONE : { columns: [], faults: [], items: [] }) as never,
  )
})

describe('a finished import', () => {
  it('has its result in view, and no earlier step', async () => {
    const session = new ImportSession(OPEN)
    await session.go('mapping')
    expect(session.step).toBe('mapping')
    await session.checkState()
    expect(session.step).toBe('accept')
    await session.go('mapping')
    expect(session.step).toBe('accept')
  })
})
