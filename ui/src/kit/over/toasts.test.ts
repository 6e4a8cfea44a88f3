// What happens to the open toasts when the page's language changes.
import { afterEach, expect, it } from 'vitest'
import { toast, toasts } from './toasts.svelte'

afterEach(() => {
  for (const shown of toasts.shown) toasts.dismiss(shown)
})

it('a change of the language removes messages, and translates questions', () => {
  let word = 'Yes'
  const ask = { title: word, run: () => undefined, close: () => undefined }
  toast('Done.')
  toast(() => `${word}?`, { ask })
  word = 'Ja'
  toasts.dismissPassing()
  expect(toasts.shown.map(({ text }) => text)).toEqual(['Ja?'])
})

it('shows a long failure in full, on a line of its own', () => {
  toast('/accounts/customers.roost is the account itself. '.repeat(3), { kind: 'fault' })
  toast('Not saved.', { kind: 'fault' })
  expect(toasts.lines.map(({ text }) => text.slice(0, 5))).toEqual(['/acco'])
  expect(toasts.messages.map(({ text }) => text)).toEqual(['Not saved.'])
  toast('Saved.')
  expect(toasts.lines).toEqual([])
})
