// Handles mouse, pen and finger on the rows. A press or a tap selects, dragging extends the selection and scrolls at
// the edges, a double click edits the cell or opens the row, a double tap edits, a right click opens the menu, and a
// finger scrolls with momentum.
import { Drift } from './drift'
import { findCell, type GridFrame, type Zone } from './frame'

/** A finger that moves less than this is a tap. */
const TAP_PX = 8
/** The most time between the two taps of a double tap. */
const DOUBLE_TAP_MS = 400
/** A finger that rested longer than this before it was lifted stops the rows where they are. */
const REST_MS = 60
/** The part of the speed that is left after each frame while the rows glide. */
const SPEED_KEPT = 0.95
/** The speed in pixels per millisecond below which gliding ends. */
const SPEED_MIN = 0.02

/** Listens on the rows of a grid. Returns a function that stops any scrolling that is still going on. The listeners end
 *  with the rows' element. */
export function listenToPointer(frame: GridFrame): () => void {
  const { body, engine, grid } = frame
  /** Where a selection that is being dragged began. */
  let dragZone: Zone | undefined
  let last: { x: number; y: number } = { x: 0, y: 0 }
  let finger:
    { id: number; x: number; y: number; at: number; moved: boolean; vx: number; vy: number } | undefined
  let glideFrame = 0
  let tappedAt = 0

  const extend = (): void => {
    const { spot } = findCell(frame, last.x, last.y)
    engine.choose(spot, 'extend', dragZone === 'lead' ? 'rows' : 'cells')
  }

  const drift = new Drift(frame, extend)

  const press = (event: PointerEvent): void => {
    cancelAnimationFrame(glideFrame)
    if (event.pointerType === 'touch') {
      finger = {
        id: event.pointerId,
        x: event.clientX,
        y: event.clientY,
        at: event.timeStamp,
        moved: false,
        vx: 0,
        vy: 0,
      }
      return
    }
    if (event.button !== 0) return
    event.preventDefault()
    grid.focus({ preventScroll: true })
    if (engine.total === 0) return
    const { spot, zone } = findCell(frame, event.clientX, event.clientY)
    const kind = zone === 'lead' ? 'rows' : 'cells'
    engine.choose(spot, event.shiftKey ? 'extend' : event.ctrlKey || event.metaKey ? 'add' : 'only', kind)
    dragZone = zone
    last = { x: event.clientX, y: event.clientY }
    body.setPointerCapture(event.pointerId)
  }

  const move = (event: PointerEvent): void => {
    if (finger !== undefined && event.pointerId === finger.id) {
      scrollByFinger(event)
      return
    }
    if (dragZone === undefined) return
    last = { x: event.clientX, y: event.clientY }
    extend()
    drift.follow(last, { across: dragZone === 'cell' })
  }

  const scrollByFinger = (event: PointerEvent): void => {
    if (finger === undefined) return
    const x = finger.x - event.clientX
    const y = finger.y - event.clientY
    if (!finger.moved && Math.hypot(x, y) < TAP_PX) return
    const time = Math.max(1, event.timeStamp - finger.at)
    finger = {
      ...finger,
      x: event.clientX,
      y: event.clientY,
      at: event.timeStamp,
      moved: true,
      vx: x / time,
      vy: y / time,
    }
    engine.scrollBy(frame.rtl ? -x : x, y)
  }

  const end = (event: PointerEvent): void => {
    dragZone = undefined
    drift.stop()
    if (finger === undefined || event.pointerId !== finger.id) return
    const { moved, vx, vy, at } = finger
    finger = undefined
    if (event.type === 'pointercancel') return
    if (moved) {
      if (event.timeStamp - at < REST_MS && !isCalm()) glide(vx, vy)
      return
    }
    grid.focus({ preventScroll: true })
    if (engine.total === 0) return
    const { spot, zone } = findCell(frame, event.clientX, event.clientY)
    const again = spot.row === engine.focus.row && spot.column === engine.focus.column
    engine.choose(spot, 'only', zone === 'lead' ? 'rows' : 'cells')
    if (again && event.timeStamp - tappedAt < DOUBLE_TAP_MS && zone === 'cell') engine.act({ act: 'edit' })
    tappedAt = event.timeStamp
  }

  const glide = (vx: number, vy: number): void => {
    let before = performance.now()
    const on = (now: number): void => {
      const time = now - before
      before = now
      const slowed = SPEED_KEPT ** (time / 16)
      vx *= slowed
      vy *= slowed
      if (Math.abs(vx) + Math.abs(vy) < SPEED_MIN) return
      engine.scrollBy((frame.rtl ? -vx : vx) * time, vy * time)
      glideFrame = requestAnimationFrame(on)
    }
    glideFrame = requestAnimationFrame(on)
  }

  const openOrEdit = (event: MouseEvent): void => {
    if (event.button !== 0 || engine.total === 0) return
    const { zone } = findCell(frame, event.clientX, event.clientY)
    if (zone === 'cell') engine.act({ act: 'edit' })
    else engine.act({ act: 'open' })
  }

  const openMenu = (event: MouseEvent): void => {
    if (engine.total === 0) return
    event.preventDefault()
    grid.focus({ preventScroll: true })
    const { spot, zone } = findCell(frame, event.clientX, event.clientY)
    if (!engine.selection.contains(spot.row, spot.column))
      engine.choose(spot, 'only', zone === 'lead' ? 'rows' : 'cells')
    engine.hooks.menu(event)
  }

  body.addEventListener('pointerdown', press)
  body.addEventListener('pointermove', move)
  body.addEventListener('pointerup', end)
  body.addEventListener('pointercancel', end)
  body.addEventListener('dblclick', openOrEdit)
  body.addEventListener('contextmenu', openMenu)
  return () => {
    drift.stop()
    cancelAnimationFrame(glideFrame)
  }
}

/** Returns whether the user prefers reduced motion. Content that glides on by itself makes some people ill. */
function isCalm(): boolean {
  return (
    document.documentElement.dataset['motion'] === 'reduced' ||
    matchMedia('(prefers-reduced-motion: reduce)').matches
  )
}
