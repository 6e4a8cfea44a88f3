// Puts text and tables on the clipboard in a way that every webview allows, and reports whether it succeeded.

/** Copies text; returns false if the system refused. */
export function copyText(text: string): boolean {
  return copyAs({ 'text/plain': text })
}

/** Copies a text that is still pending; returns false if the system refused. It must request the clipboard at once,
 *  because a webview allows that during a key press but no longer when the text arrives. */
export async function copyPending(text: Promise<string>): Promise<boolean> {
  if (typeof ClipboardItem !== 'undefined' && navigator.clipboard?.write !== undefined) {
    try {
      const plain = text.then((data) => new Blob([data], { type: 'text/plain' }))
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': plain })])
      return true
    } catch {
      // The system refused or the text failed; awaiting the text below reports which.
    }
  }
  return copyText(await text)
}

/** Copies rows for spreadsheets, as tab-separated text and as an HTML table. */
export function copyTable(rows: readonly (readonly string[])[], head?: readonly string[]): boolean {
  const all = head === undefined ? rows : [head, ...rows]
  return copyAs({ 'text/plain': toTabSeparated(all), 'text/html': toHtmlTable(rows, head) })
}

/** Returns tab-separated text. Like spreadsheets, it quotes cells with tabs, line ends or quotes. */
export function toTabSeparated(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return rows.map((row) => row.map(cell).join('\t')).join('\n')
}

export function toHtmlTable(rows: readonly (readonly string[])[], head?: readonly string[]): string {
  const safe = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const line = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((text) => `<${tag}>${safe(text)}</${tag}>`).join('')}</tr>`
  return `<table>${head === undefined ? '' : line(head, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`
}

/** Copies through the DOM's `copy` event, because some webviews refuse the asynchronous clipboard or report false
 *  success. */
function copyAs(kinds: Readonly<Record<string, string>>): boolean {
  let filled = false
  const fill = (event: ClipboardEvent): void => {
    if (event.clipboardData === null) return
    for (const [kind, text] of Object.entries(kinds)) event.clipboardData.setData(kind, text)
    event.preventDefault()
    event.stopImmediatePropagation()
    filled = true
  }
  // WebKit first asks whether there is anything to copy; without a selection, only this confirms it.
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
