// Where an open menu goes: below or above its button, beside it, or over a part of it, so that it hides none of its entries.
import type { MenuPosition } from './menu.svelte'

interface Size {
  width: number
  height: number
}

export interface MenuPlace {
  left: number
  top: number
  height: number
}

/** The least distance from the edges of the window. */
export const EDGE = 8

/** Returns the position of a button, or of the edge behind which it is. */
function clampToWindow(spot: MenuPosition, { height }: Size): MenuPosition {
  const clamp = (y: number): number => Math.min(Math.max(y, EDGE), height - EDGE)
  return { ...spot, y: clamp(spot.y), ...(spot.top === undefined ? {} : { top: clamp(spot.top) }) }
}

/** Returns the most height that a menu can have without covering its button. */
export function getMenuRoom(spot: MenuPosition, window: Size): number {
  const { y, top } = clampToWindow(spot, window)
  return top === undefined ? window.height - 2 * EDGE : Math.max(window.height - y - EDGE, top - EDGE)
}

/** Returns where a menu of this size goes. If it fits neither below nor above its button, it goes beside it, and covers a
 *  part of it if the window is too narrow. If it is higher than the window, it scrolls where there is more room. */
export function placeMenu(menu: Size, at: MenuPosition, window: Size, rtl: boolean): MenuPlace {
  const spot = clampToWindow(at, window)
  const lowest = (height: number): number => window.height - EDGE - height
  const across = (left: number): number => Math.min(Math.max(left, EDGE), window.width - menu.width - EDGE)
  const left = across(rtl ? spot.x - menu.width : spot.x)
  const height = Math.min(menu.height, getMenuRoom(spot, window))
  const beside =
    height < menu.height && menu.height <= window.height - 2 * EDGE
      ? findSide(menu.width, spot, window)
      : undefined
  if (beside !== undefined)
    return {
      left: beside,
      top: Math.max(EDGE, Math.min(spot.top ?? spot.y, lowest(menu.height))),
      height: menu.height,
    }
  const below = window.height - spot.y - EDGE
  const above = (spot.top ?? spot.y) - EDGE
  const isBelow = menu.height <= below || below >= above
  return {
    left,
    top: isBelow ? Math.min(spot.y, lowest(height)) : Math.max(EDGE, above + EDGE - height),
    height,
  }
}

/** Returns the left edge of a menu to the right of its button, or else to the left. Without room for either, it is where it
 *  covers less of the button. */
function findSide(width: number, { sides }: MenuPosition, window: Size): number | undefined {
  if (sides === undefined) return undefined
  const right = Math.min(sides.right, window.width - EDGE - width)
  const left = Math.max(sides.left - width, EDGE)
  return sides.right - right <= left + width - sides.left ? right : left
}
