import { beforeEach, describe, expect, it } from 'vitest'
import { router } from '../../lib/router.svelte'
import { incoming, type Incoming } from './incoming.svelte'

const taken: Incoming[] = []
beforeEach(() => {
  taken.length = 0
  incoming.take()
  globalThis.location.hash = '#/optouts'
})

describe('incoming files and texts', () => {
  it('go to the screen that takes them, until it stops', () => {
    const stop = incoming.takenBy((given) => taken.push(given))
    incoming.give({ files: [], text: 'a' })
    expect([taken.length, incoming.take()]).toEqual([1, undefined])
    stop()
    incoming.give({ files: [], text: 'b' })
    expect([taken.length, incoming.take()?.text]).toEqual([1, 'b'])
  })

  it('go to the screen of imports if the desktop passed them, whatever screen takes the others', () => {
    const stop = incoming.takenBy((given) => taken.push(given))
    incoming.give({ files: [], paths: ['/contacts.csv'] })
    expect([taken, incoming.take()?.paths]).toEqual([[], ['/contacts.csv']])
    expect(router.section).toBe('import')
    stop()
  })
})
