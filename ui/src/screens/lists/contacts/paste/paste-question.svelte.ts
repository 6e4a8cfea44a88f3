// Decides whether a paste happens at once or is confirmed first, and holds the one that waits for confirmation.
import { call } from '../../../../api/call'
import type { GridPasted } from '../../../../api/generated'
import type { PasteResult, PasteRequest } from '../workspace/source'

/** More cells than the user can check at a glance. */
const MOST_UNSEEN = 1_000

export interface PendingPaste {
  readonly request: PasteRequest
  readonly known: GridPasted | undefined
  /** Whether the user asked for the options. */
  readonly isSpecial: boolean
  answer(pasted: PasteResult | undefined): void
}

export class PasteQuestion {
  open = $state.raw<PendingPaste>()

  ask = async (request: PasteRequest, special: boolean): Promise<PasteResult | undefined> => {
    const plain = { ...request, mode: 'plain', region: null } as const
    const cells = sizeOf(request)
    const known = special ? undefined : await call('grid_paste_preview', plain)
    if (known !== undefined && cells <= MOST_UNSEEN && isClean(known))
      return { ...(await call('grid_paste', plain)), mode: 'plain' }
    return new Promise((resolve) => {
      this.open = {
        request,
        known,
        isSpecial: special,
        answer: (pasted) => {
          this.open = undefined
          resolve(pasted)
        },
      }
    })
  }
}

function isClean({ drafts, left_out, faults, refused }: GridPasted): boolean {
  return drafts + left_out + faults.length + refused.length === 0
}

function sizeOf({ rows, into, columns }: PasteRequest): number {
  const cells = rows.reduce((sum, row) => sum + row.length, 0)
  const chosen = (into ?? []).reduce((sum, [from, to]) => sum + (to - from), 0)
  return Math.max(cells, chosen * columns.length)
}
