// Moves an item of an array to another position.

export function moveItem<T>(all: readonly T[], from: number, to: number): T[] {
  const others = all.filter((_, at) => at !== from)
  const one = all[from]
  if (one === undefined) return [...all]
  return others.toSpliced(Math.min(Math.max(to, 0), others.length), 0, one)
}
