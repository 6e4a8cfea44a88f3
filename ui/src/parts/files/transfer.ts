// The content of a drag or of the clipboard: files, or a table as text.
import { readClipText } from '../../grid/engine/clip'
import { isTableText, type IncomingFiles } from './incoming.svelte'

const TYPED = 'input, textarea, select, [contenteditable]'

export function handlesTransfer(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TYPED) !== null
}

/** Returns whether a drag may contain something to import. Its content is available only when it is dropped. */
export function mayContainImport({ types }: DataTransfer): boolean {
  // A link or a picture dragged from this page has text as well, but is nothing to import.
  return types.includes('Files') || (types.includes('text/plain') && !types.includes('text/uri-list'))
}

export function readTransfer(transfer: DataTransfer): IncomingFiles | undefined {
  const files = [...transfer.files]
  if (files.length > 0) return { files }
  const text = readClipText(transfer)
  return isTableText(text) ? { files, text } : undefined
}
