// Features of a web view that are wrong in a window: its own context menu, and selecting all text of the page.
import { isTyping, type Platform } from './chords'

/** Blocks the web view's own menu except in text fields, where it cuts, copies and pastes. Returns a function that
 *  ends this. */
export function restrictContextMenu(): () => void {
  const blockMenu = (event: MouseEvent): void => {
    if (!isText(event.target)) event.preventDefault()
  }
  document.addEventListener('contextmenu', blockMenu)
  return () => document.removeEventListener('contextmenu', blockMenu)
}

const isText = (target: EventTarget | null): boolean =>
  isTyping(target) && !(target instanceof HTMLSelectElement)

/** Returns whether a key press would select all text of the page. */
export function isSelectAllKey(event: KeyboardEvent, { mac }: Platform): boolean {
  const isMain = mac ? event.metaKey : event.ctrlKey
  return (
    isMain && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'a' && !isText(event.target)
  )
}
