// What a transport must do; the window and the browser each have one.
import type { ChangeEvent } from './generated'

export type Link = 'live' | 'broken'

export interface Transport {
  /** Which front door this is, for the status bar and for key hints. */
  readonly kind: 'window' | 'browser'
  call(name: string, payload: unknown, origin: string): Promise<unknown>
  /** Hears every change until the returned function is called; tells when the link breaks and heals. */
  changes(heard: (change: ChangeEvent) => void, link: (state: Link) => void): () => void
  /** The first page is painted: let it be seen. */
  ready(): Promise<void>
}
