// Handles mouse, pen and finger on the rows. A press or a tap selects, dragging extends the selection and scrolls at
// the edges, a double click edits the cell or opens the row, a double tap edits, a right click opens the menu, and a
// finger scrolls with momentum.
import { Drift } from './drift'
import { findCell, type GridFrame, type Zone } from './frame'

const TAP_PX = 8
const TAP_MS = 400
const SLOWING = 0.95
const STILL = 0.02

/** Returns a function that stops any scrolling that is still going on. The listeners end with the rows' element. */
export function listenToPointer(frame: GridFrame): () => void {
  const { body, engine, grid } = frame
  let span: Zone | undefined
  let last: { x: number; y: number } = { x: 0, y: 0 }
  let finger:
    { id: number; x: number; y: number; at: number; moved: boolean; vx: number; vy: number } | undefined
  let gliding = 0
  let tapped = 0

  const extend = (): void => {
    const { spot } = findCell(frame, last.x, last.y)
    engine.choose(spot, 'extend', span === 'lead' ? 'rows' : 'cells')
  }

  const drift = new Drift(frame, extend)

  const press = (event: PointerEvent): void => {
    cancelAnimationFrame(gliding)
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
    span = zone
    last = { x: event.clientX, y: event.clientY }
    body.setPointerCapture(event.pointerId)
  }

  const move = (event: PointerEvent): void => {
    if (finger !== undefined && event.pointerId === finger.id) {
      drag(event)
      return
    }
    if (span === undefined) return
    last = { x: event.clientX, y: event.clientY }
    extend()
    drift.follow(last, { across: span === 'cell' })
  }

  const drag = (event: PointerEvent): void => {
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
    span = undefined
    drift.stop()
    if (finger === undefined || event.pointerId !== finger.id) return
    const { moved, vx, vy, at } = finger
    finger = undefined
    if (event.type === 'pointercancel') return
    if (moved) {
      if (event.timeStamp - at < 60 && !isCalm()) glide(vx, vy)
      return
    }
    grid.focus({ preventScroll: true })
    if (engine.total === 0) return
    const { spot, zone } = findCell(frame, event.clientX, event.clientY)
    const again = spot.row === engine.focus.row && spot.column === engine.focus.column
    engine.choose(spot, 'only', zone === 'lead' ? 'rows' : 'cells')
    if (again && event.timeStamp - tapped < TAP_MS && zone === 'cell') engine.act({ act: 'edit' })
    tapped = event.timeStamp
  }

  const glide = (vx: number, vy: number): void => {
    let before = performance.now()
    const on = (now: number): void => {
      const time = now - before
      before = now
      const slowed = SLOWING ** (time / 16)
      vx *= slowed
      vy *= slowed
      if (Math.abs(vx) + Math.abs(vy) < STILL) return
      engine.scrollBy((frame.rtl ? -vx : vx) * time, vy * time)
      gliding = requestAnimationFrame(on)
    }
    gliding = requestAnimationFrame(on)
  }

  const double = (event: MouseEvent): void => {
    if (event.button !== 0 || engine.total === 0) return
    const { zone } = findCell(frame, event.clientX, event.clientY)
    if (zone === 'cell') engine.act({ act: 'edit' })
    else engine.act({ act: 'open' })
  }

  const context = (event: MouseEvent): void => {
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
  body.addEventListener('dblclick', double)
  body.addEventListener('contextmenu', context)
  return () => {
    drift.stop()
    cancelAnimationFrame(gliding)
  }
}

/** Returns whether the user prefers reduced motion. Content that glides on by itself makes some people ill. */
function isCalm(): boolean {
  return (
    document.documentElement.dataset['motion'] === 'reduced' ||
    matchMedia('(prefers-reduced-motion: reduce)').matches
  )
}
