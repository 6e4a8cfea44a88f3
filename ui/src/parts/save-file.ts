// Saving a file where the person chooses, or as a download where only the browser can; it says what happened.
import { call } from '../api/call'
import type { Commands } from '../api/generated'

type Kind = Commands['file_save']['request']['kind']
export type Saved =
  { outcome: 'saved'; path: string } | { outcome: 'cancelled' } | { outcome: 'downloaded'; name: string }

/** The first megabytes of a browser's download must be read before its address goes. */
const KEPT_MS = 60_000
const CHUNK = 0x8000

export async function saveFile(name: string, kind: Kind, content: string | Blob): Promise<Saved> {
  const blob = typeof content === 'string' ? new Blob([content]) : content
  const answer = await call('file_save', { name, kind, content_base64: await base64(blob) })
  if (answer.outcome === 'saved') return { outcome: 'saved', path: answer.path ?? name }
  if (answer.outcome === 'cancelled') return { outcome: 'cancelled' }
  return { outcome: 'downloaded', name: download(name, blob) }
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(text)
}

/** As a browser's download; answers under which name. */
export function download(name: string, blob: Blob): string {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
  return name
}
