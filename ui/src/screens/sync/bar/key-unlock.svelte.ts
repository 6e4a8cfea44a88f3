// Asks for the passphrase of a sealed key where a pull needs it, and then continues.
import { href, router } from '../../../lib/router.svelte'
import { connectionState } from '../connection/connection.svelte'
import { syncState, type PullOptions } from '../../../parts/frame/sync-state.svelte'

class KeyUnlock {
  /** The act that continues once the key is unlocked. */
  pendingAct = $state.raw<() => Promise<void>>()

  ask(then: () => Promise<void>): void {
    if (router.section !== 'sync') router.go(href('sync'))
    this.pendingAct = then
  }
}

export const keyUnlock = new KeyUnlock()

/** Runs an action that needs the key; if the key is sealed, asks for its passphrase first. */
export async function runWithKey(act: () => Promise<void>): Promise<void> {
  if (syncState.value?.is_key_ready === true) return act()
  await connectionState.load()
  const key = connectionState.connection?.key
  if (key?.at !== 'sealed' || key.is_unlocked) return act()
  keyUnlock.ask(act)
}

export function startPull(options: PullOptions = {}): Promise<void> {
  return runWithKey(() => syncState.pull(options))
}
