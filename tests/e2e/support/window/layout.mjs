// Obvious faults of layout: a list without height, an overlay outside the window, an unreachable button, a toast over
// what is needed next, words that are cut off without any way to read them.

/** Runs in the page; returns a sentence for each fault. */
const LOOK = `
  const ROW_EM = 1.2
  const EDGE_PX = 1
  const MENU_EDGE_PX = 9
  const LEAST_SCREEN_EM = 20
  const OVERLAYS = 'dialog[open], [popover], [role=menu], [role=listbox]'
  const REGIONS = OVERLAYS + ', [role=grid], [role=tabpanel], main, nav, aside'
  const em = parseFloat(getComputedStyle(document.documentElement).fontSize)
  const faults = []
  const say = (element, fault) => {
    const name = element.getAttribute('aria-label') ?? element.getAttribute('data-testid') ?? element.className
    const { left, top, width, height } = element.getBoundingClientRect()
    const at = [left, top, width, height].map(Math.round).join(' ')
    faults.push(element.tagName.toLowerCase() + ' “' + String(name).slice(0, 60) + '” ' + fault + ' (' + at + ')')
  }
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY)
  const scroller = (element) => {
    for (let one = element.parentElement; one !== null; one = one.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(one)
      if (/auto|scroll|hidden/.test(overflowX + overflowY) && one !== document.body) return one
      if (one.matches(OVERLAYS)) return one
    }
    return document.documentElement
  }
  const isHidden = (element) => element.closest('.visually-hidden, [inert], [aria-hidden=true]') !== null
  const modal = [...document.querySelectorAll('dialog[open]')].at(-1)
  const inFront = (element) => modal === undefined || modal.contains(element) || element.closest('[popover]') !== null

  const WORDED = 'button, [role=tab], [role=columnheader], [role=rowheader], th, legend, label, h1, h2, h3, h4'
  const hasTitle = (element) => element.closest('[title]') !== null || element.querySelector('[title]') !== null
  const ownText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
  // Only text that ends in an ellipsis or at a hard edge counts, because scrolling text can be read.
  const isCut = (element) => ownText(element) && element.clientWidth > EDGE_PX &&
    /hidden|clip/.test(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + EDGE_PX
  const pen = document.createElement('canvas').getContext('2d')
  const isCutSelect = (element) => {
    const style = getComputedStyle(element)
    const room = element.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd)
    pen.font = style.font
    return room > 0 && pen.measureText(element.selectedOptions[0]?.textContent.trim() ?? '').width > room + EDGE_PX
  }

  for (const element of document.querySelectorAll('body *')) {
    if (!isSeen(element) || isHidden(element)) continue
    const isOverlay = element.matches(OVERLAYS)
    if (isOverlay || element.matches(REGIONS) || scrolls(element)) {
      const style = getComputedStyle(element)
      const padding = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom)
      const row = ROW_EM * parseFloat(style.fontSize)
      const hidesContent = element.scrollHeight > element.clientHeight + EDGE_PX
      if (hidesContent && element.clientHeight > 0 && element.clientHeight - padding < row - EDGE_PX)
        say(element, 'is lower than one row')
    }
    const box = element.getBoundingClientRect()
    // Beside a panel in the largest zoom, a screen may be narrower than one of its buttons.
    const hasRoom = element.clientWidth >= LEAST_SCREEN_EM * em
    if (element.matches('main') && hasRoom && element.scrollWidth > element.clientWidth + EDGE_PX) {
      const end = box.left + element.clientWidth + EDGE_PX
      const isPast = (one) => isSeen(one) && scroller(one) === element && one.getBoundingClientRect().right > end
      say([...element.querySelectorAll('*')].findLast(isPast) ?? element, 'makes the screen scroll sideways')
    }
    if (isOverlay && box.width > 0) {
      const isOutside = box.left < -EDGE_PX || box.top < -EDGE_PX ||
        box.right > innerWidth + EDGE_PX || box.bottom > innerHeight + EDGE_PX
      // A list that is a part of the screen scrolls with it.
      const isPart = element.matches('[role=listbox]') && scrolls(scroller(element))
      if (isOutside && !isPart) say(element, 'lies outside the window of ' + innerWidth + ' × ' + innerHeight)
      const isScrolled = element.scrollHeight > element.clientHeight + EDGE_PX
      if (element.matches('[role=menu]') && isScrolled && element.scrollHeight < innerHeight - 2 * MENU_EDGE_PX)
        say(element, 'hides entries although the window has room for them')
    }
    if (element.matches('button, input, select, textarea') && box.width > 0 && !element.matches('.skip')) {
      const around = scroller(element)
      const frame = around.getBoundingClientRect()
      const canScroll = scrolls(around) || /auto|scroll/.test(getComputedStyle(around).overflowX)
      const middle = [box.left + box.width / 2, box.top + box.height / 2]
      const isOut = middle[0] < frame.left - EDGE_PX || middle[0] > frame.right + EDGE_PX ||
        middle[1] < frame.top - EDGE_PX || middle[1] > frame.bottom + EDGE_PX
      if (isOut && !canScroll && around !== document.documentElement) say(element, 'is cut off by what is around it')
      if (around === document.documentElement && (middle[1] > innerHeight || middle[0] > innerWidth))
        say(element, 'cannot be reached in the window')
    }
    // What lies before the start of a scrolling area cannot be scrolled to.
    if (ownText(element) && box.width > 0 && inFront(element)) {
      const around = scroller(element)
      const frame = around.getBoundingClientRect()
      const isPast = getComputedStyle(around).direction === 'rtl'
        ? box.right > frame.right + EDGE_PX
        : box.left < frame.left - EDGE_PX
      if (isPast && Math.abs(around.scrollLeft) < EDGE_PX) say(element, 'begins outside what is around it')
    }
    if (element.matches('select') && inFront(element) && isCutSelect(element) && !hasTitle(element))
      say(element, 'cuts off “' + element.selectedOptions[0].textContent.trim() + '”')
    if (element.matches(WORDED) && inFront(element) && box.width > 0) {
      const cut = [element, ...element.querySelectorAll('*')].find((one) => isCut(one) && isSeen(one) && !isHidden(one))
      if (cut !== undefined && !hasTitle(cut) && !element.hasAttribute('title'))
        say(element, 'cuts off “' + cut.textContent.trim().slice(0, 60) + '”')
    }
    if (element.matches('td, [role=gridcell]') && inFront(element) && box.width > 0) {
      const isPast = (one) => {
        const { left, right, width } = one.getBoundingClientRect()
        return width > 0 && (left < box.left - EDGE_PX || right > box.right + EDGE_PX)
      }
      const cut = /hidden|clip/.test(getComputedStyle(element).overflowX) && [...element.children].find(
        (one) => ownText(one) && isPast(one) && isSeen(one) && !isHidden(one) && !hasTitle(one))
      if (cut) say(element, 'cuts off “' + cut.textContent.trim().slice(0, 60) + '”')
    }
    const isNeeded = element.matches('button.primary, .pager button, #status, [data-testid=status-bar]')
    if (isNeeded && box.width > 0 && inFront(element)) {
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
      const toast = top?.closest('[data-testid=toast]')
      if (toast) say(element, 'is covered by a toast')
    }
  }
  const { scrollWidth, scrollHeight } = document.documentElement
  if (scrollWidth > innerWidth + EDGE_PX) faults.push('the page is wider than the window: ' + scrollWidth + ' > ' + innerWidth)
  if (scrollHeight > innerHeight + EDGE_PX) faults.push('the page is higher than the window: ' + scrollHeight + ' > ' + innerHeight)
  return faults`

/** Returns the faults of what the page shows now. */
export const layoutFaults = (page) => page.run(LOOK)

/** Returns how many rows of a table or a grid are fully visible in their scroll container and in the window. */
export const rowsInSight = (page, css) =>
  page.run(
    `const framesOf = (row) => {
       const around = []
       for (let one = row.parentElement; one !== null; one = one.parentElement)
         if (/auto|scroll|hidden|clip/.test(getComputedStyle(one).overflowY)) around.push(one.getBoundingClientRect())
       return around
     }
     return [...document.querySelectorAll(arguments[0])].filter((row) => {
       const { top, bottom, height } = row.getBoundingClientRect()
       return row.checkVisibility() && height > 0 && bottom <= innerHeight + 1 &&
         framesOf(row).every((frame) => top >= frame.top - 1 && bottom <= frame.bottom + 1)
     }).length`,
    css,
  )
