// The layout of a sheet of codes on paper.

export const PAPERS = ['a4', 'letter'] as const
export const COLUMNS = [2, 3, 4] as const
export type SheetLayout = { paper: (typeof PAPERS)[number]; columns: (typeof COLUMNS)[number] }

/** More codes than anybody would cut out; each costs the page a thousand lines of SVG. */
export const MOST_CODES = 1_000

/** Returns a stored layout, or the default for what is invalid. */
export function readLayout(kept: Readonly<Record<string, unknown>>, usual: SheetLayout): SheetLayout {
  return {
    paper: PAPERS.find((paper) => paper === kept['paper']) ?? usual.paper,
    columns: COLUMNS.find((columns) => columns === kept['columns']) ?? usual.columns,
  }
}

/** Returns the default paper: Letter in the regions that use it, A4 elsewhere. */
export function choosePaper(languages: readonly string[]): SheetLayout['paper'] {
  const region = languages.map((tag) => /-([A-Z]{2})\b/.exec(tag)?.[1]).find((found) => found !== undefined)
  return region !== undefined && /^(?:US|CA|MX|PH|CL|CO|VE|GT|CR)$/.test(region) ? 'letter' : 'a4'
}

/** Splits items into rows; the last row may be shorter. */
export function splitIntoRows<T>(items: readonly T[], columns: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / columns) }, (_, row) =>
    items.slice(row * columns, (row + 1) * columns),
  )
}
