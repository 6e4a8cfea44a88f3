// Run by runners.test.mjs: does not end by itself, and is ended as a time-out would.
import { test } from 'node:test'
import { withWorld } from '@roost/test'

const stop = new AbortController()

test(
  'of a shop',
  { signal: stop.signal },
  withWorld(async (world) => {
    await world.send('GET', '/contacts/v1/lists/')
    stop.abort()
    await new Promise(() => {})
  }),
)
