// Uploads files: the page has their bytes, and the core reads them.
import { call } from '../../api/call'
import type { ImportSource, ImportState } from '../../api/generated'
import type { IncomingFiles } from './incoming.svelte'

/** Bytes per call; waiting between the calls keeps the page responsive. */
const CHUNK_BYTES = 1 << 20
/** Bytes that are spread into one call, because engines limit the number of arguments. */
const ARGUMENTS_MAX = 0x8000

/** Returns the sources of an import. A file of the page is named with its size, and the core waits for its bytes. */
export function toImportSources(
  { files, paths = [], text, refused }: IncomingFiles,
  name: string,
): ImportSource[] {
  const uploads = files.map((file) => ({ upload: { name: file.name, size: file.size } }))
  const texts =
    text === undefined
      ? []
      : [{ text: { name, text, rows: refused === undefined ? null : [...refused.rows] } }]
  return [...paths.map((path) => ({ path })), ...uploads, ...texts]
}

/** Sends the bytes of `files`, which are the last files of the import, and calls `onsent` after each. Ignores the
 *  error if the file was removed in the meantime. */
export async function sendBytes(
  state: ImportState,
  files: readonly File[],
  onsent: () => Promise<void>,
  isRemoved: (file: number) => boolean = () => false,
): Promise<void> {
  const waiting = state.files.filter((file) => file.state === 'uploading' && file.received === 0)
  for (const file of files) {
    const at = waiting.findIndex(({ name, bytes }) => name === file.name && bytes === file.size)
    const [target] = at === -1 ? [] : waiting.splice(at, 1)
    if (target === undefined) continue
    try {
      await sendFile(state.import, target.file, file)
      await onsent()
    } catch (error) {
      await onsent()
      if (!isRemoved(target.file)) throw error
    }
  }
}

async function sendFile(id: number, number: number, file: File): Promise<void> {
  let from = 0
  do {
    const piece = new Uint8Array(await file.slice(from, from + CHUNK_BYTES).arrayBuffer())
    const is_last = from + piece.length >= file.size
    const { received } = await call('import_upload', {
      import: id,
      file: number,
      from,
      content_base64: toBase64(piece),
      is_last,
    })
    from = received
    if (is_last) return
  } while (from < file.size)
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += ARGUMENTS_MAX)
    text += String.fromCharCode(...bytes.subarray(at, at + ARGUMENTS_MAX))
  return btoa(text)
}
