// Parses the number of a row as people write numbers.

/** Returns a number from 1 to `most`, ignoring thousands separators; undefined for anything else. */
export function parseRowNumber(text: string, most: number): number | undefined {
  const digits = text.trim().replaceAll(/[\s.,'\u2019\u00a0\u202f_]/g, '')
  if (!/^\d+$/.test(digits)) return undefined
  const row = Number(digits)
  return row >= 1 && row <= most ? row : undefined
}
