// If the first click of a double click opens another screen, the second click could hit a control there. It is ignored.
import { router } from '../../lib/router.svelte'

const DOUBLE_MS = 500
const NEAR_PX = 6
const EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick'] as const

/** Ignores such second clicks until the returned function is called. */
export function keepDoubleClicksApart(on: Window = window): () => void {
  let last: { at: number; x: number; y: number; target: EventTarget | null } | undefined
  // Times would not do: WebKitGTK’s events and its clock count from different moments.
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
