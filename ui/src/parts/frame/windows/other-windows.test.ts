// Windows tell each other of text that would be lost.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openEditors } from '../../../grid/open-editors.svelte'
import { unsaved } from '../../contact/unsaved.svelte'
import { hasUnsavedText, joinOtherWindows } from './other-windows'
import { hasTypedText, watchTyping } from './typed-text'

let stop: () => void
let pages: number

beforeEach(() => {
  stop = watchTyping()
  pages = 2
  vi.stubGlobal('navigator', {
    locks: {
      request: vi.fn(),
      query: async () => ({ held: Array.from({ length: pages }, () => ({ name: 'roost.page' })) }),
    },
  })
})
afterEach(() => {
  stop()
  unsaved.clear()
  unsaved.askOthers = undefined
  document.body.replaceChildren()
  vi.unstubAllGlobals()
})

function type(html: string, text: string): HTMLInputElement {
  document.body.innerHTML = html
  const field = document.querySelector('input')
  if (field === null) throw new Error('there is no field')
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
  return field
}

it('counts text that was typed into a form or a dialog and is still there', () => {
  const field = type('<dialog open><input></dialog>', '07700 900010')
  expect(hasUnsavedText()).toBe(true)
  field.value = ''
  expect(hasTypedText()).toBe(false)
  field.value = '07700 900010'
  field.remove()
  expect(hasTypedText()).toBe(false)

  type('<form><input type="search"></form>', 'Ann')
  expect(hasTypedText()).toBe(false)
  type('<p><input></p>', 'Ann')
  expect(hasTypedText()).toBe(false)
})

it('answers another window after it has finished its editors, and hears the answers of others', async () => {
  joinOtherWindows()
  const other = new BroadcastChannel('roost.unsaved')
  const send: (message: 'ask' | boolean) => void = other.postMessage.bind(other)
  const heard = new Promise((done) =>
    other.addEventListener('message', ({ data }) => done(data), { once: true }),
  )
  const done: string[] = []
  const remove = openEditors.add(async () => void done.push('finished'))
  type('<form><input></form>', '07700 900010')
  send('ask')
  expect(await heard).toBe(true)
  remove()
  expect(done).toEqual(['finished'])

  other.addEventListener('message', ({ data }) => data === 'ask' && send(true))
  expect(await unsaved.askOthers?.()).toBe(true)
  pages = 1
  expect(await unsaved.askOthers?.()).toBe(false)
  other.close()
})
