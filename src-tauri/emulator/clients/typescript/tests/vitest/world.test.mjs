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
  'a wish stands before the function, and the context is passed on',
  withWorld({ account: { lists: [{ name: 'Seeded' }] } }, async (world, context) => {
    expect(await names(world)).toEqual(['Seeded'])
    expect(context.task.name).toContain('a wish')
  }),
)

test.fails(
  'a failure is a failure',
  withWorld(async (world) => {
    expect(await names(world)).toEqual(['nobody'])
  }),
)
