// Asks for the passphrase of a sealed key where a pull needs it, and then continues.
import { href, router } from '../../../lib/router.svelte'
import { connected } from '../connection/connection.svelte'
import { syncState, type PullOptions } from '../../../parts/frame/standing.svelte'

class Unlocking {
  /** What continues once the key is unlocked. */
  wanted = $state.raw<() => Promise<void>>()

  ask(then: () => Promise<void>): void {
    if (router.section !== 'sync') router.go(href('sync'))
    this.wanted = then
  }
}

export const unlocking = new Unlocking()

/** Runs an action that needs the key; if the key is sealed, asks for its passphrase first. */
export async function withKey(act: () => Promise<void>): Promise<void> {
  if (syncState.value?.is_key_ready === true) return act()
  await connected.load()
  const key = connected.connection?.key
  if (key?.at !== 'sealed' || key.is_unlocked) return act()
  unlocking.ask(act)
}

export function pullNow(wish: PullOptions = {}): Promise<void> {
  return withKey(() => syncState.pull(wish))
}
