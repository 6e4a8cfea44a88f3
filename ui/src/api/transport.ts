// The interface between the UI and the core. The window and the browser each have an implementation.
import type { ChangeEvent } from './generated'

export type LinkState = 'live' | 'broken'

export interface MenuItem {
  id: string
  title: string
  /** The key to which a system may bind the item, such as `CmdOrCtrl+Shift+P`. */
  accelerator: string | undefined
  /** The key as the page writes it everywhere, such as `Ctrl+Shift+P`. */
  keys: string | undefined
  /** Whether the system must not bind the key to its menu, because text fields need it. */
  isKeyForPage: boolean
  isEnabled: boolean
}

/** One menu of the native menu bar; an `undefined` item draws a separator. */
export interface MenuPart {
  title: string
  items: readonly (MenuItem | undefined)[]
}

export interface Transport {
  /** Where the page runs, for the status bar and the key hints. */
  readonly kind: 'window' | 'browser'
  call(name: string, payload: unknown, origin: string): Promise<unknown>
  /** Calls a command whose response is bytes. An abort ends the waiting with an AbortError. */
  callBytes(name: string, payload: unknown, origin: string, signal?: AbortSignal): Promise<ArrayBuffer>
  /** Reports every change and every state of the connection until the returned function is called. */
  changes(onchange: (change: ChangeEvent) => void, link: (state: LinkState) => void): () => void
  /** Shows the window, because the first page is painted. */
  ready(): Promise<void>
  /** Draws the native menu bar, if the platform has one. */
  drawMenu(parts: readonly MenuPart[]): Promise<void>
  /** Registers a function that receives the ID of each item chosen in the native menu bar. */
  whenChosen(run: (id: string) => void): void
  /** Applies a colour scheme to the system's parts of the window; undefined restores the system's own scheme. */
  setTheme(theme: 'light' | 'dark' | undefined): Promise<void>
  /** Asks before this window closes, until the returned function is called. */
  beforeClose(ask: () => Promise<boolean>): () => void
  /** Closes every window of the program. */
  quit(): Promise<void>
}
