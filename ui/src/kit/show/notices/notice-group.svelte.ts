// Notices of one screen know of each other, so that many of them take one line each and leave room for the screen.
import { getContext, setContext } from 'svelte'

const KEY = Symbol('notices')
/** With this many notices, each folds to its title. */
const MANY = 3

export class NoticeGroup {
  #count = $state(0)
  readonly isMany = $derived(this.#count >= MANY)

  /** Counts a notice until the returned function is called. */
  join(): () => void {
    this.#count += 1
    return () => (this.#count -= 1)
  }
}

export const provideNoticeGroup = (): NoticeGroup => setContext(KEY, new NoticeGroup())
export const useNoticeGroup = (): NoticeGroup | undefined => getContext<NoticeGroup | undefined>(KEY)
