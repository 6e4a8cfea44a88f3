// The pseudo-language: altered English that makes untranslated texts stand out.

const ACCENTED: Readonly<Record<string, string>> = {
  a: 'å', b: 'ƀ', c: 'ç', d: 'ð', e: 'é', f: 'ƒ', g: 'ĝ', h: 'ĥ', i: 'î', j: 'ĵ', k: 'ķ', l: 'ļ', m: 'ɱ',
  n: 'ñ', o: 'ö', p: 'þ', q: 'ǫ', r: 'ŕ', s: 'š', t: 'ţ', u: 'û', v: 'ṽ', w: 'ŵ', x: 'ẋ', y: 'ý', z: 'ž',
  A: 'Å', B: 'Ɓ', C: 'Ç', D: 'Ð', E: 'É', F: 'Ƒ', G: 'Ĝ', H: 'Ĥ', I: 'Î', J: 'Ĵ', K: 'Ķ', L: 'Ļ', M: 'Ḿ',
  N: 'Ñ', O: 'Ö', P: 'Þ', Q: 'Ǫ', R: 'Ŕ', S: 'Š', T: 'Ţ', U: 'Û', V: 'Ṽ', W: 'Ŵ', X: 'Ẋ', Y: 'Ý', Z: 'Ž',
} // prettier-ignore
const LONGER_BY = 0.4

/** Accents the words of a message, leaves its data unchanged, and makes the whole about 40 % longer, in brackets. */
export function pseudo(parts: readonly string[], data: readonly (string | number)[]): string {
  let text = ''
  let letters = 0
  for (const [at, part] of parts.entries()) {
    for (const letter of part) {
      text += ACCENTED[letter] ?? letter
      letters += 1
    }
    if (at < data.length) text += data[at]
  }
  return `⟦${text}${'·'.repeat(Math.ceil(letters * LONGER_BY))}⟧`
}
