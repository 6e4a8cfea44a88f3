// What is repeated for screen readers that hear of text fields only.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repeatLiveRegions } from './live-regions'

let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  document.body.innerHTML =
    '<p><span role="alert"></span></p><div role="status"><p>Counting</p></div><p id="plain">Plain</p>'
  stop = repeatLiveRegions()
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  document.body.replaceChildren()
})

const find = (css: string): Element => document.querySelector(css) ?? expect.fail(css)
/** Returns what was repeated, with its urgency. */
const repeated = async (): Promise<string[]> => {
  await vi.advanceTimersByTimeAsync(1)
  return [...document.querySelectorAll('textarea')].map(
    (field) => `${field.getAttribute('aria-live') ?? ''}: ${field.value}`,
  )
}

it('repeats the whole text of a region that changes', async () => {
  find('[role=alert]').textContent = 'Give the list a name.'
  find('[role=status] p').innerHTML = '<b>2</b> cells\n  change.'
  expect(await repeated()).toEqual(['assertive: Give the list a name.', 'polite: 2 cells change.'])
})

it('repeats the same text when it is shown again', async () => {
  for (const text of ['Saved', '', 'Saved']) {
    find('[role=status]').textContent = text
    await repeated()
  }
  expect(await repeated()).toEqual(['polite: Saved', 'polite: Saved'])
})

it('repeats an alert that is added with its text, and no other text', async () => {
  find('#plain').textContent = 'Other'
  const added = document.createElement('form')
  added.innerHTML = '<p role="alert">Choose a list.</p><p role="status">3 contacts</p><p role="alert"></p>'
  document.body.append(added)
  expect(await repeated()).toEqual(['assertive: Choose a list.'])
})

it('removes what was repeated after a while', async () => {
  find('[role=alert]').textContent = 'Give the list a name.'
  expect(await repeated()).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await repeated()).toEqual([])
})
