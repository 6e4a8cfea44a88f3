// Menus whose groups may be empty.
import { expect, it } from 'vitest'
import { removeEmptyGroups, type MenuEntry } from './menu.svelte'

const act = (title: string): MenuEntry => ({ title, run: () => undefined })

it('has a line only between entries', () => {
  const [one, other] = [act('Merge'), act('Delete')]
  expect(removeEmptyGroups([undefined, undefined, one, undefined, undefined, other, undefined])).toEqual([
    one,
    undefined,
    other,
  ])
  expect(removeEmptyGroups([undefined, undefined])).toEqual([])
})
