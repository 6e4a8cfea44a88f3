import { expect, test } from 'vitest'
import { KnownNumbers } from './known-numbers'

const row = (numbers: string[], is_in_list = false, is_opted_out = false) => ({
  numbers,
  is_in_list,
  is_opted_out,
})

test('says what is known of pasted numbers, and nothing of the others', () => {
  const known = new KnownNumbers()
  known.add(row(['+447700900001']))
  expect(known.words()).toEqual([])
  known.add(row(['+447700900002'], true, true))
  known.add(row(['+447700900001', '+447700900003']))
  known.add(row(['+447700900003'], true))
  expect(known.words()).toEqual([
    '2 of them have a number that is in this list already.',
    '2 of them repeat a number of an earlier row.',
    '1 of them has an opted-out number. It is added, but not messaged.',
  ])
})
