// Run by runners.test.mjs: fails on purpose.
import { test } from 'node:test'
import { withWorld } from '@roost/test'

test(
  'of a shop',
  withWorld(async (world) => {
    await world.faults.fail(503, 'lists.query', { name: 'overloaded' })
    await world.send('GET', '/contacts/v1/lists/')
    throw new Error('as it is meant to')
  }),
)
