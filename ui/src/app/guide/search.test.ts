// The search in the guide, and its pages as the program shows them.
import { PAGES } from 'virtual:guides'
import { expect, it } from 'vitest'
import { loadSections, searchGuide } from './search'

const section = (title: string, text: string) => ({ page: 'a', pageTitle: 'A', id: title, title, text })

it('finds sections that contain every word, and titles first', () => {
  const sections = [
    section('Import a file', 'Drop it.'),
    section('Copies', 'An import can be undone: the file stays.'),
    section('Ports', 'None.'),
  ]
  expect(searchGuide(sections, 'File  IMPORT').map(({ title }) => title)).toEqual(['Import a file', 'Copies'])
  expect(searchGuide(sections, ' ')).toEqual([])
  expect(searchGuide(sections, 'nothing')).toEqual([])
})

it('shows the text around the first match', () => {
  const [hit] = searchGuide([section('Copies', `${'a '.repeat(80)}the Copy ${'b '.repeat(80)}`)], 'copy')
  const [before, match, after] = hit?.excerpt ?? []
  expect(match).toBe('Copy')
  expect(before).toMatch(/^…a .* the $/)
  expect(after).toMatch(/^ b .*…$/)
  expect(searchGuide([section('Copies', 'Some text.')], 'copies')[0]?.excerpt).toEqual(['Some text.', '', ''])
})

it('finds a task in the pages of the program', async () => {
  const found = searchGuide(await loadSections(), 'remove an opt-out')
  expect(found[0]).toMatchObject({
    page: 'account-manager',
    id: 'remove-an-opt-out',
    title: 'Remove an opt-out',
  })
})

it('runs nothing from the pages, and loads nothing from elsewhere', async () => {
  for (const { id, load } of PAGES)
    for (const { html } of await load())
      expect(html, id).not.toMatch(/<(?:script|style|img|iframe|object|form)\b|\son\w+=|javascript:/i)
})
