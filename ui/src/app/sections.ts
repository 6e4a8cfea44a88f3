// The sections of the program, in the order of the sidebar and of their keys. A section is shown only if its folder has
// a Screen.svelte.
import type { Component } from 'svelte'
import AtSign from '@lucide/svelte/icons/at-sign'
import Ban from '@lucide/svelte/icons/ban'
import History from '@lucide/svelte/icons/history'
import LayoutDashboard from '@lucide/svelte/icons/layout-dashboard'
import Link from '@lucide/svelte/icons/link'
import RefreshCw from '@lucide/svelte/icons/refresh-cw'
import Server from '@lucide/svelte/icons/server'
import Tag from '@lucide/svelte/icons/tag'
import Trash from '@lucide/svelte/icons/trash-2'
import Users from '@lucide/svelte/icons/users'
import type { OverviewCounts } from '../api/generated'
import { m } from '../gen/words'

export interface ScreenProps {
  /** The segments of the address after the section. */
  params: readonly string[]
  query: Readonly<Record<string, string>>
}

export interface Section {
  id: string
  title: () => string
  icon: Component<{ size?: number; strokeWidth?: number }>
  count?: keyof OverviewCounts
  load: () => Promise<Component<ScreenProps>>
}

const FOUND = import.meta.glob<{ default: Component<ScreenProps> }>('../screens/*/Screen.svelte')

const PLAN: readonly Omit<Section, 'load'>[] = [
  { id: 'overview', title: m.frame_section_overview, icon: LayoutDashboard },
  { id: 'lists', title: m.frame_section_lists, icon: Users, count: 'lists' },
  { id: 'fields', title: m.frame_section_fields, icon: Tag, count: 'custom_fields' },
  { id: 'optouts', title: m.frame_section_optouts, icon: Ban, count: 'opt_outs' },
  { id: 'links', title: m.frame_section_links, icon: Link, count: 'short_links' },
  { id: 'senders', title: m.frame_section_senders, icon: AtSign, count: 'senders' },
  { id: 'sync', title: m.frame_section_sync, icon: RefreshCw },
  { id: 'server', title: m.frame_section_server, icon: Server },
  { id: 'activity', title: m.frame_section_activity, icon: History },
  { id: 'trash', title: m.frame_section_trash, icon: Trash },
]

/** Returns the sections whose screen exists. */
export function existingSections(plan: readonly Omit<Section, 'load'>[]): Section[] {
  return plan.flatMap((section) => {
    const load = FOUND[`../screens/${section.id}/Screen.svelte`]
    return load === undefined ? [] : [{ ...section, load: async () => (await load()).default }]
  })
}

export const SECTIONS: readonly Section[] = existingSections(PLAN)
