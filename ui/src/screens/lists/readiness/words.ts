// The names of the groups, and what puts a contact into them.
import { m } from '../../../gen/words'
import type { ReadinessChannel, ReadinessGroup, ReadinessStatus } from './group'

export const CHANNEL_TITLES: Readonly<Record<ReadinessChannel, () => string>> = {
  sms: m.readiness_sms,
  whatsapp: m.readiness_whatsapp,
}

export const STATUS_TITLES: Readonly<Record<ReadinessStatus, () => string>> = {
  ready: m.readiness_ready,
  opted_out: m.readiness_opted_out,
  no_number: m.readiness_no_number,
  invalid: m.readiness_invalid,
  landline: m.readiness_landline,
  duplicate: m.readiness_duplicate,
}

export function explainGroup(status: ReadinessStatus, channel: ReadinessChannel): string {
  if (status === 'no_number')
    return channel === 'sms' ? m.readiness_no_number_sms_why() : m.readiness_no_number_whatsapp_why()
  return {
    ready: m.readiness_ready_why,
    opted_out: m.readiness_opted_out_why,
    invalid: m.readiness_invalid_why,
    landline: m.readiness_landline_why,
    duplicate: m.readiness_duplicate_why,
  }[status]()
}

export function groupTitle({ channel, status, asset }: ReadinessGroup): string {
  const words = { channel: CHANNEL_TITLES[channel](), group: STATUS_TITLES[status]() }
  return asset === undefined ? m.readiness_rule_of(words) : m.readiness_rule_of_number(words)
}
