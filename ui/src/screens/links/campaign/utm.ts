// The parameters by which web statistics distinguish campaigns, and how they are added to a target.

/** The order in which the parameters are written. */
export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const
export type UtmName = (typeof UTM_NAMES)[number]
export type Utm = Record<UtmName, string>

export const NO_UTM: Readonly<Utm> = { source: '', medium: '', campaign: '', term: '', content: '' }

export const isUtmUsed = (utm: Readonly<Utm>): boolean => UTM_NAMES.some((name) => utm[name].trim() !== '')

/** The parts of an http or https address: up to the path, query and fragment, with their delimiters. */
const PARTS = /^(https?:\/\/[^/?#\s]+)([^?#\s]*)(\?[^#\s]*)?(#\S*)?$/i

/** Returns the target with these parameters; undefined if it is not a web address. The path, other parameters and
 *  the fragment stay unchanged. A parameter that the target has already is replaced in its place, and occurs once. */
export function withUtm(target: string, utm: Readonly<Utm>): string | undefined {
  const [, origin, path = '', query = '', fragment = ''] = PARTS.exec(target) ?? []
  if (origin === undefined) return undefined
  if (!isUtmUsed(utm)) return target
  const waiting = new Map<string, string>(
    UTM_NAMES.map((name) => [`utm_${name}`, utm[name].trim()] as const).filter(([, value]) => value !== ''),
  )
  const given = new Set(waiting.keys())
  const takeValue = (name: string): string[] => {
    const value = waiting.get(name)
    waiting.delete(name)
    return value === undefined ? [] : [`${name}=${encodeValue(value)}`]
  }
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .flatMap((pair) => {
      const name = nameOf(pair)
      return given.has(name) ? takeValue(name) : [pair]
    })
  const added = [...given].flatMap(takeValue)
  return `${origin}${path === '' ? '/' : path}?${[...kept, ...added].join('&')}${fragment}`
}

/** Returns the name of a parameter as a server reads it. Web statistics ignore its case. */
function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0] ?? ''
  try {
    return decodeURIComponent(name.replaceAll('+', ' ')).toLowerCase()
  } catch {
    return name
  }
}

/** Encodes like `encodeURIComponent`, which throws on half a surrogate pair. */
function encodeValue(value: string): string {
  return encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}
