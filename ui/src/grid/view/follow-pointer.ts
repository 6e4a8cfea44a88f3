// Follows the pointer while its button is held; Escape cancels.

/** Calls `end` with the last event when the button is released, and with nothing when the drag is cancelled. */
export function followPointer(
  element: HTMLElement,
  { pointerId }: PointerEvent,
  move: (event: PointerEvent) => void,
  end: (last: PointerEvent | undefined) => void,
): void {
  const stop = (last: PointerEvent | undefined): void => {
    removeEventListener('pointermove', follow)
    removeEventListener('pointerup', handleUp)
    removeEventListener('pointercancel', giveUp)
    removeEventListener('keydown', handleKey, { capture: true })
    if (element.hasPointerCapture(pointerId)) element.releasePointerCapture(pointerId)
    end(last)
  }
  const follow = (event: PointerEvent): void => {
    if (event.pointerId !== pointerId) return
    // Capture only when the pointer moves: a click and a double click belong to the element under it.
    if (!element.hasPointerCapture(pointerId)) element.setPointerCapture(pointerId)
    move(event)
  }
  const handleUp = (event: PointerEvent): void => {
    if (event.pointerId === pointerId) stop(event)
  }
  const giveUp = (): void => stop(undefined)
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    stop(undefined)
  }
  addEventListener('pointermove', follow)
  addEventListener('pointerup', handleUp)
  addEventListener('pointercancel', giveUp)
  addEventListener('keydown', handleKey, { capture: true })
}
