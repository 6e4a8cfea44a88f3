// Computes which characters of a text a fix keeps and which it replaces, and shows invisible characters as codes.
import { formatCodePoint } from '../../../../lib/text'

export interface DiffPiece {
  text: string
  differs: boolean
}

/** Splits both texts into pieces that differ and pieces that do not. */
export function diffTexts(before: string, after: string): readonly [DiffPiece[], DiffPiece[]] {
  const [a, b] = [[...before], [...after]]
  // If both have the same length, single characters were replaced in place.
  if (a.length === b.length) {
    const same = (at: number): boolean => a[at] === b[at]
    return [runs(a, same), runs(b, same)]
  }
  if (a.length > MOST || b.length > MOST) return [runs(a, () => true), runs(b, () => true)]
  const [keptOfA, keptOfB] = findCommon(a, b)
  return [runs(a, (at) => keptOfA.has(at)), runs(b, (at) => keptOfB.has(at))]
}

/** Longer texts are shown without marks. */
const MOST = 400

/** Returns the positions of the longest common subsequence in both texts. */
function findCommon(a: readonly string[], b: readonly string[]): readonly [Set<number>, Set<number>] {
  const width = b.length + 1
  const longest = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const [ofA, ofB] = [new Set<number>(), new Set<number>()]
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      ofA.add(i)
      ofB.add(j)
      i += 1
      j += 1
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1
    else j += 1
  }
  return [ofA, ofB]
}

function runs(all: readonly string[], isSame: (at: number) => boolean): DiffPiece[] {
  const found: DiffPiece[] = []
  for (const [at, text] of all.entries()) {
    const differs = !isSame(at)
    const last = found.at(-1)
    if (last?.differs === differs) last.text += text
    else found.push({ text, differs })
  }
  return found
}

/** Shows spaces as dots and other invisible characters by number. Used only where the fix is about them. */
export function showInvisible(text: string): string {
  let shown = ''
  for (const character of text) {
    if (character === ' ') shown += '\u00b7'
    else if (/[\p{Z}\p{C}]/u.test(character)) shown += `[${formatCodePoint(character)}]`
    else shown += character
  }
  return shown
}

/** Returns each replaced character with its replacement. */
export function findReplaced(before: string, after: string): readonly (readonly [string, string])[] {
  const [a, b] = [[...before], [...after]]
  if (a.length !== b.length) return []
  const pairs = new Map<string, string>()
  for (const [at, letter] of a.entries()) {
    const other = b[at]
    if (other !== undefined && other !== letter) pairs.set(letter, other)
  }
  return [...pairs]
}
