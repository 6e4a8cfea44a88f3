// Four tests of one worker, which write down where they ran.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { withWorld } from '@roost/test'
import { create, names } from '../lists.mjs'

/** @param {string} name */
export function worker(name) {
  describe(name, { concurrency: 4 }, () => {
    for (const turn of [0, 1, 2, 3]) {
      test(
        `turn ${turn}`,
        withWorld(async (world) => {
          assert.deepEqual(await names(world), [])
          await create(world, 'VIP')
          const told = { server: world.server.url, world: world.name }
          writeFileSync(join(process.env.TOLD, `${name}-${turn}.json`), JSON.stringify(told))
        }),
      )
    }
  })
}
