// What remains after a run is reported with a link to it.
import { describe, expect, it } from 'vitest'
import { listRemainingWork } from './left'

const told = (changes: number, held: number, conflicts: number) =>
  listRemainingWork({ changes, held, conflicts }).map(({ text, href }) => `${text} ${href}`)

describe('what a run leaves', () => {
  it('is nothing where all was sent', () => expect(told(0, 0, 0)).toEqual([]))

  it('begins with the conflicts, and tells what waits from what is held back', () => {
    expect(told(3, 1, 2)).toEqual([
      '2 conflicts #/sync/conflicts',
      '2 changes to send #/sync/changes',
      '1 change held back #/sync/changes',
    ])
    expect(told(1, 1, 0)).toEqual(['1 change held back #/sync/changes'])
  })
})
