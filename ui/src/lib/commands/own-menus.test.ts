// The window limits two features of the web view to text fields.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isSelectAllKey, restrictContextMenu } from './own-menus'

const PC = { mac: false, browser: false }
let stop: () => void
let field: HTMLInputElement
let box: HTMLInputElement

beforeEach(() => {
  ;[field, box] = [document.createElement('input'), document.createElement('input')]
  box.type = 'checkbox'
  document.body.append(field, box)
  stop = restrictContextMenu()
})
afterEach(() => {
  stop()
  document.body.replaceChildren()
})

it('shows no menu of its own but in fields of text', () => {
  const isShown = (target: Element): boolean =>
    target.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }))
  expect([isShown(document.body), isShown(box), isShown(field)]).toEqual([false, false, true])
})

it('selects all text only where text is typed', () => {
  const asks = (target: Element, init: KeyboardEventInit): boolean => {
    const event = new KeyboardEvent('keydown', { bubbles: true, ...init })
    target.dispatchEvent(event)
    return isSelectAllKey(event, PC)
  }
  expect(asks(document.body, { key: 'a', ctrlKey: true })).toBe(true)
  expect(asks(field, { key: 'a', ctrlKey: true })).toBe(false)
  expect(asks(document.body, { key: 'a' })).toBe(false)
  expect(asks(document.body, { key: 'A', ctrlKey: true, shiftKey: true })).toBe(false)
})
