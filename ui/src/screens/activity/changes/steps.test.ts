// What an act did, told once for each kind of thing.
import { expect, test } from 'vitest'
import { summed, type Change } from './steps'

const change = (noun: Change['noun'], action: Change['action'], uid: string | null, count = 1): Change => ({
  noun,
  action,
  uid,
  count,
})

test('an act names each kind of change once, with all that it changed', () => {
  const changes = [
    change('contact', 'updated', 'CON_1'),
    change('contact', 'updated', 'CON_2'),
    change('contact', 'updated', null, 40),
    change('contact', 'deleted', 'CON_3'),
    change('list', 'updated', 'LST_1'),
  ]
  expect(summed(changes)).toEqual([
    { noun: 'contact', action: 'updated', count: 42 },
    { noun: 'contact', action: 'deleted', count: 1 },
    { noun: 'list', action: 'updated', count: 1 },
  ])
})

test('what an act changed twice counts once', () => {
  const twice = [change('contact', 'updated', 'CON_1'), change('contact', 'updated', 'CON_1')]
  expect(summed(twice)).toEqual([{ noun: 'contact', action: 'updated', count: 1 }])
})
