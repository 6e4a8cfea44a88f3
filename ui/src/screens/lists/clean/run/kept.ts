// Work on lists that is found again after a look at a record.

/** The core keeps as many. */
const KEPT = 3

/** The work on a list, made when there is none; what was not asked for longest is closed. */
export function keeping<L extends string | null, W extends { run: { close: () => void } }>(
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
