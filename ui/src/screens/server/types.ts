// The types of this screen, as the commands return them.
import type { Commands } from '../../api/generated'
import type { WorldRow } from './worlds/worlds.svelte'

export type ServerStatus = Commands['server_status']['response']
export type RunningServer = NonNullable<ServerStatus['running']>
export type ServerSetting = Commands['server_settings']['response'][number]
export type RequestPage = Commands['server_requests']['response']
export type RequestLine = RequestPage['items'][number]
export type RequestWhole = Commands['server_request']['response']
export type StatusClass = NonNullable<Commands['server_requests']['request']['status']>

/** What a part of this screen needs to show one world. */
export interface WorldPart {
  /** The address of the server. */
  base: string
  worlds: readonly WorldRow[] | undefined
  world: string
  onworld: (world: string) => void
}
