// Orca hears of a changed live region by the text that AT-SPI reports as inserted, but WebKitGTK reports that of text
// fields only. So each text of a live region is repeated as the value of a hidden field that is a live region itself.

const REGIONS = '[role=alert], [role=status], [aria-live]'
/** Long enough for a screen reader to ask what the field is. */
const KEPT_MS = 10_000

/** Repeats the texts of live regions until the returned function is called. */
export function repeatLiveRegions(): () => void {
  const observer = new MutationObserver((records) => {
    for (const region of findChangedRegions(records)) {
      const text = region.checkVisibility() ? region.innerText.replaceAll(/\s+/g, ' ').trim() : ''
      if (text !== '') repeat(text, isAlert(region) ? 'assertive' : 'polite')
    }
  })
  observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  return () => observer.disconnect()
}

/** Returns the regions whose content changed, and the alerts that were added with their text. */
function findChangedRegions(records: readonly MutationRecord[]): Set<HTMLElement> {
  const found = new Set<HTMLElement>()
  for (const { target, addedNodes } of records) {
    const element = target instanceof Element ? target : target.parentElement
    const region = element?.closest<HTMLElement>(REGIONS)
    if (region) {
      found.add(region)
      continue
    }
    for (const node of addedNodes) {
      if (!(node instanceof HTMLElement)) continue
      if (isAlert(node)) found.add(node)
      for (const alert of node.querySelectorAll<HTMLElement>('[role=alert]')) found.add(alert)
    }
  }
  return found
}

const isAlert = (element: Element): boolean => element.getAttribute('role') === 'alert'

function repeat(text: string, urgency: 'assertive' | 'polite'): void {
  const field = document.createElement('textarea')
  field.readOnly = true
  field.tabIndex = -1
  field.className = 'visually-hidden'
  field.setAttribute('aria-live', urgency)
  // Any other name would be read before the text.
  field.setAttribute('aria-label', text)
  // Everything outside an open dialog is inert.
  const front = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body
  front.append(field)
  // A change is reported only if the field is rendered before.
  field.getBoundingClientRect()
  field.value = text
  setTimeout(() => field.remove(), KEPT_MS)
}
