// Which fields without a name are asked about, and how many lists are searched for their values.
import { beforeEach, expect, it, vi } from 'vitest'
import { findUnnamedFields } from './unnamed-fields'

let lists: Record<string, readonly Record<string, string>[]> = {}
let read: string[] = []

vi.mock('../../../api/call', () => ({
  call: (name: string, { list = '', page_size = 0 }: { list?: string; page_size?: number }) => {
    if (name === 'custom_field_all')
      return Promise.resolve({
        fields: [
          { number: 1, label: 'Tier' },
          { number: 2, label: 'Field 2' },
          { number: 3, label: 'Field 3' },
        ],
      })
    const uids = Object.keys(lists).slice(0, page_size)
    if (name === 'list_page') return Promise.resolve({ items: uids.map((uid) => ({ uid })) })
    read.push(list)
    return Promise.resolve({ items: (lists[list] ?? []).map((values) => ({ values })) })
  },
}))

beforeEach(() => {
  read = []
})

it('finds a field of a small list beside large lists that do not use it', async () => {
  lists = {
    a: [{ field_1: 'Gold' }],
    b: [],
    c: [],
    d: [],
    small: [{ field_2: 'Leeds' }, { field_2: 'York' }],
  }
  expect(await findUnnamedFields()).toEqual([{ number: 2, samples: ['Leeds', 'York'] }])
})

it('stops when every field has a sample', async () => {
  lists = { a: [{ field_2: 'Leeds' }], b: [{ field_3: 'Vegan' }], c: [{ field_2: 'York' }] }
  expect(await findUnnamedFields()).toEqual([
    { number: 2, samples: ['Leeds'] },
    { number: 3, samples: ['Vegan'] },
  ])
  expect(read).toEqual(['a', 'b'])
})
