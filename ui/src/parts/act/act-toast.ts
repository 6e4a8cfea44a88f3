// Confirms an act in a toast, with a button that undoes exactly this act.
import { lastAct } from '../../api/call'
import { toast } from '../../kit/over/toasts.svelte'
import { commands } from '../../lib/commands/registry.svelte'
import { undoing } from '../frame/undo.svelte'

/** Confirms an act that undo does not reverse, such as opting somebody out. */
export function toastKept(text: string): void {
  undoing.acted(lastAct())
  toast(text, { instead: 'act' })
}

/** Confirms an act; call it right after the act. The undo button is shown while the act is the last one. */
export function toastDone(text: string, quiet = false): void {
  const act = lastAct()
  undoing.acted(act)
  toast(text, {
    quiet,
    // The earlier toast may say the opposite.
    instead: 'act',
    undo: {
      can: () => undoing.stepOf(act) !== undefined,
      run: () => {
        const step = undoing.stepOf(act)
        if (step !== undefined) undoing.undo(step).catch((error: unknown) => commands.onfault(error))
      },
    },
  })
}
