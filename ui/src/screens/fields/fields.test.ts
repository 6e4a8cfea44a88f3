// The order of custom fields, and the counting of their values.
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../api/call'
import { moveItem } from './order'
import { FieldUses } from './uses.svelte'

vi.mock('../../api/call', () => ({ call: vi.fn(), clientId: 'me', transport: {} }))
const asked = vi.mocked(call)
beforeEach(() => asked.mockReset())

describe('order', () => {
  it('moves one and keeps the others as they are', () => {
    expect(moveItem([1, 2, 3], 0, 2)).toEqual([2, 3, 1])
    expect(moveItem([1, 2, 3], 2, 0)).toEqual([3, 1, 2])
    expect(moveItem([1, 2, 3], 1, 9)).toEqual([1, 3, 2])
    expect(moveItem([1, 2, 3], 7, 0)).toEqual([1, 2, 3])
  })
})

describe('uses of a field', () => {
  it('are counted in steps until all are counted', async () => {
    asked.mockResolvedValueOnce({ contacts: 4, lists: 1, next: 'x' } as never)
    asked.mockResolvedValueOnce({ contacts: 9, lists: 2, next: null } as never)
    const uses = new FieldUses()
    await uses.count([7])
    expect(asked.mock.calls.map(([, request]) => request)).toEqual([
      { number: 7, after: null },
      { number: 7, after: 'x' },
    ])
    expect(uses.countsByField.get(7)).toEqual({ contacts: 9, done: true })
  })

  it('stop when they are no longer wanted', async () => {
    const uses = new FieldUses()
    asked.mockImplementationOnce(() => {
      uses.stop()
      return Promise.resolve({ contacts: 4, lists: 1, next: 'x' } as never)
    })
    await uses.count([7])
    expect(asked).toHaveBeenCalledOnce()
  })
})
