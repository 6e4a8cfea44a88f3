// If the first press of a double click opens another screen, the second press hits something that the user did not
// mean. Such a press is ignored.
import { router } from '../../lib/router.svelte'

const DOUBLE_MS = 500
const NEAR_PX = 6
const EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick'] as const

/** Ignores such presses until the returned function is called. */
export function keepDoubleClicksApart(on: Window = window): () => void {
  let last: { at: number; x: number; y: number; target: EventTarget | null } | undefined
  // Not by time: WebKitGTK counts the times of its events from another moment than its clock.
  let hasMoved = false
  let isStray = false

  const handlePress = (event: MouseEvent): void => {
    if (event.type === 'pointerdown') {
      const before = last
      last = { at: event.timeStamp, x: event.clientX, y: event.clientY, target: event.target }
      isStray =
        before !== undefined &&
        before.target !== event.target &&
        event.timeStamp - before.at < DOUBLE_MS &&
        Math.hypot(event.clientX - before.x, event.clientY - before.y) < NEAR_PX &&
        hasMoved
      hasMoved = false
    }
    if (!isStray) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  const stopWatching = router.watch(() => (hasMoved = true))
  for (const name of EVENTS) on.addEventListener(name, handlePress, { capture: true })
  return () => {
    stopWatching()
    for (const name of EVENTS) on.removeEventListener(name, handlePress, { capture: true })
  }
}
