// The sections of the program, in the order of the sidebar and of their keys.
import LayoutDashboard from '@lucide/svelte/icons/layout-dashboard'
import Users from '@lucide/svelte/icons/users'
import type { Counts } from '../api/generated'
import type { Chord } from '../lib/keys'

export const SECTIONS = [
  { id: 'overview', title: 'Overview', icon: LayoutDashboard, chord: 'mod+1', count: undefined },
  { id: 'lists', title: 'Lists', icon: Users, chord: 'mod+2', count: 'lists' },
] as const satisfies readonly {
  id: string
  title: string
  icon: unknown
  chord: Chord
  count: keyof Counts | undefined
}[]

export type SectionId = (typeof SECTIONS)[number]['id']
