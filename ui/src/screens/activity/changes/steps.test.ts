// A line of the activity counts each kind of change once.
import { describe, expect, it } from 'vitest'
import { countChangesByKind, type ActivityEntry } from './steps'

const change = (uid: string | null, count = 1, action: 'updated' | 'deleted' = 'updated') =>
  ({ noun: 'contact', action, uid, count }) as ActivityEntry['changes'][number]
const counts = (...changes: ActivityEntry['changes']) =>
  countChangesByKind(changes).map(({ action, count }) => [action, count])

describe('the changes of a step', () => {
  it('are added up where they are of one kind', () =>
    expect(counts(change('a'), change('b'), change('b', 3, 'deleted'))).toEqual([
      ['updated', 2],
      ['deleted', 3],
    ]))

  it('count a record once that changed twice', () =>
    expect(counts(change('a'), change('a'))).toEqual([['updated', 1]]))

  it('leave out the list whose contacts changed, and what did not change', () => {
    const list = {
      noun: 'list',
      action: 'updated',
      uid: 'list',
      count: 1,
    } as ActivityEntry['changes'][number]
    expect(counts(change('a'), list)).toEqual([['updated', 1]])
    expect(counts(list)).toEqual([['updated', 1]])
    expect(counts(change(null, 0), list)).toEqual([['updated', 1]])
  })

  it('count every record of a bulk change', () =>
    expect(counts(change(null, 5), change(null, 2), change('list', 4), change('list', 3))).toEqual([
      ['updated', 14],
    ]))
})
