// Confirms an act in a toast, with a button that undoes exactly this act.
import { lastActNumber } from '../../api/call'
import { toast } from '../../kit/over/toasts.svelte'
import { commands } from '../../lib/commands/registry.svelte'
import { undoHistory } from '../frame/undo.svelte'

/** Confirms an act that undo does not reverse, such as opting somebody out. */
export function toastPermanentAct(text: string): void {
  undoHistory.registerAct(lastActNumber())
  toast(text, { instead: 'act' })
}

/** Confirms an act; call it right after the act. The undo button is shown while the act is the last one. */
export function toastUndoableAct(text: string, quiet = false): void {
  const act = lastActNumber()
  undoHistory.registerAct(act)
  toast(text, {
    quiet,
    // The earlier toast may say the opposite.
    instead: 'act',
    undo: {
      can: () => undoHistory.stepOf(act) !== undefined,
      run: () => {
        const step = undoHistory.stepOf(act)
        if (step !== undefined) undoHistory.undo(step).catch((error: unknown) => commands.onfault(error))
      },
    },
  })
}
