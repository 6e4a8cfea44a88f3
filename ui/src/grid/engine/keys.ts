// Maps each key press to an act of the grid (section 4.3 of the design). All others go to the screen's commands.

export type Direction = 'up' | 'down' | 'start' | 'end'

export type KeyAct =
  | { act: 'step'; to: Direction; extends: boolean }
  | { act: 'edge'; to: Direction; extends: boolean }
  | { act: 'page'; to: Direction; extends: boolean }
  /** To the start or end of the row, or of the whole grid. */
  | { act: 'bound'; to: 'start' | 'end'; whole: boolean; extends: boolean }
  | { act: 'next'; along: 'row' | 'column'; back: boolean }
  | { act: 'column-move'; by: 1 | -1 }
  | { act: 'sort'; order: 'ascending' | 'descending' }
  | { act: PlainAct }

export type PlainAct =
  | 'select-all'
  | 'select-rows'
  | 'select-columns'
  | 'edit'
  | 'type'
  | 'clear'
  | 'cancel'
  | 'fill-down'
  | 'fill-right'
  | 'copy-headings'
  | 'paste-special'
  | 'delete-rows'
  | 'add-row'
  | 'revert'
  | 'column-menu'
  | 'filter-to-value'
  | 'open'
  | 'menu'

export interface KeyPress {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
  readonly altKey: boolean
  readonly isComposing?: boolean
  readonly keyCode?: number
  getModifierState?(name: string): boolean
}

export interface KeyboardLayout {
  readonly mac: boolean
  /** Left and right follow the visual direction. */
  readonly rtl: boolean
  /** Browsers reserve Ctrl+N, so Alt replaces Ctrl there. */
  readonly browser: boolean
}

const ARROWS: Readonly<Record<string, 'up' | 'down' | 'left' | 'right'>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
}

export function keyToAct(press: KeyPress, keyboard: KeyboardLayout): KeyAct | undefined {
  // AltGr types characters, so it never begins a command.
  if (press.getModifierState?.('AltGraph') === true) return recogniseTyping(press)
  const mod = keyboard.mac ? press.metaKey : press.ctrlKey
  const other = keyboard.mac ? press.ctrlKey : press.metaKey
  const arrow = ARROWS[press.key]
  if (arrow !== undefined) return other ? undefined : arrowAct(arrow, press, mod, keyboard)
  if (press.key === ' ' && press.ctrlKey && !press.metaKey && !press.altKey)
    return press.shiftKey ? { act: 'select-all' } : { act: 'select-columns' }
  if (other) return undefined
  if (mod) return press.altKey ? undefined : modAct(press)
  if (keyboard.browser && press.altKey && !press.shiftKey && press.code === 'KeyN') return { act: 'add-row' }
  return plainAct(press) ?? recogniseTyping(press)
}

function arrowAct(
  arrow: 'up' | 'down' | 'left' | 'right',
  press: KeyPress,
  mod: boolean,
  { rtl }: KeyboardLayout,
): KeyAct | undefined {
  const to: Direction =
    arrow === 'up' || arrow === 'down' ? arrow : (arrow === 'left') === rtl ? 'end' : 'start'
  const { shiftKey, altKey } = press
  if (altKey && mod) return undefined
  if (altKey && shiftKey) {
    if (to === 'up') return { act: 'sort', order: 'ascending' }
    if (to === 'down') return { act: 'sort', order: 'descending' }
    return { act: 'column-move', by: to === 'end' ? 1 : -1 }
  }
  if (altKey) return to === 'down' ? { act: 'column-menu' } : undefined
  return { act: mod ? 'edge' : 'step', to, extends: shiftKey }
}

function modAct(press: KeyPress): KeyAct | undefined {
  const { shiftKey } = press
  const letter = /^[a-z]$/i.test(press.key)
    ? press.key.toLowerCase()
    : press.code.replace(/^Key/, '').toLowerCase()
  switch (press.key) {
    case 'Home':
      return { act: 'bound', to: 'start', whole: true, extends: shiftKey }
    case 'End':
      return { act: 'bound', to: 'end', whole: true, extends: shiftKey }
    case 'Backspace':
      return { act: shiftKey ? 'revert' : 'delete-rows' }
    case 'Enter':
      return shiftKey ? { act: 'filter-to-value' } : undefined
  }
  if (shiftKey) {
    if (letter === 'c') return { act: 'copy-headings' }
    return letter === 'v' ? { act: 'paste-special' } : undefined
  }
  // Copy, cut and paste arrive as clipboard events.
  if (letter === 'a') return { act: 'select-all' }
  if (letter === 'd') return { act: 'fill-down' }
  if (letter === 'r') return { act: 'fill-right' }
  return letter === 'n' ? { act: 'add-row' } : undefined
}

function plainAct({ key, shiftKey, altKey }: KeyPress): KeyAct | undefined {
  if (key === 'PageUp' || key === 'PageDown') {
    const back = key === 'PageUp'
    const to = altKey ? (back ? 'start' : 'end') : back ? 'up' : 'down'
    return { act: 'page', to, extends: shiftKey }
  }
  if (altKey) return undefined
  switch (key) {
    case 'Home':
      return { act: 'bound', to: 'start', whole: false, extends: shiftKey }
    case 'End':
      return { act: 'bound', to: 'end', whole: false, extends: shiftKey }
    case 'Tab':
      return { act: 'next', along: 'row', back: shiftKey }
    case 'Enter':
      return { act: 'next', along: 'column', back: shiftKey }
    case 'F10':
      return shiftKey ? { act: 'menu' } : undefined
    case ' ':
      return shiftKey ? { act: 'select-rows' } : { act: 'type' }
  }
  if (shiftKey) return undefined
  switch (key) {
    case 'ContextMenu':
      return { act: 'menu' }
    case 'F2':
      return { act: 'edit' }
    case 'F4':
      return { act: 'open' }
    case 'Delete':
    case 'Backspace':
      return { act: 'clear' }
    case 'Escape':
      return { act: 'cancel' }
  }
  return undefined
}

/** Recognises a character, a dead key or the first press of an input method. */
function recogniseTyping({ key, keyCode, altKey, ctrlKey }: KeyPress): KeyAct | undefined {
  const isText = [...key].length === 1 && (!altKey || ctrlKey || key > '\u007f')
  return isText || key === 'Dead' || key === 'Process' || keyCode === 229 ? { act: 'type' } : undefined
}
