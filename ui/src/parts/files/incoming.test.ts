import { beforeEach, describe, expect, it } from 'vitest'
import { router } from '../../lib/router.svelte'
import { incoming, type IncomingFiles } from './incoming.svelte'

const taken: IncomingFiles[] = []
beforeEach(() => {
  taken.length = 0
  incoming.takeWaiting()
  globalThis.location.hash = '#/optouts'
})

describe('incoming files and texts', () => {
  it('go to the screen that takes them, until it stops', () => {
    const stop = incoming.redirectTo((given) => taken.push(given))
    incoming.deliver({ files: [], text: 'a' })
    expect([taken.length, incoming.takeWaiting()]).toEqual([1, undefined])
    stop()
    incoming.deliver({ files: [], text: 'b' })
    expect([taken.length, incoming.takeWaiting()?.text]).toEqual([1, 'b'])
  })

  it('go to the screen of imports if the desktop passed them, whatever screen takes the others', () => {
    const stop = incoming.redirectTo((given) => taken.push(given))
    incoming.deliver({ files: [], paths: ['/contacts.csv'] })
    expect([taken, incoming.takeWaiting()?.paths]).toEqual([[], ['/contacts.csv']])
    expect(router.section).toBe('import')
    stop()
  })
})
