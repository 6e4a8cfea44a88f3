// The texts for opt-outs that several screens use, and the default choices wherever numbers are opted out.
import type { Channel, OptOutType } from '../../api/generated'
import { m } from '../../gen/words'

/** People who opt out mean every channel. */
export const OPT_OUT_CHANNELS: readonly Channel[] = ['SMS', 'WHATSAPP']

export function getChannelTitle(channel: Channel): string {
  return channel === 'SMS' ? m.optouts_sms() : m.optouts_whatsapp()
}

export function getOptOutKindTitle(kind: OptOutType): string {
  switch (kind) {
    case 'keyword':
      return m.optouts_kind_keyword()
    case 'web_opt_out':
      return m.optouts_kind_web_opt_out()
    case 'account_import':
      return m.optouts_kind_account_import()
    case 'api_import':
      return m.optouts_kind_api_import()
  }
}
