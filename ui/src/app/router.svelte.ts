// Which section is shown: the fragment of the address, so that back and forward work.
import { SECTIONS, type SectionId } from './sections'

export function sectionOf(hash: string): SectionId {
  return SECTIONS.find((section) => hash === `#/${section.id}`)?.id ?? 'overview'
}

class Router {
  section = $state<SectionId>(sectionOf(location.hash))

  constructor() {
    addEventListener('hashchange', () => (this.section = sectionOf(location.hash)))
  }

  go(section: SectionId): void {
    location.hash = `#/${section}`
    this.section = section
  }
}

export const router = new Router()
