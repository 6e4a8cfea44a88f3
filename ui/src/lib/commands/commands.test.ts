// Keys and the registry: which key press runs which command, and when none may run.
import { describe, expect, it, vi } from 'vitest'
import { toAriaKeys, isPlainChord, isTyping, getKeyLabels, isChordPressed, formatChord } from './chords'
import { Registry, type Command } from './registry.svelte'

const window = { mac: false, browser: false }
const browser = { mac: false, browser: true }
const mac = { mac: true, browser: false }
const press = (init: KeyboardEventInit): KeyboardEvent => new KeyboardEvent('keydown', init)

describe('keys', () => {
  it('know the main modifier of the platform', () => {
    expect(isChordPressed(press({ key: 'n', ctrlKey: true }), 'mod+n', window)).toBe(true)
    expect(isChordPressed(press({ key: 'n', metaKey: true }), 'mod+n', window)).toBe(false)
    expect(isChordPressed(press({ key: 'n', metaKey: true }), 'mod+n', mac)).toBe(true)
    expect(isChordPressed(press({ key: 'n' }), 'mod+n', window)).toBe(false)
    expect(isChordPressed(press({ key: 'N', ctrlKey: true, shiftKey: true }), 'mod+n', window)).toBe(false)
    expect(isChordPressed(press({ key: 'Z', ctrlKey: true, shiftKey: true }), 'mod+shift+z', window)).toBe(
      true,
    )
  })

  it('accept Alt only for what a browser keeps for itself', () => {
    const one = press({ key: '1', code: 'Digit1', altKey: true })
    // The DOM of the tests takes every Alt for AltGr.
    vi.spyOn(one, 'getModifierState').mockReturnValue(false)
    expect(isChordPressed(one, 'mod+1', window)).toBe(false)
    expect(isChordPressed(one, 'mod+1', browser)).toBe(true)
    expect(isChordPressed(press({ key: 'k', code: 'KeyK', altKey: true }), 'mod+k', browser)).toBe(false)
  })

  it('never take AltGr for a chord', () => {
    const event = press({ key: '@', code: 'KeyQ', ctrlKey: true, altKey: true })
    vi.spyOn(event, 'getModifierState').mockImplementation((name) => name === 'AltGraph')
    expect(isChordPressed(event, 'mod+q', window)).toBe(false)
  })

  it('go by the place where the keyboard types no Latin letter, and by the letter where it does', () => {
    expect(isChordPressed(press({ key: '&', code: 'Digit1', ctrlKey: true }), 'mod+1', window)).toBe(true)
    expect(isChordPressed(press({ key: 'л', code: 'KeyK', ctrlKey: true }), 'mod+k', window)).toBe(true)
    expect(isChordPressed(press({ key: 'y', code: 'KeyZ', ctrlKey: true }), 'mod+z', window)).toBe(false)
    expect(isChordPressed(press({ key: 'z', code: 'KeyY', ctrlKey: true }), 'mod+z', window)).toBe(true)
    expect(isChordPressed(press({ key: 'ü', code: 'BracketLeft', ctrlKey: true }), 'mod+[', window)).toBe(
      true,
    )
  })

  it('zoom with plus and with equals, with or without Shift', () => {
    for (const init of [{ key: '+' }, { key: '+', shiftKey: true }, { key: '=' }])
      expect(isChordPressed(press({ ...init, ctrlKey: true }), 'mod+plus', window)).toBe(true)
  })

  it('are written as the platform writes them', () => {
    expect(formatChord('mod+n', window)).toBe('Ctrl+N')
    expect(formatChord('mod+shift+p', mac)).toBe('⇧⌘P')
    expect(formatChord('mod+1', browser)).toBe('Alt+1')
    expect(getKeyLabels('shift+f6', window)).toEqual(['Shift', 'F6'])
    expect(toAriaKeys('mod+shift+z', window)).toBe('Control+Shift+Z')
    expect([isPlainChord('r'), isPlainChord('mod+r'), isPlainChord('delete')]).toEqual([true, false, false])
  })
})

describe('registry', () => {
  const command = (id: string, more: Partial<Command> = {}): Command => ({
    id,
    title: id,
    section: 'Test',
    run: vi.fn(),
    ...more,
  })

  it('lets the later group win, and forgets it again', () => {
    const registry = new Registry()
    const ours = command('a', { keys: ['mod+n'] })
    const theirs = command('b', { keys: ['mod+n'] })
    registry.platform = window
    registry.add([ours])
    const remove = registry.add([theirs])
    const event = press({ key: 'n', ctrlKey: true })
    expect(registry.match(event, false)).toBe(theirs)
    remove()
    expect(registry.match(event, false)).toBe(ours)
  })

  it('shows a key only for the command that it runs', () => {
    const registry = new Registry()
    registry.add([command('pull', { keys: ['f5', 'mod+u'] })])
    registry.add([command('refresh', { keys: ['f5'] })])
    expect(registry.available.map(({ id, keys }) => [id, keys])).toEqual([
      ['refresh', ['f5']],
      ['pull', ['mod+u']],
    ])
  })

  it('shows and runs only what can run now', () => {
    const registry = new Registry()
    registry.add([command('a', { when: () => false }), command('b', { unlisted: true }), command('c')])
    expect(registry.available.map(({ id }) => id)).toEqual(['b', 'c'])
    expect(registry.listed.map(({ id }) => id)).toEqual(['c'])
    expect(registry.run('a')).toBe(false)
    expect(registry.run('c')).toBe(true)
  })

  it('leaves the keys of a text field and of a dialog alone', () => {
    const registry = new Registry()
    registry.platform = window
    registry.add([
      command('undo', { keys: ['mod+z'] }),
      command('palette', { keys: ['mod+k'], whileTyping: true }),
      command('zoom', { keys: ['mod+plus'], inDialog: true }),
      command('filter', { keys: ['mod+l', '/'], whileTyping: true }),
    ])
    const input = document.createElement('input')
    document.body.append(input)
    const typed = (key: string): KeyboardEvent => {
      const event = press({ key, ctrlKey: true, bubbles: true })
      input.dispatchEvent(event)
      return event
    }
    expect(isTyping(input)).toBe(true)
    expect(registry.match(typed('z'), false)).toBeUndefined()
    expect(registry.match(typed('k'), false)?.id).toBe('palette')
    expect(registry.match(typed('l'), false)?.id).toBe('filter')
    const slash = press({ key: '/', bubbles: true })
    input.dispatchEvent(slash)
    expect(registry.match(slash, false)).toBeUndefined()
    expect(registry.match(press({ key: '/' }), false)?.id).toBe('filter')
    expect(registry.match(press({ key: 'z', ctrlKey: true }), true)).toBeUndefined()
    expect(registry.match(press({ key: '+', ctrlKey: true }), true)?.id).toBe('zoom')
    input.remove()
  })

  it('has plain letters that can be switched off', () => {
    const registry = new Registry()
    registry.add([command('r', { keys: ['r'] })])
    expect(registry.match(press({ key: 'r' }), false)?.id).toBe('r')
    registry.plainKeys = false
    expect(registry.match(press({ key: 'r' }), false)).toBeUndefined()
  })

  it('reports what a command threw, at once or later', async () => {
    const registry = new Registry()
    const onFault = vi.fn()
    registry.onfault = onFault
    registry.add([command('late', { run: () => Promise.reject(new Error('late')) })])
    registry.run('late')
    await vi.waitFor(() => expect(onFault).toHaveBeenCalledWith(new Error('late')))
  })
})
