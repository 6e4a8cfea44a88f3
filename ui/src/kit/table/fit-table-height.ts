// Makes a table exactly as high as its screen has room for, so that the table scrolls and the screen does not.

/** The minimum height of a table in rem; a screen with less room scrolls. */
const LEAST = 20

/** Fits a frame inside a `[data-fit]` element, whose height is that of its content, in a scroll container. */
export function fitTableHeight(frame: HTMLElement): (() => void) | undefined {
  const contents = frame.closest<HTMLElement>('[data-fit]')
  const screen = contents?.parentElement
  if (contents === null || !screen) return undefined

  function measure(): void {
    if (contents === null || !screen) return
    const { paddingBlockStart, paddingBlockEnd } = getComputedStyle(screen)
    const room = screen.clientHeight - parseFloat(paddingBlockStart) - parseFloat(paddingBlockEnd)
    const rest = contents.offsetHeight - frame.offsetHeight
    const height = `max(${String(LEAST)}rem, ${String(Math.floor(room - rest))}px)`
    if (frame.style.maxBlockSize !== height) frame.style.maxBlockSize = height
    frame.toggleAttribute('data-overlaid', hasOverlayScrollbar(frame))
  }

  const watch = new ResizeObserver(measure)
  watch.observe(screen)
  watch.observe(contents)
  return () => watch.disconnect()
}

/** Returns whether an overlay scrollbar covers the last row. */
function hasOverlayScrollbar(frame: HTMLElement): boolean {
  const { borderBlockStartWidth, borderBlockEndWidth } = getComputedStyle(frame)
  const bar =
    frame.offsetHeight -
    frame.clientHeight -
    parseFloat(borderBlockStartWidth) -
    parseFloat(borderBlockEndWidth)
  return frame.scrollWidth > frame.clientWidth && bar < 1
}
