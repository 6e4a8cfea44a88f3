// Columns as the user arranges them, the scaled scrollbar, and the meaning of key presses.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  Columns,
  freezeUpTo,
  moveColumn,
  moveColumns,
  PLAIN_LAYOUT,
  resizeColumn,
  withShown,
} from '../engine/columns'
import { keyToAct, type KeyboardLayout, type KeyPress } from '../engine/keys'
import { HEIGHT_CAP, Scroll, toWheelPixels } from '../engine/scroll'

const GIVEN = ['a', 'b', 'c', 'd', 'e'].map((id, at) => ({ id, title: id, width: 100 + at * 10 }))

describe('columns', () => {
  it('stay the same set, whatever is moved, hidden and frozen', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const act = fc.oneof(
      fc.record({ does: fc.constant('move' as const), id, to: fc.integer({ min: -2, max: 7 }) }),
      fc.record({
        does: fc.constantFrom('hide' as const, 'show' as const, 'freeze' as const),
        id,
        to: fc.nat(1),
      }),
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
        let layout = PLAIN_LAYOUT
        const hidden = new Set<string>()
        for (const { does, id: column, to } of acts) {
          if (does === 'move') {
            const before = new Columns(GIVEN, layout)
            layout = moveColumn(GIVEN, layout, column, to)
            const place = new Columns(GIVEN, layout).findIndex(column)
            if (before.findIndex(column) !== -1)
              expect(place).toBe(Math.max(0, Math.min(to, before.ids.length - 1)))
          } else if (does === 'freeze') {
            if (!hidden.has(column)) layout = freezeUpTo(GIVEN, layout, column)
          } else {
            layout = withShown(layout, column, does === 'show')
            if (does === 'show') hidden.delete(column)
            else hidden.add(column)
          }
          const columns = new Columns(GIVEN, layout)
          expect(columns.ids.toSorted()).toEqual(
            ['a', 'b', 'c', 'd', 'e'].filter((each) => !hidden.has(each)),
          )
          expect(columns.frozenWidth + columns.restWidth).toBe(
            columns.widths.reduce((sum, each) => sum + each, 0),
          )
        }
      }),
    )
  })

  it('go together to where they are dropped, and stay neighbours', () => {
    const order = (ids: readonly string[], to: number): string =>
      new Columns(GIVEN, moveColumns(GIVEN, PLAIN_LAYOUT, ids, to)).ids.join('')
    expect(order(['a', 'b'], 3)).toBe('cdabe')
    expect(order(['c', 'd'], 0)).toBe('cdabe')
    expect(order(['d', 'e'], 1)).toBe('adebc')
    expect(order(['b'], 4)).toBe('acdeb')
  })

  it('are found under every pixel', () => {
    const columns = new Columns(GIVEN, { ...PLAIN_LAYOUT, frozen: ['c'] })
    expect(columns.ids).toEqual(['c', 'a', 'b', 'd', 'e'])
    expect(columns.starts).toEqual([0, 0, 100, 210, 340])
    expect([0, 99, 100, 209, 210, 5_000].map((x) => columns.restAt(x))).toEqual([1, 1, 2, 2, 3, 4])
    expect(columns.frozenAt(50)).toBe(0)
  })

  it('leave room beside the frozen ones, keep to sensible widths and grow with the page', () => {
    const frozen = { ...PLAIN_LAYOUT, frozen: ['a', 'b', 'c', 'd', 'e'] }
    expect(new Columns(GIVEN, frozen, 1, 400).frozen).toBe(2)
    expect(resizeColumn(PLAIN_LAYOUT, 'a', 3).widths['a']).toBe(48)
    expect(new Columns(GIVEN, PLAIN_LAYOUT, 1.5).widths[0]).toBe(150)
  })
})

describe('scrolling', () => {
  const view = fc.record({
    total: fc.nat(5_000_000),
    rowHeight: fc.integer({ min: 16, max: 60 }),
    height: fc.integer({ min: 20, max: 2_000 }),
  })

  it('reaches first and last row by the thumb, whatever the size', () => {
    fc.assert(
      fc.property(view, fc.double({ min: 0, max: 1, noNaN: true }), ({ total, rowHeight, height }, share) => {
        const scroll = new Scroll()
        scroll.fit(total, rowHeight, height)
        expect(scroll.height).toBeLessThanOrEqual(HEIGHT_CAP)
        const way = Math.max(0, scroll.height - height)
        scroll.dragThumbTo(way)
        if (way > 0) expect(scroll.first + scroll.page).toBe(total)
        scroll.dragThumbTo(share * way)
        expect(scroll.first).toBeLessThanOrEqual(scroll.lastFirst)
        scroll.dragThumbTo(0)
        expect(scroll.first).toBe(0)
        const first = Math.floor(share * scroll.lastFirst)
        scroll.to(first)
        expect(scroll.thumb).toBeGreaterThanOrEqual(0)
        expect(scroll.thumb).toBeLessThanOrEqual(way)
      }),
    )
  })

  it('goes by exact rows with the wheel, and loses no pixel', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -300, max: 300 }), { maxLength: 40 }), (deltas) => {
        const scroll = new Scroll()
        scroll.fit(1_000_000, 32, 800)
        scroll.to(500_000)
        for (const delta of deltas) scroll.scrollByPixels(delta)
        const whole = deltas.reduce((sum, delta) => sum + delta, 0)
        expect(Math.abs((scroll.first - 500_000) * 32 - whole)).toBeLessThan(32)
      }),
    )
    expect(toWheelPixels(3, 1, 32, 800)).toBe(96)
  })

  it('moves no further than needed to show a row', () => {
    const scroll = new Scroll()
    scroll.fit(1_000, 30, 300)
    scroll.reveal(500)
    expect(scroll.first).toBe(491)
    expect(scroll.reveal(495)).toBe(false)
    scroll.reveal(100)
    expect(scroll.first).toBe(100)
  })
})

const LINUX: KeyboardLayout = { mac: false, rtl: false, browser: false }
const press = (keys: string, more: Partial<KeyPress> = {}): KeyPress => {
  const parts = keys.split('+')
  const key = parts.pop() ?? ''
  return {
    key,
    code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key,
    ctrlKey: parts.includes('ctrl'),
    metaKey: parts.includes('cmd'),
    shiftKey: parts.includes('shift'),
    altKey: parts.includes('alt'),
    ...more,
  }
}

describe('a press', () => {
  it('means what the table of keys says', () => {
    const says = (keys: string, keyboard = LINUX): string => {
      const act = keyToAct(press(keys), keyboard)
      return act === undefined ? '' : Object.values(act).join(' ')
    }
    const table: Record<string, string> = {
      ArrowDown: 'step down false',
      'shift+ArrowLeft': 'step start true',
      'ctrl+ArrowUp': 'edge up false',
      'ctrl+shift+ArrowRight': 'edge end true',
      Tab: 'next row false',
      'shift+Enter': 'next column true',
      Home: 'bound start false false',
      'ctrl+shift+End': 'bound end true true',
      PageDown: 'page down false',
      'alt+PageUp': 'page start false',
      'alt+shift+PageDown': 'page end true',
      'ctrl+a': 'select-all',
      'shift+ ': 'select-rows',
      'ctrl+ ': 'select-columns',
      F2: 'edit',
      Escape: 'cancel',
      x: 'type',
      ż: 'type',
      ' ': 'type',
      'ctrl+d': 'fill-down',
      'ctrl+r': 'fill-right',
      'ctrl+shift+C': 'copy-headings',
      'ctrl+shift+V': 'paste-special',
      Delete: 'clear',
      'ctrl+Backspace': 'delete-rows',
      'ctrl+shift+Backspace': 'revert',
      'ctrl+n': 'add-row',
      'alt+ArrowDown': 'column-menu',
      'ctrl+shift+Enter': 'filter-to-value',
      'alt+shift+ArrowRight': 'column-move 1',
      'alt+shift+ArrowUp': 'sort ascending',
      F4: 'open',
      'shift+F10': 'menu',
      ContextMenu: 'menu',
    }
    for (const [keys, meaning] of Object.entries(table))
      expect(`${keys}: ${says(keys)}`).toBe(`${keys}: ${meaning}`)
    // These keys are left to the screen, the frame and the system.
    for (const keys of [
      'ctrl+c',
      'ctrl+x',
      'ctrl+v',
      'ctrl+z',
      'ctrl+f',
      'F3',
      'F8',
      'ctrl+alt+ArrowUp',
      'ctrl+alt+l',
    ])
      expect(`${keys}: ${says(keys)}`).toBe(`${keys}: `)
    expect(says('cmd+d', { ...LINUX, mac: true })).toBe('fill-down')
    expect(says('alt+n', { ...LINUX, browser: true })).toBe('add-row')
  })

  it('turns left and right round where the page does', () => {
    expect(keyToAct(press('ArrowLeft'), { ...LINUX, rtl: true })).toMatchObject({ to: 'end' })
    expect(keyToAct(press('alt+shift+ArrowLeft'), { ...LINUX, rtl: true })).toMatchObject({ by: 1 })
  })

  it('with AltGr types, whatever Ctrl and Alt say', () => {
    const altGr = { getModifierState: (name: string) => name === 'AltGraph' }
    expect(keyToAct(press('ctrl+alt+ł', altGr), LINUX)).toEqual({ act: 'type' })
    expect(keyToAct(press('ctrl+alt+@', altGr), LINUX)).toEqual({ act: 'type' })
    expect(keyToAct(press('Dead'), LINUX)).toEqual({ act: 'type' })
    expect(keyToAct(press('Process', { keyCode: 229 }), LINUX)).toEqual({ act: 'type' })
  })
})
