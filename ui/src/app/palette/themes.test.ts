// The commands of every screen, as the palette finds them.
import { expect, it } from 'vitest'
import { rankMatches } from '../../lib/fuzzy'
import { createFrameCommands } from '../commands/frame-commands'

it('finds a theme by its name', () => {
  const found = rankMatches('dark', createFrameCommands(), ({ title }) => title)
  expect(found[0]?.title).toBe('Theme: Dark')
})
