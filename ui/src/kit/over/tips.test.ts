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
  stop = createTips((tip) => (shown = tip?.text)).listen()
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

it('closes when the pointer leaves, and restores the title', () => {
  over(button)
  vi.advanceTimersByTime(1000)
  over(document.querySelector('p') as Element)
  expect([shown, button.getAttribute('title')]).toEqual([undefined, 'More actions'])
  expect(button.hasAttribute('aria-description')).toBe(false)
})

it.each(['pointerdown', 'keydown', 'wheel'])('closes on %s, and does not reopen by itself', (name) => {
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

it('hides the titles of enclosing elements from the engine too', () => {
  document.body.innerHTML = '<div title="Row"><b title="Name">Ada</b></div><p>elsewhere</p>'
  const row = document.querySelector('div') as Element
  over(document.querySelector('b') as Element)
  expect(row.hasAttribute('title')).toBe(false)
  over(document.querySelector('p') as Element)
  expect([row.getAttribute('title'), document.querySelector('b')?.getAttribute('title')]).toEqual([
    'Row',
    'Name',
  ])
})

it('hides a title from the engine that is changed under the pointer', async () => {
  over(button)
  button.setAttribute('title', 'Fewer actions')
  await vi.advanceTimersByTimeAsync(0)
  expect(button.hasAttribute('title')).toBe(false)
  over(document.querySelector('p') as Element)
  expect(button.getAttribute('title')).toBe('Fewer actions')
})

it('shows a title that is set after the pointer arrived', async () => {
  document.body.innerHTML = '<p>cell</p>'
  const cell = document.querySelector('p') as Element
  over(cell)
  cell.setAttribute('title', 'Refused')
  await vi.advanceTimersByTimeAsync(0)
  cell.setAttribute('title', 'Not a number')
  await vi.advanceTimersByTimeAsync(1000)
  expect([shown, cell.hasAttribute('title')]).toEqual(['Not a number', false])
})

it('hides a title from the engine that is changed on an enclosing element', async () => {
  document.body.innerHTML = '<div title="Row"><b title="Name">Ada</b></div><p>elsewhere</p>'
  const row = document.querySelector('div') as Element
  over(document.querySelector('b') as Element)
  row.setAttribute('title', 'Row 2')
  await vi.advanceTimersByTimeAsync(0)
  expect(row.hasAttribute('title')).toBe(false)
  over(document.querySelector('p') as Element)
  expect(row.getAttribute('title')).toBe('Row 2')
})

it('leaves a title alone that comes after the pointer left the window', async () => {
  over(button)
  document.documentElement.dispatchEvent(new PointerEvent('pointerleave'))
  button.setAttribute('title', 'Fewer actions')
  await vi.advanceTimersByTimeAsync(1000)
  expect([shown, button.getAttribute('title')]).toEqual([undefined, 'Fewer actions'])
})

it('hides the title of an element that appears under a press, and shows no tooltip', async () => {
  dispatchEvent(new Event('pointerdown'))
  const press = new PointerEvent('pointerover', { bubbles: true, buttons: 1 })
  button.dispatchEvent(press)
  dispatchEvent(new Event('pointerup'))
  await vi.advanceTimersByTimeAsync(1000)
  expect([shown, button.hasAttribute('title')]).toEqual([undefined, false])
  over(document.querySelector('p') as Element)
  expect(button.getAttribute('title')).toBe('More actions')
})

it('does not come while a button is pressed', async () => {
  const cell = document.querySelector('p') as Element
  over(cell)
  dispatchEvent(new Event('pointerdown'))
  cell.setAttribute('title', 'Refused')
  await vi.advanceTimersByTimeAsync(1000)
  expect(shown).toBeUndefined()
  dispatchEvent(new Event('pointerup'))
  cell.setAttribute('title', 'Not a number')
  await vi.advanceTimersByTimeAsync(1000)
  expect(shown).toBe('Not a number')
})

it('describes the element with the text that it has now', async () => {
  over(button)
  button.setAttribute('title', 'Fewer actions')
  await vi.advanceTimersByTimeAsync(0)
  expect(button.getAttribute('aria-description')).toBe('Fewer actions')
})
