// Our own numbers and profiles, for select fields.
import { call } from '../../api/call'
import type { Channel } from '../../api/generated'

export interface AssetChoice {
  id: string
  channel: Channel
  number: string
}

export async function loadAssets(): Promise<AssetChoice[]> {
  try {
    const { assets } = await call('asset_all', {})
    return assets.map(({ id, channel, number }) => ({ id, channel, number }))
  } catch {
    return []
  }
}
