// Reacts to the undo of an act of this screen, whose group or suggestion is open again.
import { untrack } from 'svelte'
import { undoHistory } from '../../../../parts/frame/undo.svelte'

/** Calls a function after an act whose name starts with `prefix` was undone, with the UID of its record. */
export function useUndoneAct(prefix: string, onundone: (uid: string | undefined) => unknown): void {
  let last = untrack(() => undoHistory.next.redo?.id)
  $effect(() => {
    const redo = undoHistory.next.redo
    if (redo?.id === last) return
    last = redo?.id
    if (redo?.act.startsWith(prefix) === true) untrack(() => onundone(redo.uid ?? undefined))
  })
}
