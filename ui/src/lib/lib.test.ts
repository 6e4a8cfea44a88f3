// The helper functions without state.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { coalesce } from './coalesce'
import { copyPending } from './copy'
import { readDay } from './days'
import { formatDate, formatMoment, formatShare } from './format'
import { countCharacters, listHidden, measureTabSize, visible, visibleLines } from './text'

describe('text', () => {
  it('counts characters as the core does', () => {
    expect(countCharacters('')).toBe(0)
    expect(countCharacters('é'.repeat(120))).toBe(120)
    expect(countCharacters('🐦'.repeat(120))).toBe(120)
  })

  it('shows control characters and leaves the rest alone', () => {
    expect(visible('a\0b\nc\u007f')).toBe('a[U+0000]b[U+000A]c[U+007F]')
    expect(visible('a\u202eb\u0085')).toBe('a[U+202E]b[U+0085]')
    expect(visible('قائمة 🐦')).toBe('قائمة 🐦')
  })

  it('names the characters of a text that nobody sees, but no joiner that a script or an emoji needs', () => {
    expect(listHidden('a\u202eb\u202e\u0007\u200b')).toEqual(['U+202E', 'U+0007', 'U+200B'])
    expect(listHidden('a\u200d')).toEqual(['U+200D'])
    expect(listHidden('می\u200cخواهم क्\u200dष 👩🏽\u200d🚀 Ann')).toEqual([])
  })

  it('leaves line ends and tabs of a cell alone', () => {
    expect(visibleLines('a\nb\tc\u202ed\0')).toBe('a\nb\tc[U+202E]d[U+0000]')
    expect(visibleLines('plain\n')).toBe('plain\n')
  })

  it('sets tabs apart as far as the widest cell needs, the last of each line left aside', () => {
    expect(measureTabSize('')).toBe(8)
    expect(measureTabSize(`Contact 2\t07700 900120\t${'x'.repeat(99)}\nA\tB`)).toBe(14)
    expect(measureTabSize(`${'x'.repeat(99)}\tb`)).toBe(40)
  })
})

describe('times', () => {
  it('reads nine decimals', () => {
    expect(formatMoment('2026-01-05T09:00:00.123456789Z')).toBe(formatMoment('2026-01-05T09:00:00.123Z'))
  })

  it('shows what it cannot read as it is', () => expect(formatMoment('soon')).toBe('soon'))
})

describe('dates in texts', () => {
  it.each([
    ['1950-02-01', '1950-02-01'],
    [' 1950-02-01 00:00:00 ', '1950-02-01'],
    ['1950-02-01T00:00:00.000Z', '1950-02-01'],
    ['2/1/1950 12:00:00 AM', undefined],
    ['31/12/1950', '1950-12-31'],
    ['12/31/1950', '1950-12-31'],
    ['05/05/1950', '1950-05-05'],
    ['1.2.1950', '1950-02-01'],
    ['01/02/1950', undefined],
    ['29/02/1900', undefined],
    ['29/02/2000', '2000-02-29'],
    ['01/02/50', undefined],
    ['--02-01', undefined],
    ['', undefined],
  ])('%s', (text, day) => expect(readDay(text)).toBe(day))

  it('reads the same however it was written, and stays what it is where it is none', () => {
    expect(formatDate('31/12/1950')).toBe(formatDate('1950-12-31'))
    expect(formatDate('1950-12-31')).toBe('Dec 31, 1950')
    expect(formatDate('01/02/1950')).toBe('01/02/1950')
    expect(formatDate('Tuesday')).toBe('Tuesday')
  })
})

describe('shares', () => {
  it('are 100% only for all, and 0% only for none', () => {
    expect([0, 0.25, 1].map(formatShare)).toEqual(['0%', '25%', '100%'])
    expect([400 / 401, 1 / 400, 0.999_999, 0.000_001].map(formatShare)).toEqual([
      '99.75%',
      '0.25%',
      '99.99%',
      '0.01%',
    ])
  })
})

describe('coalesce', () => {
  it('runs once more for all requests that came meanwhile', async () => {
    let release: () => void = () => undefined
    const act = vi.fn(() => new Promise<void>((resolve) => (release = resolve)))
    const run = coalesce(act)
    const all = [run(), run(), run()]
    expect(act).toHaveBeenCalledTimes(1)
    release()
    await vi.waitFor(() => expect(act).toHaveBeenCalledTimes(2))
    release()
    await Promise.all(all)
    expect(act).toHaveBeenCalledTimes(2)
    void run()
    expect(act).toHaveBeenCalledTimes(3)
  })
})

describe('a text that is still on its way', () => {
  afterEach(() => vi.unstubAllGlobals())

  /** A clipboard that accepts everything or refuses everything. */
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

  it('that never comes reports why it failed', async () => {
    clipboard(false)
    await expect(copyPending(Promise.reject(new Error('no answer')))).rejects.toThrow('no answer')
  })
})
