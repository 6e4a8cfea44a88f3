// A double click whose first press opened another screen.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { router } from '../../lib/router.svelte'
import { keepDoubleClicksApart } from './double-click'

let stop: () => void
let heard: string[]
let place = 0
let first: Element
let second: Element
const press = (target: Element, x = 10): void => {
  for (const name of ['pointerdown', 'mousedown', 'mouseup', 'click'])
    target.dispatchEvent(new PointerEvent(name, { bubbles: true, clientX: x, clientY: 10 }))
}

beforeEach(() => {
  heard = []
  ;[first, second] = [document.createElement('a'), document.createElement('div')]
  document.body.append(first, second)
  for (const element of [first, second])
    for (const name of ['pointerdown', 'click'])
      element.addEventListener(name, () => heard.push(`${element.tagName} ${name}`))
  stop = keepDoubleClicksApart()
})
afterEach(() => {
  stop()
  document.body.replaceChildren()
})
const leave = (): void => router.go(`lists/${String((place += 1))}`)

it('does not pass its second click to what the first one opened', () => {
  press(first)
  leave()
  press(second)
  expect(heard).toEqual(['A pointerdown', 'A click'])
})

it('does not depend on when the times of events begin', () => {
  const at = (time: number, target: Element): void => {
    for (const name of ['pointerdown', 'click']) {
      const event = new PointerEvent(name, { bubbles: true, clientX: 10, clientY: 10 })
      Object.defineProperty(event, 'timeStamp', { value: 1e12 + time })
      target.dispatchEvent(event)
    }
  }
  at(0, first)
  leave()
  at(200, second)
  expect(heard).toEqual(['A pointerdown', 'A click'])
})

it('is two clicks on what stays, or elsewhere, or where nothing moved', () => {
  press(first)
  leave()
  press(first)
  press(second, 400)
  press(first, 400)
  expect(heard).toHaveLength(8)
})
