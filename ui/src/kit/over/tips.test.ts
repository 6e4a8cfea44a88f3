// The tooltip of the window: it waits for a resting pointer and closes before it is in the way.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTips } from './tips'

let stop: () => void
let shown: string | undefined
let button: HTMLElement
const over = (target: Element): boolean =>
  target.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, clientX: 5, clientY: 5 }))

beforeEach(() => {
  vi.useFakeTimers()
  document.body.innerHTML = '<button title="More actions"><svg></svg></button><p>elsewhere</p>'
  button = document.querySelector('button') as HTMLElement
  stop = createTips((told) => (shown = told?.text)).listen()
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

it('comes when the pointer rests, while the engine has no title to draw', () => {
  over(button)
  expect([shown, button.hasAttribute('title')]).toEqual([undefined, false])
  vi.advanceTimersByTime(1000)
  expect(shown).toBe('More actions')
  expect(button.getAttribute('aria-description')).toBe('More actions')
})

it('goes with the pointer, and the title is as it was', () => {
  over(button)
  vi.advanceTimersByTime(1000)
  over(document.querySelector('p') as Element)
  expect([shown, button.getAttribute('title')]).toEqual([undefined, 'More actions'])
  expect(button.hasAttribute('aria-description')).toBe(false)
})

it.each(['pointerdown', 'keydown', 'wheel'])('goes at a %s, and does not come back by itself', (name) => {
  over(button)
  vi.advanceTimersByTime(1000)
  dispatchEvent(new Event(name))
  expect(shown).toBeUndefined()
  over(document.querySelector('svg') as Element)
  vi.advanceTimersByTime(1000)
  expect(shown).toBeUndefined()
})

it('never comes over the menu that was opened', () => {
  over(button)
  button.setAttribute('aria-expanded', 'true')
  vi.advanceTimersByTime(1000)
  expect(shown).toBeUndefined()
})
