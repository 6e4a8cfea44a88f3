// The pure helpers.
import { describe, expect, it, vi } from 'vitest'
import { coalesce } from './coalesce'
import { formatMoment } from './format'
import { isMac, pressed, written } from './keys'
import { characters, visible } from './text'

describe('text', () => {
  it('counts characters as the core does', () => {
    expect(characters('')).toBe(0)
    expect(characters('é'.repeat(120))).toBe(120)
    expect(characters('🐦'.repeat(120))).toBe(120)
  })

  it('shows control characters and leaves the rest alone', () => {
    expect(visible('a\0b\nc\u007f')).toBe('a␀b␊c␡')
    expect(visible('a\u202eb\u0085')).toBe('a[U+202E]b[U+0085]')
    expect(visible('قائمة 🐦')).toBe('قائمة 🐦')
  })
})

describe('times', () => {
  it('reads nine decimals', () => {
    expect(formatMoment('2026-01-05T09:00:00.123456789Z')).toBe(formatMoment('2026-01-05T09:00:00.123Z'))
  })

  it('shows what it cannot read as it is', () => expect(formatMoment('soon')).toBe('soon'))
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

describe('keys', () => {
  const press = (init: KeyboardEventInit): KeyboardEvent => new KeyboardEvent('keydown', init)
  const window = { mac: false, browser: false }

  it('know the main modifier of the platform', () => {
    expect(pressed(press({ key: 'n', ctrlKey: true }), 'mod+n', window)).toBe(true)
    expect(pressed(press({ key: 'n', metaKey: true }), 'mod+n', window)).toBe(false)
    expect(pressed(press({ key: 'n', metaKey: true }), 'mod+n', { mac: true, browser: false })).toBe(true)
    expect(pressed(press({ key: 'n' }), 'mod+n', window)).toBe(false)
    expect(pressed(press({ key: 'N', ctrlKey: true, shiftKey: true }), 'mod+n', window)).toBe(false)
  })

  it('accept Alt only where the browser keeps Ctrl for itself', () => {
    const event = press({ key: '1', code: 'Digit1', altKey: true })
    expect(pressed(event, 'mod+1', window)).toBe(false)
    expect(pressed(event, 'mod+1', { mac: false, browser: true })).toBe(true)
  })

  it('go by the place of a digit where digits need Shift or Alt', () => {
    expect(pressed(press({ key: '&', code: 'Digit1', ctrlKey: true }), 'mod+1', window)).toBe(true)
  })

  it('are written as the platform writes them', () => {
    expect(written('mod+n', window)).toBe('Ctrl+N')
    expect(written('mod+n', { mac: true, browser: false })).toBe('⌘N')
    expect(written('mod+1', { mac: false, browser: true })).toBe('Alt+1')
    expect(isMac('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)')).toBe(true)
  })
})
