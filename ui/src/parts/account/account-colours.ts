// The colours of accounts: their order, their names, and their values in light and dark.
import { m } from '../../gen/words'

export const ACCOUNT_COLOURS = ['teal', 'blue', 'violet', 'pink', 'red', 'orange', 'yellow', 'green'] as const
export type AccountColour = (typeof ACCOUNT_COLOURS)[number]

/** Dark enough for white letters, and light enough to be distinguished on both backgrounds. */
const HUES: Readonly<Record<AccountColour, string>> = {
  teal: '#0f766e',
  blue: '#2563c9',
  violet: '#7143c4',
  pink: '#b8327f',
  red: '#bd2d2d',
  orange: '#b3510f',
  yellow: '#8a6a00',
  green: '#3c7a1e',
}

export function getHue(colour: string): string {
  return HUES[colour as AccountColour] ?? HUES.teal
}

export function colourName(colour: AccountColour): string {
  const names: Readonly<Record<AccountColour, () => string>> = {
    teal: m.accounts_colour_teal,
    blue: m.accounts_colour_blue,
    violet: m.accounts_colour_violet,
    pink: m.accounts_colour_pink,
    red: m.accounts_colour_red,
    orange: m.accounts_colour_orange,
    yellow: m.accounts_colour_yellow,
    green: m.accounts_colour_green,
  }
  return names[colour]()
}

/** Returns the first letter or digit of a name, for its mark. */
export function getInitial(name: string): string {
  const found = /[\p{L}\p{N}]\p{M}*/u.exec(name)?.[0]
  return found === undefined ? '·' : found.toLocaleUpperCase()
}
