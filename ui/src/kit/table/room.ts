// How much room a table has for its columns.

/** Borders, and a scrollbar that may be there. */
const BAR_PX = 13
/** A scrollbar that comes and goes with what is given up must not bring it back. */
const SLACK_PX = 15

/** Tells the width of what scrolls a table, in pixels at 100 %: it does not grow with the table. */
export function roomOf(tell: (room: number) => void): (frame: HTMLElement) => () => void {
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
