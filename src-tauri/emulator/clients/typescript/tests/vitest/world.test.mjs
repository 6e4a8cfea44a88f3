// The same helper under vitest, whose `test` and `expect` are globals here.
/* global expect, test */
import { withWorld } from '@roost/test'
import { create, names } from '../lists.mjs'

test.concurrent.for(['one', 'two', 'three', 'four'])('each test has a world of its own: %s', (name) =>
  withWorld(async (world) => {
    expect(await names(world)).toEqual([])
    await create(world, name)
    expect(await names(world)).toEqual([name])
  })(),
)

test(
  'options come before the function, and the test context is passed on',
  withWorld({ account: { lists: [{ name: 'Seeded' }] } }, async (world, context) => {
    expect(await names(world)).toEqual(['Seeded'])
    expect(context.task.name).toContain('options come before')
  }),
)

test.fails(
  'a failed assertion fails the test',
  withWorld(async (world) => {
    expect(await names(world)).toEqual(['nobody'])
  }),
)
