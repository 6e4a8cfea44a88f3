// What a drag or the clipboard brings along: files, or a table as text.
import { readClipText } from '../../grid/engine/clip'
import { isTable, type Incoming } from './incoming.svelte'

const TYPED = 'input, textarea, select, [contenteditable]'
/** Places that take what is dropped or pasted themselves. */
const TAKES = '[data-takes]'

export function hasOwnUse(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`${TYPED}, ${TAKES}`) !== null
}

/** Whether a drag brings something that can be imported; what it is, is only told when it is dropped. */
export function mayBring({ types }: DataTransfer): boolean {
  // A link or a picture of this very page is no file.
  return types.includes('Files') || (types.includes('text/plain') && !types.includes('text/uri-list'))
}

export function brought(transfer: DataTransfer): Incoming | undefined {
  const files = [...transfer.files]
  if (files.length > 0) return { files }
  const text = readClipText(transfer)
  return isTable(text) ? { files, text } : undefined
}
