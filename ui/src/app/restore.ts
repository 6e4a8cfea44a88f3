// Restores the last route and the visible parts of the frame at the next start.
import { call } from '../api/call'
import { frame } from '../lib/frame.svelte'
import { HOME, router } from '../lib/router.svelte'
import { storedValue } from '../parts/stored-value.svelte'
import { SELECTION, routeSelection } from './route-selection.svelte'

const PLACE = 'frame.place'
const SHOWN = 'frame.shown'

/** Goes to the last route, unless the address already names one. Afterwards it stores every route. */
export async function restoreRoute(): Promise<() => void> {
  const bare = location.hash === '' || location.hash === '#'
  const { values } = await call('ui_state_get', { keys: [PLACE, SHOWN, SELECTION] })
  routeSelection.adopt(values[SELECTION])
  const place = values[PLACE]
  if (bare && (location.hash === '' || location.hash === '#') && typeof place === 'string') {
    router.go(place, { replace: true })
  }
  const shown = values[SHOWN] as { panel?: boolean; sidebar?: boolean } | null | undefined
  frame.panelShown = shown?.panel ?? true
  frame.sidebarShown = shown?.sidebar ?? true
  const kept = storedValue<string>(PLACE, `#/${HOME}`)
  return router.watch(() => kept.set(location.hash))
}

/** Stores which parts of the frame are visible. */
export function storeVisibleParts(panel: boolean, sidebar: boolean): void {
  storedValue<{ panel: boolean; sidebar: boolean }>(SHOWN, { panel, sidebar }).set({ panel, sidebar })
}
