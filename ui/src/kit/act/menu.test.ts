// Menus whose groups may be empty, and where they open.
import { describe, expect, it } from 'vitest'
import { EDGE, placeMenu } from './menu-place'
import { removeEmptyGroups, type MenuEntry, type MenuPosition } from './menu.svelte'

const act = (title: string): MenuEntry => ({ title, run: () => undefined })

it('has a line only between entries', () => {
  const [one, other] = [act('Merge'), act('Delete')]
  expect(removeEmptyGroups([undefined, undefined, one, undefined, undefined, other, undefined])).toEqual([
    one,
    undefined,
    other,
  ])
  expect(removeEmptyGroups([undefined, undefined])).toEqual([])
})

describe('a menu', () => {
  const window = { width: 1280, height: 800 }
  /** A button that is 100 pixels wide and 30 high. */
  const spot = (x: number, y: number): MenuPosition => ({
    x,
    y: y + 30,
    top: y,
    sides: { left: x, right: x + 100 },
  })

  it('opens below its button, or above it if only there is room', () => {
    expect(placeMenu({ width: 200, height: 300 }, spot(100, 200), window, false)).toEqual({
      left: 100,
      top: 230,
      height: 300,
    })
    expect(placeMenu({ width: 200, height: 300 }, spot(100, 600), window, false)).toMatchObject({ top: 300 })
  })

  it('opens beside its button rather than hide entries', () => {
    const menu = { width: 200, height: 700 }
    expect(placeMenu(menu, spot(100, 200), window, false)).toEqual({
      left: 200,
      top: window.height - EDGE - 700,
      height: 700,
    })
    expect(placeMenu(menu, spot(1150, 200), window, false)).toMatchObject({ left: 950, height: 700 })
  })

  it('covers as little of its button as it can rather than hide entries', () => {
    const menu = { width: 200, height: 700 }
    const narrow = { width: 350, height: 800 }
    expect(placeMenu(menu, spot(100, 200), narrow, false)).toEqual({
      left: narrow.width - EDGE - 200,
      top: narrow.height - EDGE - 700,
      height: 700,
    })
    expect(placeMenu(menu, spot(200, 200), narrow, false)).toMatchObject({ left: EDGE, height: 700 })
  })

  it('scrolls if the window is too low for it', () => {
    expect(placeMenu({ width: 200, height: 900 }, spot(100, 200), window, false)).toEqual({
      left: 100,
      top: 230,
      height: window.height - EDGE - 230,
    })
  })

  it('stays in the window if its button is scrolled out of it', () => {
    expect(placeMenu({ width: 200, height: 300 }, spot(100, 900), window, false)).toMatchObject({
      top: window.height - EDGE - 300,
      height: 300,
    })
    expect(placeMenu({ width: 200, height: 300 }, spot(100, -200), window, false)).toMatchObject({
      top: EDGE,
      height: 300,
    })
    const long = placeMenu({ width: 1300, height: 1500 }, spot(100, 900), window, false)
    expect(long).toMatchObject({ top: EDGE, height: window.height - 2 * EDGE })
  })
})
