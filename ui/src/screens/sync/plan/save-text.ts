// Saves a text from the core: in the desktop the core has saved it already, in a browser it is downloaded.
import type { TextSaved } from '../../../api/generated'
import { downloadFile } from '../../../parts/save-file'

/** Returns the path or the name of the saved file; undefined if the user cancelled. */
export function saveText({ outcome, path, name, text }: TextSaved): string | undefined {
  if (outcome === 'saved') return path ?? name
  if (outcome === 'cancelled' || text === null) return undefined
  return downloadFile(name, new Blob([text], { type: 'text/plain' }))
}
