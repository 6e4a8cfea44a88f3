// The one tooltip: it comes when the pointer rests on something with a title, and goes with the pointer, at a press, at
// a key and at a scroll. While the pointer is there, the title is kept from the engine, which would draw its own.

const REST_MS = 600

interface Told {
  text: string
  box: DOMRect
  /** Where the pointer is. */
  x: number
}

interface Tips {
  /** Follows the pointer until the returned function is called. */
  listen: () => () => void
  hide: () => void
}

export function tipsOf(tell: (told: Told | undefined) => void): Tips {
  let over: { element: Element; text: string } | undefined
  /** Titles around it, which the engine would draw instead. */
  let around: { element: Element; text: string }[] = []
  let pointer: PointerEvent | undefined
  let waiting: ReturnType<typeof setTimeout> | undefined

  function hide(): void {
    clearTimeout(waiting)
    tell(undefined)
  }

  function leave(): void {
    hide()
    // A title that was put anew meanwhile is the right one.
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
    // What is over an element without its title is over what keeps that title.
    if (over?.element.contains(target ?? null) === true && target?.closest('[title]') === null) return
    const element = target?.closest('[title]') ?? undefined
    if (over !== undefined && element !== undefined && over.element === element) return
    leave()
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
      // An open menu belongs to what was pressed.
      if (!element.isConnected || element.getAttribute('aria-expanded') === 'true') return
      tell({ text: over?.text ?? text, box: boxOf(element, event), x })
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

/** Of something large, only what is around the pointer. */
function boxOf(element: Element, { clientY }: PointerEvent): DOMRect {
  const box = element.getBoundingClientRect()
  return box.height <= 60 ? box : new DOMRect(box.x, clientY - 8, box.width, 24)
}
