// An act of this screen that was taken back: what it had settled is open again.
import { untrack } from 'svelte'
import { undoing } from '../../../../parts/frame/undo.svelte'

/** Tells of the undoing of an act whose name begins so, with what it was done to. */
export function useTakenBack(prefix: string, told: (uid: string | undefined) => unknown): void {
  let last = untrack(() => undoing.next.redo?.id)
  $effect(() => {
    const redo = undoing.next.redo
    if (redo?.id === last) return
    last = redo?.id
    if (redo?.act.startsWith(prefix) === true) untrack(() => told(redo.uid ?? undefined))
  })
}
