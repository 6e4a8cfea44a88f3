// What a transport must do; the window and the browser each have one.
import type { ChangeEvent } from './generated'

export type Link = 'live' | 'broken'

/** One menu of the native bar; `undefined` draws a line. */
export interface MenuPart {
  title: string
  items: readonly (
    { id: string; title: string; accelerator: string | undefined; isEnabled: boolean } | undefined
  )[]
}

export interface Transport {
  /** Which front door this is, for the status bar and for key hints. */
  readonly kind: 'window' | 'browser'
  call(name: string, payload: unknown, origin: string): Promise<unknown>
  /** For commands that answer bytes; an abort ends the waiting with an AbortError. */
  callBytes(name: string, payload: unknown, origin: string, signal?: AbortSignal): Promise<ArrayBuffer>
  /** Hears every change until the returned function is called; tells when the link breaks and heals. */
  changes(heard: (change: ChangeEvent) => void, link: (state: Link) => void): () => void
  /** The first page is painted: let it be seen. */
  ready(): Promise<void>
  /** Draws the native menu bar, where there is one. */
  drawMenu(parts: readonly MenuPart[]): Promise<void>
  /** Runs the item that is chosen in the native menu bar, by its id. */
  whenChosen(run: (id: string) => void): void
  /** Gives what the system draws around the page this scheme; undefined: the system's own. */
  setTheme(theme: 'light' | 'dark' | undefined): Promise<void>
  /** Asks before this window closes, for as long as the returned function is not called. */
  beforeClose(ask: () => Promise<boolean>): () => void
  /** Closes every window of the program. */
  quit(): Promise<void>
}
