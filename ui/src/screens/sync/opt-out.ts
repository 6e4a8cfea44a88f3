// Describes opt-outs on the sync screens: their keys and their values.
import type { Channel, OptOutType } from '../../api/generated'
import { m } from '../../gen/words'
import { formatMoment } from '../../lib/format'
import { visible } from '../../lib/text'
import { getChannelTitle, getOptOutKindTitle } from '../../parts/optout-badge/words'

/** Splits a key into its number and its channel. */
export function parseOptOutKey({ id }: { id: string }): { number: string; channel: Channel } {
  const [number = id, channel] = id.split(' ')
  return { number, channel: channel === 'WHATSAPP' ? 'WHATSAPP' : 'SMS' }
}

/** Returns the title of a record; for an opt-out, its number and channel. */
export function recordTitle({ key, title }: { key: { noun: string; id: string }; title: string }): string {
  return key.noun === 'opt_out'
    ? m.sync_opt_out({ number: visible(title), channel: getChannelTitle(parseOptOutKey(key).channel) })
    : title
}

const TITLES: Readonly<Record<string, () => string>> = {
  kind: m.sync_opt_out_kind,
  time: m.sync_opt_out_time,
  asset_id: m.sync_opt_out_asset,
  asset_number: m.sync_opt_out_asset_number,
}

/** Returns the title of a field that only opt-outs have. */
export const getOptOutFieldTitle = (field: string): string | undefined => TITLES[field]?.()

const KINDS: ReadonlySet<string> = new Set(['keyword', 'web_opt_out', 'account_import', 'api_import'])
const isKind = (text: string): text is OptOutType => KINDS.has(text)

/** Describes the value of a field that only opt-outs have. */
export function describeOptOutValue(field: string, text: string): string | undefined {
  if (field === 'kind' && isKind(text)) return getOptOutKindTitle(text)
  if (field === 'time' && /^\d+$/.test(text)) return formatMoment(new Date(Number(text) * 1000).toISOString())
  return undefined
}
