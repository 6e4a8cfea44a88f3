// Observes how much room a table has for its columns.

/** The borders and a possible scrollbar. */
const BAR_PX = 13
/** Hiding a column may remove a scrollbar; this slack keeps the column from coming back at once. */
const SLACK_PX = 15

/** Reports the width of the table's scroll container in pixels at 100 %, which does not grow with the table. */
export function observeRoom(tell: (room: number) => void): (frame: HTMLElement) => () => void {
  return (frame) => {
    let known = Infinity
    const watch = new ResizeObserver(() => {
      const zoom = Number(getComputedStyle(document.documentElement).getPropertyValue('--zoom')) || 1
      const room = (frame.offsetWidth - BAR_PX) / zoom
      if (Math.abs(room - known) <= SLACK_PX) return
      known = room
      tell(room)
    })
    watch.observe(frame)
    return () => watch.disconnect()
  }
}
