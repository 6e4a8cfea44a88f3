// Keeps the runs on lists open, so that they are still there after the user has viewed a record.

/** The core keeps the same number open. */
const KEPT = 3

/** Returns a function that gives the run on a list and starts it if there is none. It closes the least recently used
 *  one. */
export function cacheWork<L extends string | null, W extends { run: { close: () => void } }>(
  make: (list: L) => W,
): (list: L) => W {
  const kept = new Map<L, W>()
  return (list) => {
    const work = kept.get(list) ?? make(list)
    kept.delete(list)
    kept.set(list, work)
    for (const [other, old] of [...kept].slice(0, -KEPT)) {
      kept.delete(other)
      old.run.close()
    }
    return work
  }
}
