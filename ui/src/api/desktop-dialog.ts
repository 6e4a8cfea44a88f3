// A dialog of the desktop does not block the page by itself, so the page blocks its own input while one is open.

const INPUT_EVENTS = [
  'keydown',
  'keypress',
  'pointerdown',
  'mousedown',
  'click',
  'dblclick',
  'contextmenu',
  'paste',
] as const

let openDialogs = 0

export function isDesktopDialogOpen(): boolean {
  return openDialogs > 0
}

const block = (event: Event): void => {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Runs a request that opens a dialog of the desktop, and blocks the page's input until it has a response. */
export async function blockPageWhile<T>(request: () => Promise<T>): Promise<T> {
  openDialogs += 1
  if (openDialogs === 1)
    for (const name of INPUT_EVENTS) window.addEventListener(name, block, { capture: true })
  try {
    return await request()
  } finally {
    openDialogs -= 1
    if (openDialogs === 0)
      for (const name of INPUT_EVENTS) window.removeEventListener(name, block, { capture: true })
  }
}
