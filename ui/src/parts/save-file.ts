// Saves a file where the user chooses, or as a download where only the browser can, and returns the result.
import { call } from '../api/call'
import type { Commands } from '../api/generated'
import { withoutIsolates } from '../lib/locale.svelte'

type SavedFileKind = Commands['file_save']['request']['kind']
export type SaveResult =
  { outcome: 'saved'; path: string } | { outcome: 'cancelled' } | { outcome: 'downloaded'; name: string }

/** The browser must read a download before its address is revoked. */
const KEPT_MS = 60_000
const CHUNK = 0x8000

export async function saveFile(
  name: string,
  kind: SavedFileKind,
  content: string | Blob,
): Promise<SaveResult> {
  const blob = typeof content === 'string' ? new Blob([content]) : content
  const answer = await call('file_save', {
    name: withoutIsolates(name),
    kind,
    content_base64: await toBase64(blob),
  })
  if (answer.outcome === 'saved') return { outcome: 'saved', path: answer.path ?? name }
  if (answer.outcome === 'cancelled') return { outcome: 'cancelled' }
  return { outcome: 'downloaded', name: downloadFile(name, blob) }
}

async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(text)
}

/** Downloads a file in the browser and returns its name. */
export function downloadFile(given: string, blob: Blob): string {
  const name = withoutIsolates(given)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
  return name
}
