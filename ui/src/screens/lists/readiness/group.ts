// A group of contacts by readiness: its filter, and the link that shows it in the grid.
import type { ChannelReadiness, GridFilter } from '../../../api/generated'
import { href } from '../../../lib/router.svelte'

/** In the order in which they apply. */
export const STATUSES = ['opted_out', 'no_number', 'invalid', 'landline', 'duplicate', 'ready'] as const
export type ReadinessStatus = (typeof STATUSES)[number]

export const CHANNELS = ['sms', 'whatsapp'] as const
export type ReadinessChannel = (typeof CHANNELS)[number]

export interface ReadinessGroup {
  readonly channel: ReadinessChannel
  readonly status: ReadinessStatus
  /** If set, only opt-outs of the account and of this asset count. */
  readonly asset?: string | undefined
}

export const getChannel = ({ channel }: Pick<ChannelReadiness, 'channel'>): ReadinessChannel =>
  channel === 'SMS' ? 'sms' : 'whatsapp'

/** Returns the groups of a channel. WhatsApp has no group of landlines, because a landline can have WhatsApp. */
export const listStatuses = (channel: ReadinessChannel): readonly ReadinessStatus[] =>
  channel === 'sms' ? STATUSES : STATUSES.filter((status) => status !== 'landline')

export function toGroupFilter({ channel, status, asset }: ReadinessGroup): GridFilter {
  return { readiness: status, channel, ...(asset === undefined ? {} : { asset }) }
}

/** Encodes a group as one word, for links and for rules of filters. */
export function encodeGroup({ channel, status, asset }: ReadinessGroup): string {
  return [channel, status, ...(asset === undefined ? [] : [asset])].join('.')
}

/** Decodes a group; undefined if the word is invalid. */
export function decodeGroup(word: string): ReadinessGroup | undefined {
  const [first, second, asset, ...more] = word.split('.')
  const channel = CHANNELS.find((one) => one === first)
  if (channel === undefined || asset === '' || more.length > 0) return undefined
  const status = listStatuses(channel).find((one) => one === second)
  return status && { channel, status, ...(asset === undefined ? {} : { asset }) }
}

/** Returns the link that shows the contacts of a group. */
export function groupHref(list: string, group: ReadinessGroup): string {
  return `${href('lists', list)}?${new URLSearchParams({ readiness: encodeGroup(group) }).toString()}`
}
