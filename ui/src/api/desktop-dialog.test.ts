// A page ignores input while a dialog of the desktop is open.
import { expect, it } from 'vitest'
import { isDesktopDialogOpen, blockPageWhile } from './desktop-dialog'

it('takes neither keys nor clicks until the dialog is answered, also one that fails', async () => {
  const button = document.createElement('button')
  document.body.append(button)
  let clicks = 0
  button.addEventListener('click', () => (clicks += 1))
  const press = (): boolean =>
    button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))

  let answer: (path: string) => void = () => undefined
  const asked = blockPageWhile(() => new Promise<string>((resolve) => (answer = resolve)))
  button.click()
  expect([clicks, press(), isDesktopDialogOpen()]).toEqual([0, false, true])
  answer('/tmp/a.csv')
  expect(await asked).toBe('/tmp/a.csv')
  button.click()
  expect([clicks, press(), isDesktopDialogOpen()]).toEqual([1, true, false])

  await expect(blockPageWhile(() => Promise.reject(new Error('No dialog.')))).rejects.toThrow('No dialog.')
  expect(isDesktopDialogOpen()).toBe(false)
})
