// Keeps a text that the core wrote: where it was saved already, or as the browser's download.
import type { TextSaved } from '../../../api/generated'
import { download } from '../../../parts/save-file'

/** Under which name or path it is kept; undefined if the person thought better of it. */
export function keepText({ outcome, path, name, text }: TextSaved): string | undefined {
  if (outcome === 'saved') return path ?? name
  if (outcome === 'cancelled' || text === null) return undefined
  return download(name, new Blob([text], { type: 'text/plain' }))
}
