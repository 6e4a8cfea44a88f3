// The only tooltip. It opens when the pointer rests on an element with a title, and closes when the pointer leaves, at
// a press, a key or a scroll. While the pointer is over the element, its title is removed, because the engine would
// draw its own tooltip.

const REST_MS = 600

interface ShownTip {
  text: string
  box: DOMRect
  /** The position of the pointer. */
  x: number
}

interface Tips {
  /** Follows the pointer until the returned function is called. */
  listen: () => () => void
  hide: () => void
}

export function createTips(show: (tip: ShownTip | undefined) => void): Tips {
  /** The element whose tooltip is shown. */
  let over: Element | undefined
  /** Its title and those of the elements around it, which the engine would draw instead. */
  const removed = new Map<Element, string>()
  let pointer: PointerEvent | undefined
  let isPressed = false
  /** Whether a press brought the element under the pointer. The engine would draw its title after the press. */
  let isQuiet = false
  let waiting: ReturnType<typeof setTimeout> | undefined

  function hide(): void {
    clearTimeout(waiting)
    show(undefined)
  }

  function removeTitle(element: Element): void {
    const text = element.getAttribute('title')
    if (text === null) return
    removed.set(element, text)
    element.removeAttribute('title')
    if (element === over && element.getAttribute('aria-label') !== text)
      element.setAttribute('aria-description', text)
  }

  function restoreTitles(): void {
    hide()
    for (const [element, text] of removed) {
      // A title that was set again in the meantime takes precedence.
      if (!element.hasAttribute('title')) element.setAttribute('title', text)
    }
    over?.removeAttribute('aria-description')
    over = undefined
    removed.clear()
    // The titles that were just restored are not new.
    watch.takeRecords()
  }

  function enter(event: PointerEvent): void {
    pointer = event
    isPressed = event.buttons !== 0
    const target = event.target instanceof Element ? event.target : undefined
    const element = target?.closest('[title]') ?? undefined
    // A child without a title belongs to the element whose title was removed.
    if (element === undefined && over?.contains(target ?? null) === true) return
    if (over !== undefined && element === over) return
    restoreTitles()
    if (element !== undefined) take(element, event)
  }

  function leave(): void {
    pointer = undefined
    restoreTitles()
  }

  function take(element: Element, event: PointerEvent): void {
    if (element.getAttribute('title') === '') return
    over = element
    for (let one: Element | null = element; one !== null; one = one.parentElement) removeTitle(one)
    isQuiet = isPressed
    if (!isPressed) showSoon(element, event)
  }

  function showSoon(element: Element, event: PointerEvent): void {
    const { clientX: x } = event
    waiting = setTimeout(() => {
      // A tooltip must not cover the menu that the press opened.
      if (!element.isConnected || element.getAttribute('aria-expanded') === 'true') return
      show({ text: removed.get(element) ?? '', box: getBox(element, event), x })
    }, REST_MS)
  }

  /** Also removes a title that is set or changed while the pointer rests on the element. */
  const watch = new MutationObserver((records) => {
    const target = pointer?.target
    if (pointer === undefined || !(target instanceof Element) || !target.isConnected) return
    for (const { target: element } of records) {
      if (!(element instanceof Element) || !element.contains(target)) continue
      if ((element.getAttribute('title') ?? '') === '') continue
      if (over === undefined) {
        take(element, pointer)
      } else if (element.contains(over)) {
        removeTitle(element)
        if (element !== over || !isQuiet || isPressed) continue
        isQuiet = false
        showSoon(element, pointer)
      }
    }
  })

  return {
    hide,
    listen() {
      const stop = new AbortController()
      const options = { capture: true, passive: true, signal: stop.signal }
      addEventListener('pointerover', enter, options)
      addEventListener('pointerdown', () => (isPressed = true), options)
      for (const name of ['pointerup', 'pointercancel'] as const)
        addEventListener(name, () => (isPressed = false), options)
      for (const name of ['pointerdown', 'keydown', 'wheel', 'scroll', 'blur'] as const)
        addEventListener(name, hide, options)
      document.documentElement.addEventListener('pointerleave', leave, { signal: stop.signal })
      watch.observe(document, { subtree: true, attributes: true, attributeFilter: ['title'] })
      return () => {
        stop.abort()
        leave()
        watch.disconnect()
      }
    },
  }
}

/** Returns the element's box; of a large element, only the part around the pointer. */
function getBox(element: Element, { clientY }: PointerEvent): DOMRect {
  const box = element.getBoundingClientRect()
  return box.height <= 60 ? box : new DOMRect(box.x, clientY - 8, box.width, 24)
}
