// Asks for the passphrase of a sealed key, wherever a pull was wanted, and then goes on with it.
import { href, router } from '../../../lib/router.svelte'
import { connected } from '../connection/connection.svelte'
import { standing, type PullWish } from '../../../parts/frame/standing.svelte'

class Unlocking {
  /** What goes on once the key is unlocked. */
  wanted = $state.raw<() => Promise<void>>()

  ask(then: () => Promise<void>): void {
    if (router.section !== 'sync') router.go(href('sync'))
    this.wanted = then
  }
}

export const unlocking = new Unlocking()

/** Pulls; a key that is sealed is asked for first. */
export async function pullNow(wish: PullWish = {}): Promise<void> {
  if (standing.value?.is_key_ready === true) return standing.pull(wish)
  await connected.load()
  const key = connected.connection?.key
  if (key?.at !== 'sealed' || key.is_unlocked) return standing.pull(wish)
  unlocking.ask(() => standing.pull(wish))
}
