// Where an open menu goes: below or above its button, or beside it, so that it hides none of its entries.
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

/** Returns the most height that a menu can have without covering its button. */
export function getMenuRoom({ y, top }: MenuPosition, window: Size): number {
  return top === undefined ? window.height - 2 * EDGE : Math.max(window.height - y - EDGE, top - EDGE)
}

/** Returns where a menu of this size goes. If it fits neither below nor above its button, it goes beside it; if there is
 *  no room either, it scrolls on the side with more room. */
export function placeMenu(menu: Size, spot: MenuPosition, window: Size, rtl: boolean): MenuPlace {
  const lowest = (height: number): number => window.height - EDGE - height
  const across = (left: number): number => Math.min(Math.max(left, EDGE), window.width - menu.width - EDGE)
  const left = across(rtl ? spot.x - menu.width : spot.x)
  const height = Math.min(menu.height, getMenuRoom(spot, window))
  const beside =
    height < menu.height && menu.height <= window.height - 2 * EDGE ? findSide(menu, spot, window) : undefined
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

/** Returns the left edge of a menu to the right of its button, or else to the left, if there is room. */
function findSide({ width }: Size, { sides }: MenuPosition, window: Size): number | undefined {
  if (sides === undefined) return undefined
  if (sides.right + width + EDGE <= window.width) return sides.right
  return sides.left - width >= EDGE ? sides.left - width : undefined
}
