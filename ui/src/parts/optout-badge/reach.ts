// How far a number is opted out of a channel, from whatever the core told of it.

export type Reach = 'none' | 'asset' | 'account'

/** As `opt_out_states` and its kin tell it. */
export interface ToldState {
  is_account: boolean
  assets: readonly { asset_id: string; number: string | null }[]
  since?: string | null
}

export function reachOf(state: ToldState | undefined): Reach {
  if (state === undefined) return 'none'
  if (state.is_account) return 'account'
  return state.assets.length > 0 ? 'asset' : 'none'
}

/** The numbers or profiles that a state is about, for people. */
export function assetsOf(state: ToldState | undefined): string[] {
  return (state?.assets ?? []).map(({ asset_id, number }) => number ?? asset_id)
}
