// Text as people see it: lengths in characters, control characters made visible.

/** Counts code points, as the core does; `length` would count a bird twice. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Shows control characters by their pictures, so that a name never hides what it holds. */
export function visible(text: string): string {
  let shown = ''
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) shown += String.fromCodePoint(0x2400 + code)
    else if (code === 0x7f) shown += '\u2421'
    else shown += character
  }
  return shown
}
