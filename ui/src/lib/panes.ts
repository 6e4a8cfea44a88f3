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
