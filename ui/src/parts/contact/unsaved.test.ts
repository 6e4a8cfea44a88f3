// Unsaved text is not lost without a question.
import { expect, it, vi } from 'vitest'
import { openEditors } from '../../grid/open-editors.svelte'
import { UnsavedTexts } from './unsaved.svelte'

const ANN = { list: 'spring', uid: 'ann', name: 'Ann Lee' }

it('asks nobody where there is nothing to lose', async () => {
  const texts = new UnsavedTexts()
  texts.set('ann', ANN, {})
  expect(await texts.mayLeave('quit')).toBe(true)
  expect(texts.question).toBeUndefined()
})

it('keeps unsaved text until the user agrees to discard it', async () => {
  const texts = new UnsavedTexts()
  texts.set('ann', ANN, { city: 'Leeds' })
  texts.set('new:spring', { list: 'spring', uid: undefined, name: '' }, { city: 'York' })
  expect(texts.listUids('spring')).toEqual(['ann'])

  const first = texts.mayLeave('quit')
  expect(texts.question?.why).toBe('quit')
  texts.answer(false)
  expect(await first).toBe(false)
  expect(texts.get('ann')).toEqual({ city: 'Leeds' })

  const second = texts.mayLeave('switch')
  texts.answer(true)
  expect(await second).toBe(true)
  expect(texts.all).toEqual([])
})

it('asks one question at a time', async () => {
  const texts = new UnsavedTexts()
  texts.set('ann', ANN, { city: 'Leeds' })
  const first = texts.mayLeave('switch')
  const second = texts.mayLeave('close')
  expect(await first).toBe(false)
  expect(texts.question?.why).toBe('close')
  texts.answer(false)
  expect(await second).toBe(false)
})

it('finishes open editors before it decides, and asks only if text is left', async () => {
  const texts = new UnsavedTexts()
  const done: string[] = []
  const remove = openEditors.add(async () => void done.push('finished'))
  expect(await texts.mayLeave('quit')).toBe(true)
  remove()
  expect(done).toEqual(['finished'])
  expect(openEditors.isOpen).toBe(false)
})

it('asks about text in other windows only where they would start again', async () => {
  const texts = new UnsavedTexts()
  texts.askOthers = async () => true
  expect(await texts.mayLeave('close')).toBe(true)
  const switching = texts.mayLeave('switch')
  await vi.waitFor(() => expect(texts.question?.isElsewhere).toBe(true))
  texts.answer(false)
  expect(await switching).toBe(false)
})
