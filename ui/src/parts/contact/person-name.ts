// Splits the whole name of a person as the core does it in imports (`person_name.rs` of spelling).

/** Titles in small letters, with or without a dot. */
export const TITLES: readonly string[] = [
  'mr', 'mrs', 'ms', 'miss', 'mx', 'dr', 'prof', 'sir', 'rev', 'mister', 'doctor', 'professor', 'reverend',
  'madam', 'herr', 'frau', 'hr', 'frl', 'fräulein', 'mme', 'mlle', 'monsieur', 'madame', 'mademoiselle',
  'docteur', 'professeur', 'sr', 'sra', 'srta', 'dra', 'señor', 'señora', 'señorita', 'doña', 'senhor',
  'senhora', 'profa', 'signor', 'signora', 'signorina', 'dott', 'dottor', 'dott.ssa', 'prof.ssa', 'sig.ra',
  'sig.na', 'dhr', 'mevr', 'mw', 'mevrouw', 'meneer', 'drs',
] // prettier-ignore
/** Titles that need their dot, because they are names or parts of names without it. */
export const DOTTED_TITLES: readonly string[] = ['sig.', 'avv.', 'ing.', 'ir.', 'mag.', 'fr.', 'dipl.-ing.']
/** Parts of a title that need another one in front of them: “Dr. med.”. */
export const DEGREES: readonly string[] = [
  'med.', 'rer.', 'nat.', 'phil.', 'jur.', 'iur.', 'h.c.', 'ing.', 'oec.', 'pol.', 'dent.', 'vet.',
] // prettier-ignore
/** Words between two titles: “Mr & Mrs”. */
export const JOINTS: readonly string[] = ['&', 'and', 'und', 'et', 'y', 'e', 'en']
/** Words in front of a last name that belong to it. */
export const PARTICLES: readonly string[] = [
  'van', 'von', 'vom', 'der', 'den', 'de', 'del', 'della', 'delle', 'dei', 'di', 'da', 'das', 'do', 'dos',
  'du', 'des', 'la', 'le', 'las', 'los', 'zu', 'zum', 'zur', 'ter', 'ten', 'te', 'op', 'al', 'el', 'bin',
] // prettier-ignore
/** Words behind a comma that are not a first name. */
export const SUFFIXES: readonly string[] = [
  'Jr', 'JR', 'Sr', 'SR', 'II', 'III', 'IV', 'Esq', 'PhD', 'PHD', 'MD', 'DDS', 'MBA', 'MSc', 'BSc', 'CPA', 'CEO',
] // prettier-ignore
/** The last words of the names of companies. */
export const COMPANY_FORMS: readonly string[] = [
  'ltd', 'limited', 'inc', 'llc', 'llp', 'plc', 'co', 'corp', 'company', 'gmbh', 'ag', 'kg', 'ug', 'sarl',
  'sas', 'spa', 'srl', 'bv', 'nv', 'ohg',
] // prettier-ignore

export interface PersonName {
  readonly title: string
  readonly firstname: string
  readonly lastname: string
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

/** Returns how many of the words are a title in front of a name; a text that is nothing but a title is a name. */
function countTitleWords(words: readonly string[], isBehindTitle = false): number {
  const [word = '', next = '', afterNext] = words
  if (next === '') return 0
  const small = word.toLowerCase()
  const isTitle =
    TITLES.includes(small.replace(/\.$/, '')) ||
    DOTTED_TITLES.includes(small) ||
    (isBehindTitle && DEGREES.includes(small)) ||
    // The French title, not an initial.
    (word === 'M.' && afterNext !== undefined && next.length > 1 && !next.endsWith('.'))
  if (isTitle) return 1 + countTitleWords(words.slice(1), true)
  if (!isBehindTitle || !JOINTS.includes(small)) return 0
  const more = countTitleWords(words.slice(1))
  return more === 0 ? 0 : 1 + more
}

/** Splits a name such as “Lovelace, Ada” at its comma, unless the comma has another meaning. Unless the other names have
 *  a comma as well, the last name must be one word, because two words may be a first and a last name. */
function splitLastFirst(name: string, isUsual: boolean): { last: string; first: string } | undefined {
  const at = name.indexOf(',')
  if (at === -1) return undefined
  const [last, first] = [name.slice(0, at).trim(), name.slice(at + 1).trim()]
  if ([last, first].some((part) => part === '' || /[&+/@0-9]/.test(part))) return undefined
  const [plain, words] = [(word = ''): string => word.replaceAll(/[.,]/g, ''), wordsOf(first)]
  if (SUFFIXES.includes(plain(words[0])) || COMPANY_FORMS.includes(plain(words.at(-1)).toLowerCase()))
    return undefined
  const isOneName = wordsOf(last)
    .slice(0, -1)
    .every((word) => PARTICLES.includes(word.toLowerCase()))
  return isUsual || isOneName ? { last, first } : undefined
}

/** Splits “Dr. Ada Byrne” and “Byrne, Ada”. `hasCommas` says that most of the names have a comma. */
export function splitName(name: string, hasCommas = false): PersonName {
  const words = wordsOf(name)
  const count = countTitleWords(words)
  const [title, rest] = [words.slice(0, count), words.slice(count)]
  const reversed = splitLastFirst(rest.join(' '), hasCommas)
  if (reversed !== undefined) {
    const inner = wordsOf(reversed.first)
    const more = countTitleWords(inner)
    return {
      title: [...title, ...inner.slice(0, more)].join(' '),
      firstname: inner.slice(more).join(' '),
      lastname: reversed.last,
    }
  }
  // A title is followed by the last name: “Ms Byrne”.
  const isLast = count > 0 && rest.length === 1
  return {
    title: title.join(' '),
    firstname: isLast ? '' : (rest[0] ?? ''),
    lastname: rest.slice(isLast ? 0 : 1).join(' '),
  }
}

/** Returns a name without the title in front of it. */
export function withoutTitle(name: string): string {
  const words = wordsOf(name)
  return words.slice(countTitleWords(words)).join(' ')
}

/** Returns whether nearly all names have a comma, so that the last name is in front. */
export function isCommaUsual(names: readonly string[]): boolean {
  const filled = names.filter((name) => name.trim() !== '')
  return filled.length > 0 && filled.filter((name) => name.includes(', ')).length * 5 >= filled.length * 4
}
