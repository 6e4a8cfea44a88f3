// The types of this screen, as the commands return them.
import type { Commands } from '../../api/generated'

export type Sender = Commands['sender_request']['response']
export type SenderStatus = Sender['status']
export type SenderEvents = Commands['sender_history']['response']['events']
export type InboundNumber = Commands['asset_all']['response']['assets'][number]
export type Channel = InboundNumber['channel']
export type InboundNumbers = Commands['asset_inbound']['response']
