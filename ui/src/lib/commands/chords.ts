// Recognises chords in key presses and writes them for people.

export interface Platform {
  mac: boolean
  /** Whether a browser shows the page. Browsers reserve some chords with Ctrl, so Alt replaces Ctrl there. */
  browser: boolean
}

/** Parts joined by `+`, the key last: `mod+shift+p`, `f6`, `delete`, `mod+[`, `r`. `mod` is Cmd on a Mac and Ctrl
 *  elsewhere; `plus` and `minus` are the characters. */
export type Chord = string

interface ChordParts {
  mod: boolean
  ctrl: boolean
  shift: boolean
  alt: boolean
  key: string
}

/** Chords that a browser never passes on to a page. */
const KEPT_BY_BROWSERS = /^mod\+(?:shift\+)?(?:[1-9]|n|t|w)$/
const NAMED: Readonly<Record<string, string>> = {
  plus: '+',
  minus: '-',
  space: ' ',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
}
const PLACES: Readonly<Record<string, string>> = {
  '[': 'BracketLeft',
  ']': 'BracketRight',
  '\\': 'Backslash',
  ',': 'Comma',
  '.': 'Period',
  '+': 'Equal',
  '-': 'Minus',
}
const WRITTEN: Readonly<Record<string, string>> = {
  escape: 'Esc',
  delete: 'Del',
  backspace: '⌫',
  enter: '↵',
  plus: '+',
  minus: '−',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  tab: 'Tab',
  space: '␣',
}

export function parseChord(chord: Chord): ChordParts {
  const names = chord.split('+')
  const key = names.pop() ?? ''
  const has = (name: string): boolean => names.includes(name)
  return { mod: has('mod'), ctrl: has('ctrl'), shift: has('shift'), alt: has('alt'), key }
}

/** Returns whether a chord is one character without Ctrl, Cmd or Alt. The user can switch such keys off. */
export function isPlainChord(chord: Chord): boolean {
  const { mod, ctrl, alt, key } = parseChord(chord)
  return !mod && !ctrl && !alt && key.length === 1
}

export function isChordPressed(event: KeyboardEvent, chord: Chord, platform: Platform): boolean {
  // AltGr types characters on many keyboards, so it is never part of a chord.
  if (event.getModifierState('AltGraph')) return false
  const parts = parseChord(chord)
  const key = NAMED[parts.key] ?? parts.key
  return (
    modifiersFit(event, chord, parts, platform) && matchesShift(event, parts, key) && matchesKey(event, key)
  )
}

function modifiersFit(event: KeyboardEvent, chord: Chord, parts: ChordParts, platform: Platform): boolean {
  const main = platform.mac ? event.metaKey : event.ctrlKey
  const other = platform.mac ? event.ctrlKey : event.metaKey
  if (platform.browser && KEPT_BY_BROWSERS.test(chord) && event.altKey && !event.ctrlKey && !event.metaKey)
    return true
  if (platform.mac && parts.ctrl) return event.ctrlKey && !event.metaKey && event.altKey === parts.alt
  return main === (parts.mod || parts.ctrl) && !other && event.altKey === parts.alt
}

/** Returns whether Shift matches. Some keyboards need Shift to type a symbol and others do not, so for symbols an
 *  extra Shift is ignored. */
function matchesShift(event: KeyboardEvent, parts: ChordParts, key: string): boolean {
  const sign = key.length === 1 && !/[\p{L}\p{N} ]/u.test(key)
  return sign && !parts.shift ? true : event.shiftKey === parts.shift
}

function matchesKey(event: KeyboardEvent, key: string): boolean {
  const typed = event.key.toLowerCase()
  if (typed === key) return true
  if (/^\d$/.test(key)) return event.code === `Digit${key}` || event.code === `Numpad${key}`
  // If the key types no Latin letter (another script, Alt on a Mac), its position on the keyboard counts.
  const foreign = typed.length === 1 && !/[\u0020-\u007e]/.test(typed)
  if (/^[a-z]$/.test(key)) return foreign && event.code === `Key${key.toUpperCase()}`
  if (key === '+') return typed === '=' || event.code === 'NumpadAdd'
  if (key === '-') return typed === '_' || event.code === 'NumpadSubtract'
  return foreign && event.code === PLACES[key]
}

/** Returns the chord as the keys are labelled, such as `Ctrl+Shift+P` or `⇧⌘P`. */
export function formatChord(chord: Chord, platform: Platform): string {
  return getKeyLabels(chord, platform).join(platform.mac ? '' : '+')
}

/** Returns the label of each key. */
export function getKeyLabels(chord: Chord, platform: Platform): string[] {
  const { mod, ctrl, shift, alt, key } = parseChord(chord)
  const instead = platform.browser && KEPT_BY_BROWSERS.test(chord)
  const label = WRITTEN[key] ?? (key.length === 1 || /^f\d+$/.test(key) ? key.toUpperCase() : key)
  const marks = platform.mac
    ? [ctrl && '⌃', (alt || instead) && '⌥', shift && '⇧', mod && !instead && '⌘']
    : [(ctrl || (mod && !instead)) && 'Ctrl', (alt || instead) && 'Alt', shift && 'Shift']
  return [...marks.filter((mark): mark is string => typeof mark === 'string'), label]
}

/** Returns the chord in the form of `aria-keyshortcuts`. */
export function toAriaKeys(chord: Chord, platform: Platform): string {
  const { mod, ctrl, shift, alt, key } = parseChord(chord)
  const instead = platform.browser && KEPT_BY_BROWSERS.test(chord)
  const name = NAMED[key] ?? key
  const marks = [
    (ctrl || (mod && !instead && !platform.mac)) && 'Control',
    mod && !instead && platform.mac && 'Meta',
    (alt || instead) && 'Alt',
    shift && 'Shift',
    name === ' ' ? 'Space' : name.length === 1 ? name.toUpperCase() : name[0]?.toUpperCase() + name.slice(1),
  ]
  return marks.filter(Boolean).join('+')
}

export function isMac(userAgent: string): boolean {
  return /Mac OS X|Macintosh/.test(userAgent)
}

/** Returns whether keys type text into the target: a text field, but not a checkbox or a button. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true
  if (target instanceof HTMLSelectElement) return true
  if (!(target instanceof HTMLInputElement)) return false
  return !['button', 'checkbox', 'color', 'file', 'radio', 'range', 'reset', 'submit'].includes(target.type)
}

/** Returns what a key does to the text of the field that has the focus: undo or redo what was typed there. */
export function findTextStep(event: KeyboardEvent, platform: Platform): 'undo' | 'redo' | undefined {
  if (!isTyping(event.target)) return undefined
  if (isChordPressed(event, 'mod+z', platform)) return 'undo'
  return isChordPressed(event, 'mod+shift+z', platform) ? 'redo' : undefined
}
