// Reading key presses: which chord was pressed, and how to write it for people.

export interface Platform {
  mac: boolean
  /** A browser keeps Ctrl+N and Ctrl+1 for itself, so there Alt works as well. */
  browser: boolean
}

export type Chord = `mod+${string}`

/** Whether `event` is `mod+key`: Cmd on a Mac, Ctrl elsewhere, Alt too in a browser. */
export function pressed(event: KeyboardEvent, chord: Chord, platform: Platform): boolean {
  const key = chord.slice('mod+'.length)
  if (event.shiftKey) return false
  const main = platform.mac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
  const mod =
    (main && !event.altKey) || (platform.browser && event.altKey && !event.ctrlKey && !event.metaKey)
  if (!mod) return false
  // By place as well as by letter: Alt changes the letter on a Mac, and digits need Shift on some keyboards.
  return (
    event.key.toLowerCase() === key ||
    event.code === `Digit${key}` ||
    event.code === `Key${key.toUpperCase()}`
  )
}

export function written(chord: Chord, platform: Platform): string {
  const key = chord.slice('mod+'.length).toUpperCase()
  if (platform.browser) return platform.mac ? `⌥${key}` : `Alt+${key}`
  return platform.mac ? `⌘${key}` : `Ctrl+${key}`
}

export function isMac(userAgent: string): boolean {
  return /Mac OS X|Macintosh/.test(userAgent)
}
