// The region that numbers without a country code are read in, kept for every dialog of this screen.
import { remembered, type Remembered } from '../../parts/remembered.svelte'

export const NO_REGION = '-'

export function region(): Remembered<string> {
  return remembered('optouts.region', NO_REGION)
}

/** For the core: null reads international forms only. */
export function regionCode(): string | null {
  const { current } = region()
  return current === NO_REGION ? null : current
}
