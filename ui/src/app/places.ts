// Every place that a route can name: the sections, and the screens that are not in the sidebar.
import BookOpen from '@lucide/svelte/icons/book-open'
import Building from '@lucide/svelte/icons/building-2'
import FileInput from '@lucide/svelte/icons/file-input'
import Search from '@lucide/svelte/icons/search'
import ShieldCheck from '@lucide/svelte/icons/shield-check'
import { m } from '../gen/words'
import { existingSections, SECTIONS, type Section } from './sections'

const PLACES: readonly Section[] = [
  ...SECTIONS,
  ...existingSections([
    { id: 'accounts', title: m.frame_section_accounts, icon: Building },
    { id: 'import', title: m.import_section, icon: FileInput },
    { id: 'safety', title: m.safety_title, icon: ShieldCheck },
  ]),
  {
    id: 'search',
    title: m.frame_section_search,
    icon: Search,
    load: async () => (await import('./search/Search.svelte')).default,
  },
  {
    id: 'guide',
    title: m.frame_section_guide,
    icon: BookOpen,
    load: async () => (await import('./guide/Guide.svelte')).default,
  },
]

export function findSection(id: string): Section | undefined {
  return PLACES.find((section) => section.id === id)
}
