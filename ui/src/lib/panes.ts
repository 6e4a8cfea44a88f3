// F6 moves between panes, for users of keyboards and screen readers.

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]'
const last = new WeakMap<Element, HTMLElement>()

/** Focuses the next or previous pane, at the element that had the focus there last. */
export function focusNextPane(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter(
    (pane) => pane.offsetParent !== null,
  )
  const active = document.activeElement
  const at = panes.findIndex((pane) => pane.contains(active))
  const here = panes[at]
  if (here !== undefined && active instanceof HTMLElement) last.set(here, active)
  const pane = panes[(at + step + panes.length) % panes.length]
  if (pane === undefined) return
  const known = last.get(pane)
  const target = known?.isConnected === true ? known : (pane.querySelector<HTMLElement>(FOCUSABLE) ?? pane)
  target.focus()
}

const FIRST_ROW = 'main table[role="grid"] tbody tr[tabindex="0"]'
const PATIENCE_MS = 3_000
/** Makes an older wait give up. */
let turn = 0

/** Focuses the first row of the table that a section shows, as soon as there is one, unless the user has moved the
 *  focus elsewhere meanwhile. */
export function focusFirstRow(): void {
  const mine = (turn += 1)
  const until = performance.now() + PATIENCE_MS
  const look = (): void => {
    const active = document.activeElement
    const isFree = active === null || active.matches('body, main, main h1')
    const isBusy = document.querySelector('main table[role="grid"][aria-busy="true"]') !== null
    const row = isBusy ? null : document.querySelector<HTMLElement>(FIRST_ROW)
    if (mine !== turn || performance.now() > until || document.querySelector('dialog[open]') !== null) return
    if (row !== null && isFree) row.focus()
    else requestAnimationFrame(look)
  }
  // The heading of the section gets the focus first.
  requestAnimationFrame(look)
}
