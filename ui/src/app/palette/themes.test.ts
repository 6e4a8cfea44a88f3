// The commands of every screen, as the palette finds them.
import { expect, it } from 'vitest'
import { ranked } from '../../lib/fuzzy'
import { frameCommands } from '../frame-commands'

it('finds a theme by its name', () => {
  const found = ranked('dark', frameCommands(), ({ title }) => title)
  expect(found[0]?.title).toBe('Theme: Dark')
})
