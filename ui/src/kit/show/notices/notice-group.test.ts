import { expect, test } from 'vitest'
import { NoticeGroup } from './notice-group.svelte'

test('three notices fold, and the last two unfold when one goes', () => {
  const group = new NoticeGroup()
  const [first] = [group.join(), group.join()]
  expect(group.isMany).toBe(false)
  const third = group.join()
  expect(group.isMany).toBe(true)
  third()
  expect(group.isMany).toBe(false)
  first?.()
})
