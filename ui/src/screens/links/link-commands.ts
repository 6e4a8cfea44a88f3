// The commands on the screen of short links, with their keys.
import { m } from '../../gen/words'
import type { Command } from '../../lib/commands/registry.svelte'
import { href, router } from '../../lib/router.svelte'
import type { LinkItem } from './links-page.svelte'

interface LinkActs {
  /** Called each time, because a menu opens before the screen knows of the row under it. */
  chosen: () => readonly LinkItem[]
  add: (like: LinkItem | undefined) => void
  open: (link: LinkItem) => void
  copy: (links: readonly LinkItem[]) => void
  copyTarget: (link: LinkItem) => void
  showQr: (link: LinkItem) => void
  print: (links: readonly LinkItem[]) => void
  remove: (links: readonly LinkItem[]) => void
  removeByTag: () => void
  refresh: () => Promise<void>
}

export function createLinkCommands(acts: LinkActs): Command[] {
  const { chosen } = acts
  const section = m.links_section()
  const hasSelection = (): boolean => chosen().length > 0
  const hasOneSelected = (): boolean => chosen().length === 1
  const ofOne = (act: (link: LinkItem) => void) => (): void => {
    const [one] = chosen()
    if (one !== undefined) act(one)
  }
  return [
    {
      id: 'links.new',
      title: m.links_new(),
      section,
      keys: ['mod+n'],
      whileTyping: true,
      run: () => acts.add(undefined),
    },
    {
      id: 'links.many',
      title: m.links_new_many(),
      section,
      keys: ['mod+shift+i'],
      whileTyping: true,
      run: () => router.go(href('links', 'many')),
    },
    { id: 'links.open', title: m.links_open(), section, when: hasOneSelected, run: ofOne(acts.open) },
    {
      id: 'links.copy',
      title: m.links_copy_addresses({ count: chosen().length }),
      section,
      keys: ['mod+c'],
      when: hasSelection,
      run: () => acts.copy(chosen()),
    },
    {
      id: 'links.copy_target',
      title: m.links_copy_target(),
      section,
      when: hasOneSelected,
      run: ofOne(acts.copyTarget),
    },
    {
      id: 'links.qr',
      title: m.links_qr(),
      section,
      keys: ['q'],
      when: hasOneSelected,
      run: ofOne(acts.showQr),
    },
    {
      id: 'links.print',
      title: m.links_print(),
      section,
      keys: ['shift+q'],
      when: hasSelection,
      run: () => acts.print(chosen()),
    },
    { id: 'links.again', title: m.links_same_again(), section, when: hasOneSelected, run: ofOne(acts.add) },
    {
      id: 'links.delete',
      title: m.links_delete(),
      section,
      keys: ['delete'],
      when: hasSelection,
      run: () => acts.remove(chosen()),
    },
    { id: 'links.by_tag', title: m.links_delete_by_tag(), section, run: acts.removeByTag },
    { id: 'links.refresh', title: m.links_refresh(), section, keys: ['f5'], run: acts.refresh },
  ]
}
