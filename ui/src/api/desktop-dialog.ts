// A dialog of the desktop does not block the page by itself, so the page blocks its own input while one is open.

/** The input events that reach a page. */
const ACTS = [
  'keydown',
  'keypress',
  'pointerdown',
  'mousedown',
  'click',
  'dblclick',
  'contextmenu',
  'paste',
] as const

let asking = 0

export function isDesktopDialogOpen(): boolean {
  return asking > 0
}

const block = (event: Event): void => {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Runs a request that opens a dialog of the desktop, and blocks the page's input until it has a response. */
export async function blockPageWhile<T>(answer: () => Promise<T>): Promise<T> {
  asking += 1
  if (asking === 1) for (const act of ACTS) window.addEventListener(act, block, { capture: true })
  try {
    return await answer()
  } finally {
    asking -= 1
    if (asking === 0) for (const act of ACTS) window.removeEventListener(act, block, { capture: true })
  }
}
