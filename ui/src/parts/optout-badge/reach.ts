// How far a number is opted out of a channel, derived from the states that the core returns.

export type OptOutReach = 'none' | 'asset' | 'account'

/** A state in the form of `opt_out_states` and similar commands. */
export interface OptOutState {
  is_account: boolean
  assets: readonly { asset_id: string; number: string | null }[]
  since?: string | null
}

export function getReach(state: OptOutState | undefined): OptOutReach {
  if (state === undefined) return 'none'
  if (state.is_account) return 'account'
  return state.assets.length > 0 ? 'asset' : 'none'
}

/** Returns the numbers or profiles of a state, for display. */
export function listAssets(state: OptOutState | undefined): string[] {
  return (state?.assets ?? []).map(({ asset_id, number }) => number ?? asset_id)
}
