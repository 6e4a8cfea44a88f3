// What a web view does by itself and a window of its own should not: its menu on a right click, and selecting all its text.
import { isTyping, type Platform } from './chords'

/** Leaves the web view's own menu to text fields, where it cuts, copies and pastes; returns what ends that. */
export function keepOwnMenus(): () => void {
  const block = (event: MouseEvent): void => {
    if (!isText(event.target)) event.preventDefault()
  }
  document.addEventListener('contextmenu', block)
  return () => document.removeEventListener('contextmenu', block)
}

const isText = (target: EventTarget | null): boolean =>
  isTyping(target) && !(target instanceof HTMLSelectElement)

/** Whether a key press would select all text of the page. */
export function isSelectAll(event: KeyboardEvent, { mac }: Platform): boolean {
  const isMain = mac ? event.metaKey : event.ctrlKey
  return (
    isMain && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'a' && !isText(event.target)
  )
}
