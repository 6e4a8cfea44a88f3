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

export function createTips(tell: (told: ShownTip | undefined) => void): Tips {
  let over: { element: Element; text: string } | undefined
  /** Titles around it, which the engine would draw instead. */
  let around: { element: Element; text: string }[] = []
  let pointer: PointerEvent | undefined
  let waiting: ReturnType<typeof setTimeout> | undefined

  function hide(): void {
    clearTimeout(waiting)
    tell(undefined)
  }

  function restoreTitle(): void {
    hide()
    // A title that was set again in the meantime takes precedence.
    if (over !== undefined && !over.element.hasAttribute('title')) {
      over.element.setAttribute('title', over.text)
      over.element.removeAttribute('aria-description')
    }
    for (const { element, text } of around)
      if (!element.hasAttribute('title')) element.setAttribute('title', text)
    over = undefined
    around = []
    // What was put back here is no news.
    watch.takeRecords()
  }

  function enter(event: PointerEvent): void {
    pointer = event
    const target = event.target instanceof Element ? event.target : undefined
    // A child without a title belongs to the element whose title was removed.
    if (over?.element.contains(target ?? null) === true && target?.closest('[title]') === null) return
    const element = target?.closest('[title]') ?? undefined
    if (over !== undefined && element !== undefined && over.element === element) return
    restoreTitle()
    if (element !== undefined && event.buttons === 0) take(element, event)
  }

  function take(element: Element, event: PointerEvent): void {
    const text = element.getAttribute('title') ?? ''
    if (text === '') return
    over = { element, text }
    element.removeAttribute('title')
    for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
      const title = outer.getAttribute('title')
      if (title === null) continue
      around.push({ element: outer, text: title })
      outer.removeAttribute('title')
    }
    if (element.getAttribute('aria-label') !== text) element.setAttribute('aria-description', text)
    const { clientX: x } = event
    waiting = setTimeout(() => {
      // A tooltip must not cover the menu that the press opened.
      if (!element.isConnected || element.getAttribute('aria-expanded') === 'true') return
      tell({ text: over?.text ?? text, box: getBox(element, event), x })
    }, REST_MS)
  }

  /** A title that comes, or changes, while the pointer is there already, is not left to the engine either. */
  const watch = new MutationObserver((records) => {
    const target = pointer?.target
    if (pointer === undefined || !(target instanceof Element) || !target.isConnected) return
    for (const { target: element } of records) {
      if (!(element instanceof Element) || !element.contains(target)) continue
      const text = element.getAttribute('title') ?? ''
      if (text === '') continue
      if (over?.element === element) {
        over.text = text
        element.removeAttribute('title')
      } else if (over === undefined) take(element, pointer)
    }
  })

  return {
    hide,
    listen() {
      const stop = new AbortController()
      const options = { capture: true, passive: true, signal: stop.signal }
      addEventListener('pointerover', enter, options)
      for (const name of ['pointerdown', 'keydown', 'wheel', 'scroll', 'blur'] as const)
        addEventListener(name, hide, options)
      document.documentElement.addEventListener('pointerleave', restoreTitle, { signal: stop.signal })
      watch.observe(document, { subtree: true, attributes: true, attributeFilter: ['title'] })
      return () => {
        stop.abort()
        restoreTitle()
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
