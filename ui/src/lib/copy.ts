// Putting text and tables on the clipboard, in a way that every webview allows; it says whether it happened.

/** Copies text; false if the system refused. */
export function copyText(text: string): boolean {
  return copyAs({ 'text/plain': text })
}

/**
 * Copies a text that is still on its way; false if the system refused. The clipboard is asked for at once: a webview
 * allows it for the press of a key, and no longer once an answer has come.
 */
export async function copyPending(text: Promise<string>): Promise<boolean> {
  if (typeof ClipboardItem !== 'undefined' && navigator.clipboard?.write !== undefined) {
    try {
      const plain = text.then((data) => new Blob([data], { type: 'text/plain' }))
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': plain })])
      return true
    } catch {
      // Refused, or the text never came, which is told by what follows.
    }
  }
  return copyText(await text)
}

/** Copies rows for spreadsheets: tab-separated and as an HTML table. */
export function copyTable(rows: readonly (readonly string[])[], head?: readonly string[]): boolean {
  const all = head === undefined ? rows : [head, ...rows]
  return copyAs({ 'text/plain': tabbed(all), 'text/html': asHtml(rows, head) })
}

/** Cells with tabs, line ends or quotes stand in quotes, as spreadsheets write them. */
export function tabbed(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return rows.map((row) => row.map(cell).join('\t')).join('\n')
}

export function asHtml(rows: readonly (readonly string[])[], head?: readonly string[]): string {
  const safe = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const line = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((text) => `<${tag}>${safe(text)}</${tag}>`).join('')}</tr>`
  return `<table>${head === undefined ? '' : line(head, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`
}

/** Through the DOM's own `copy` event: the asynchronous clipboard is refused or lies in some webviews. */
function copyAs(kinds: Readonly<Record<string, string>>): boolean {
  let filled = false
  const fill = (event: ClipboardEvent): void => {
    if (event.clipboardData === null) return
    for (const [kind, text] of Object.entries(kinds)) event.clipboardData.setData(kind, text)
    event.preventDefault()
    event.stopImmediatePropagation()
    filled = true
  }
  // WebKit asks first whether there is anything to copy; without a selection only this says yes.
  const may = (event: Event): void => event.preventDefault()
  document.addEventListener('copy', fill, { capture: true })
  document.addEventListener('beforecopy', may, { capture: true })
  try {
    return document.execCommand('copy') && filled
  } finally {
    document.removeEventListener('copy', fill, { capture: true })
    document.removeEventListener('beforecopy', may, { capture: true })
  }
}
