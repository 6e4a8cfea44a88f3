// The one function every act of the UI goes through.
import type { Commands } from './generated'
import type { Transport } from './transport'
import { adoptToken, httpTransport } from './transport.http'
import { insideWindow, tauriTransport } from './transport.tauri'

export type CommandName = keyof Commands

if (!insideWindow()) adoptToken()

export const transport: Transport = insideWindow() ? tauriTransport : httpTransport

/** Who this page is, so that it knows its own echo in the change feed. */
export const clientId: string = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
  byte.toString(16).padStart(2, '0'),
).join('')

export function call<K extends CommandName>(
  name: K,
  payload: Commands[K]['request'],
): Promise<Commands[K]['response']> {
  return transport.call(name, payload, clientId) as Promise<Commands[K]['response']>
}
