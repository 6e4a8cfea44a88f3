// The texts for duplicates: by which key contacts are equal, with which confidence, and which one stays.
import type { DuplicateKey, SurvivorRule } from '../../../../api/generated'
import { m } from '../../../../gen/words'
import { formatShare } from '../../../../lib/format'

interface KeyWords {
  title: () => string
  hint: () => string
  /** Describes contacts that are equal by this key. */
  same: () => string
  /** Whether the compared form is readable. */
  isReadable: boolean
}

export const KEYS: Readonly<Record<DuplicateKey, KeyWords>> = {
  phone: { title: m.clean_key_phone, hint: m.clean_key_phone_hint, same: m.clean_same_phone, isReadable: true },
  whatsapp: { title: m.clean_key_whatsapp, hint: m.clean_key_whatsapp_hint, same: m.clean_same_whatsapp, isReadable: true },
  number: { title: m.clean_key_number, hint: m.clean_key_number_hint, same: m.clean_same_number, isReadable: true },
  email: { title: m.clean_key_email, hint: m.clean_key_email_hint, same: m.clean_same_email, isReadable: true },
  name_address: { title: m.clean_key_name_address, hint: m.clean_key_name_address_hint, same: m.clean_same_name_address, isReadable: true },
  ngram: { title: m.clean_key_ngram, hint: m.clean_key_ngram_hint, same: m.clean_same_ngram, isReadable: false },
  phonetic: { title: m.clean_key_phonetic, hint: m.clean_key_phonetic_hint, same: m.clean_same_phonetic, isReadable: false },
  near: { title: m.clean_key_near, hint: m.clean_key_near_hint, same: m.clean_same_near, isReadable: false },
  name: { title: m.clean_key_name, hint: m.clean_key_name_hint, same: m.clean_same_name, isReadable: true },
} // prettier-ignore

/** Ordered by reliability. */
export const EVERY_KEY = Object.keys(KEYS) as readonly DuplicateKey[]
/** The keys that can be searched in the whole account. */
export const EXACT_KEYS: readonly DuplicateKey[] = ['phone', 'whatsapp', 'number', 'email']

export const RULES: Readonly<Record<SurvivorRule, () => string>> = {
  most_complete: m.clean_rule_most_complete,
  newest: m.clean_rule_newest,
  oldest: m.clean_rule_oldest,
  opted_out: m.clean_rule_opted_out,
}

export const listRuleOptions = (): { value: SurvivorRule; title: string }[] =>
  (Object.keys(RULES) as SurvivorRule[]).map((value) => ({ value, title: RULES[value]() }))

/** Groups with less confidence than this are guesses. */
export const GUESS = 80

/** The levels of confidence, with their texts; the user can filter by them. */
const SURE: readonly (readonly [least: number, word: () => string, look: 'good' | 'plain' | 'warm'])[] = [
  [95, m.clean_sure_certain, 'good'],
  [85, m.clean_sure_very, 'good'],
  [70, m.clean_sure_likely, 'plain'],
  [50, m.clean_sure_perhaps, 'warm'],
  [0, m.clean_sure_hardly, 'warm'],
]

/** A text such as “very likely, 92%”. */
interface Confidence {
  text: string
  share: string
  look: 'good' | 'plain' | 'warm'
}

export function describeConfidence(confidence: number): Confidence {
  const [, word, look] = SURE.find(([least]) => confidence >= least) ?? [
    0,
    m.clean_sure_hardly,
    'warm' as const,
  ]
  const share = formatShare(confidence / 100)
  return { text: m.clean_sure({ word: word(), share }), share, look }
}

export const listConfidenceOptions = (): { value: string; title: string }[] => [
  { value: '0', title: m.clean_least_any() },
  ...[...SURE.map(([least]) => least), GUESS]
    .filter((least) => least > 0)
    .toSorted((a, b) => a - b)
    .map((least) => ({ value: String(least), title: m.clean_least({ share: formatShare(least / 100) }) })),
]
