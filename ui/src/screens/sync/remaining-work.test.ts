// What remains after a run is reported with a link to it.
import { describe, expect, it } from 'vitest'
import { listRemainingWork } from './remaining-work'

const describeLeft = (changes: number, held: number, conflicts: number) =>
  listRemainingWork({ changes, held, conflicts }).map(({ text, href }) => `${text} ${href}`)

describe('what a run leaves', () => {
  it('is nothing where all was sent', () => expect(describeLeft(0, 0, 0)).toEqual([]))

  it('begins with the conflicts, and separates what waits from what is held back', () => {
    expect(describeLeft(3, 1, 2)).toEqual([
      '2 conflicts #/sync/conflicts',
      '2 changes to send #/sync/changes',
      '1 change held back #/sync/changes',
    ])
    expect(describeLeft(1, 1, 0)).toEqual(['1 change held back #/sync/changes'])
  })
})
