// What goes on while the button is held: moves are followed until it is let go; Escape gives it up.

/** `end` hears the last event where the button was let go, and nothing where it was given up. */
export function hold(
  element: HTMLElement,
  { pointerId }: PointerEvent,
  move: (event: PointerEvent) => void,
  end: (last: PointerEvent | undefined) => void,
): void {
  const stop = (last: PointerEvent | undefined): void => {
    removeEventListener('pointermove', follow)
    removeEventListener('pointerup', up)
    removeEventListener('pointercancel', giveUp)
    removeEventListener('keydown', key, { capture: true })
    if (element.hasPointerCapture(pointerId)) element.releasePointerCapture(pointerId)
    end(last)
  }
  const follow = (event: PointerEvent): void => {
    if (event.pointerId !== pointerId) return
    // Not before it moves: a click and a double click belong to what was pressed.
    if (!element.hasPointerCapture(pointerId)) element.setPointerCapture(pointerId)
    move(event)
  }
  const up = (event: PointerEvent): void => {
    if (event.pointerId === pointerId) stop(event)
  }
  const giveUp = (): void => stop(undefined)
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    stop(undefined)
  }
  addEventListener('pointermove', follow)
  addEventListener('pointerup', up)
  addEventListener('pointercancel', giveUp)
  addEventListener('keydown', key, { capture: true })
}
