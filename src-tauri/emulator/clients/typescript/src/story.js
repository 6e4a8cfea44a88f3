/** What happened in a world, in a few lines. */
import { plain } from './journal.js'

/** @import { JournalLine } from '../gen/types.d.ts' */

/**
 * @param {import('./world.js').World} world
 * @param {number} last
 */
export async function story(world, last) {
  const [lines, faults, strays] = await Promise.all([
    world.journal.lines(last),
    world.faults.all(),
    world.journal.unmatched(),
  ])
  const out = [`world ${world.name} at ${world.url}`]
  out.push(lines.length > 0 ? 'the last requests:' : 'no request came', ...lines.map((line) => one(line)))
  for (const { name, hits, seen } of faults) {
    if (hits > 0) out.push(`fault '${name}' met ${hits} of ${seen} requests that fitted`)
  }
  for (const { method, url, closest } of strays.slice(-last)) {
    const meant = closest ? `; the closest is ${closest.method} ${closest.path}` : ''
    out.push(`nothing answers ${method} ${plain(url)}${meant}`)
  }
  return out.join('\n')
}

/** @param {JournalLine} line */
function one({ seq, direction, method, url, status, rule, meant, why }) {
  const arrow = direction === 'in' ? '->' : '<-'
  const fault = rule ? ` (fault '${rule}'${meant ? `, else ${meant.status}` : ''})` : ''
  const faults = why?.faults.slice(0, 3).map(({ path, message }) => ` ${path}: ${message}`) ?? []
  const words = why ? ` (${why.words}${faults.join('')})` : ''
  return `  ${String(seq).padStart(3)} ${arrow} ${method} ${plain(url)}: ${status ?? 'no answer'}${fault}${words}`
}
