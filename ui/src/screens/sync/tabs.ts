// The tabs of the screen in order. Each is loaded when it is first shown, and exists only if its component does.
import type { Component } from 'svelte'
import { m } from '../../gen/words'

export interface TabProps {
  /** The segments of the address after the tab. */
  params: readonly string[]
  query: Readonly<Record<string, string>>
}

export type TabId = 'changes' | 'conflicts' | 'plan' | 'runs' | 'connection'

export interface Tab {
  id: TabId
  title: () => string
  load: () => Promise<Component<TabProps>>
}

const FOUND = import.meta.glob<{ default: Component<TabProps> }>(
  './{changes,conflicts,plan,run,connection}/{Changes,Conflicts,Plan,Runs,Connection}.svelte',
)

const PLAN: readonly { id: TabId; title: () => string; path: string }[] = [
  { id: 'changes', title: m.sync_tab_changes, path: './changes/Changes.svelte' },
  { id: 'conflicts', title: m.sync_tab_conflicts, path: './conflicts/Conflicts.svelte' },
  { id: 'plan', title: m.sync_tab_plan, path: './plan/Plan.svelte' },
  { id: 'runs', title: m.sync_tab_runs, path: './run/Runs.svelte' },
  { id: 'connection', title: m.sync_tab_connection, path: './connection/Connection.svelte' },
]

export const TABS: readonly Tab[] = PLAN.flatMap(({ id, title, path }) => {
  const load = FOUND[path]
  return load === undefined ? [] : [{ id, title, load: async () => (await load()).default }]
})

export function findTab(id: string | undefined): Tab | undefined {
  return TABS.find((tab) => tab.id === id)
}
