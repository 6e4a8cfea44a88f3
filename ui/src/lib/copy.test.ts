import { afterEach, describe, expect, it, vi } from 'vitest'
import { copyPending } from './copy'

describe('a text that is still on its way', () => {
  afterEach(() => vi.unstubAllGlobals())

  /** A clipboard that takes what it is given, or refuses all of it. */
  function clipboard(refuses: boolean): { write: ReturnType<typeof vi.fn> } {
    const write = vi.fn(async ([item]: { forms: Record<string, Promise<Blob>> }[]) => {
      if (refuses) throw new Error('not allowed')
      return (await item?.forms['text/plain'])?.text()
    })
    vi.stubGlobal('navigator', { clipboard: { write } })
    vi.stubGlobal(
      'ClipboardItem',
      class {
        constructor(readonly forms: Record<string, Promise<Blob>>) {}
      },
    )
    return { write }
  }

  it('asks for the clipboard before it has come', async () => {
    const { write } = clipboard(false)
    let arrive: (text: string) => void = () => undefined
    const done = copyPending(new Promise((resolve) => (arrive = resolve)))
    expect(write).toHaveBeenCalledOnce()
    arrive('curl')
    expect(await done).toBe(true)
    expect(await write.mock.results[0]?.value).toBe('curl')
  })

  it('is copied by the old way where the new one is refused, and says so where both are', async () => {
    clipboard(true)
    document.execCommand = () => false
    expect(await copyPending(Promise.resolve('curl'))).toBe(false)
    document.execCommand = () => {
      const event = Object.assign(new Event('copy'), { clipboardData: { setData: () => undefined } })
      return document.dispatchEvent(event) || true
    }
    expect(await copyPending(Promise.resolve('curl'))).toBe(true)
  })

  it('that never comes is told as what it failed for', async () => {
    clipboard(false)
    await expect(copyPending(Promise.reject(new Error('no answer')))).rejects.toThrow('no answer')
  })
})
