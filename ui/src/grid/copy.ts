// Puts a copied block on the clipboard outside of a copy event: after the core has produced it, or from a menu.
import { copyText } from '../lib/copy'

/** Writes both formats where the system accepts them, otherwise the text alone. Returns false if it accepted
 *  nothing. */
export async function copyBothFormats(text: string, html?: string): Promise<boolean> {
  if (
    html !== undefined &&
    typeof ClipboardItem !== 'undefined' &&
    navigator.clipboard?.write !== undefined
  ) {
    try {
      const form = (kind: string, data: string): [string, Blob] => [kind, new Blob([data], { type: kind })]
      await navigator.clipboard.write([
        new ClipboardItem(Object.fromEntries([form('text/plain', text), form('text/html', html)])),
      ])
      return true
    } catch {
      // Some webviews refuse this API; the fallback below may still work.
    }
  }
  return copyText(text)
}

/** Returns the content of the system's clipboard as a paste would deliver it; undefined where the page may not read
 *  it. */
export async function readSystemClipboard(): Promise<{ html: string; text: string } | undefined> {
  try {
    const found = { html: '', text: '' }
    for (const item of await navigator.clipboard.read()) {
      if (item.types.includes('text/html')) found.html = await (await item.getType('text/html')).text()
      if (item.types.includes('text/plain')) found.text = await (await item.getType('text/plain')).text()
    }
    return found
  } catch {
    return undefined
  }
}
