// While a dialog of the desktop is open it should block the page, as it does in other programs; by itself it does not.

/** What a person does to a page. */
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

export function isAsking(): boolean {
  return asking > 0
}

const block = (event: Event): void => {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Keeps the page still until the dialog is answered. */
export async function whileAsking<T>(answer: () => Promise<T>): Promise<T> {
  asking += 1
  if (asking === 1) for (const act of ACTS) window.addEventListener(act, block, { capture: true })
  try {
    return await answer()
  } finally {
    asking -= 1
    if (asking === 0) for (const act of ACTS) window.removeEventListener(act, block, { capture: true })
  }
}
