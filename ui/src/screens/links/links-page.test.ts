// The requests that filters lead to.
import { describe, expect, it } from 'vitest'
import { countFilters, NO_FILTER, toQuery } from './links-page.svelte'

describe('a filter of short links', () => {
  it('asks for nothing special when it is empty', () => {
    expect(toQuery(NO_FILTER, 'DESC', 1)).toMatchObject({ query: null, tags: [], from: null, to: null })
  })

  it('bounds days from their first moment to their last', () => {
    const { from, to } = toQuery({ ...NO_FILTER, from: '2026-01-05', to: '2026-01-05' }, 'ASC', 2)
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(86_400_000 - 1)
  })

  it('ignores an invalid date', () =>
    expect(toQuery({ ...NO_FILTER, from: '2026-02-31x' }, 'ASC', 1).from).toBeNull())

  it('counts what narrows besides the words', () =>
    expect(countFilters({ text: 'a', tags: ['a', 'b'], from: '2026-01-05', to: '' })).toBe(2))
})
