// Drops and pastes files and tables into a page.

/** Drops files on the element of a selector, as a desktop does; each has a `text`, or bytes in `base64`. */
export async function drop(tab, css, files) {
  const dataTransfer = await tab.evaluateHandle((given) => {
    const transfer = new DataTransfer()
    for (const { name, text, base64 } of given) {
      const content = text ?? Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      transfer.items.add(new File([content], name))
    }
    return transfer
  }, files)
  const target = tab.locator(css).first()
  await target.dispatchEvent('dragenter', { dataTransfer })
  await target.dispatchEvent('dragover', { dataTransfer })
  await target.dispatchEvent('drop', { dataTransfer })
}

/** Pastes a table at the focus. */
export function paste(tab, text) {
  return tab.evaluate((given) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', given)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    ;(document.activeElement ?? document.body).dispatchEvent(event)
  }, text)
}

/** Returns the texts of all visible cells of the grid. */
export const cells = (tab) =>
  tab
    .locator(
      'main [role=grid] .line:not([hidden]) [role=gridcell], main [role=grid] .line:not([hidden]) [role=rowheader]',
    )
    .allTextContents()

/** Returns the text of the focused cell. */
export const focusedCell = (tab) =>
  tab.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant')
    return document.getElementById(id ?? '')?.textContent
  })
