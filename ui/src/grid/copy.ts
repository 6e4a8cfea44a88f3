// Puts a copied block on the clipboard outside of a copy event: after the core has made it, or from a menu.
import { copyText } from '../lib/copy'

/** Both forms where the system takes them, else the text alone; false if it took nothing. */
export async function copyBoth(text: string, html?: string): Promise<boolean> {
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
      // Some webviews refuse this one; the other way may still be open.
    }
  }
  return copyText(text)
}

/** What the system's clipboard holds, as a paste would bring it; undefined where the page may not look. */
export async function readSystem(): Promise<{ html: string; text: string } | undefined> {
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
