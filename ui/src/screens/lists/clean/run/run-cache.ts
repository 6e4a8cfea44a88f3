// Keeps the runs on lists open, so that they are still there after the user has viewed a record.

/** The core keeps the same number open. */
const MOST_OPEN = 3

/** Returns a function that gives the run on a list and starts it if there is none. It closes the least recently used
 *  one. */
export function createRunCache<L extends string | null, W extends { run: { close: () => void } }>(
  make: (list: L) => W,
): (list: L) => W {
  const cache = new Map<L, W>()
  return (list) => {
    const work = cache.get(list) ?? make(list)
    cache.delete(list)
    cache.set(list, work)
    for (const [other, old] of [...cache].slice(0, -MOST_OPEN)) {
      cache.delete(other)
      old.run.close()
    }
    return work
  }
}
