// The commands of every screen, as the palette finds them.
import { expect, it } from 'vitest'
import { rankMatches } from '../../lib/fuzzy'
import { createFrameCommands } from '../commands/frame-commands'

it('finds the language by that word', () => {
  const found = rankMatches('language', createFrameCommands(), ({ title }) => title)
  expect(found.slice(0, 3).map(({ title }) => title)).toEqual(
    expect.arrayContaining(['Language: Deutsch', 'Language: العربية']),
  )
})

it('finds a theme by its name', () => {
  const found = rankMatches('dark', createFrameCommands(), ({ title }) => title)
  expect(found[0]?.title).toBe('Theme: Dark')
})

it.each(['restore', 'held', 'erase', 'delete person', 'damage'])(
  'finds the backups and copies by “%s”',
  (word) => {
    const found = rankMatches(
      word,
      createFrameCommands(),
      ({ title }) => title,
      ({ keywords }) => keywords ?? '',
    )
    expect(found[0]?.id).toBe('account.safety')
  },
)
