// Tells that an act is done, with a way to take back this act and no other.
import { lastAct } from '../../api/call'
import { toast } from '../../kit/over/toasts.svelte'
import { commands } from '../../lib/commands/registry.svelte'
import { undoing } from '../frame/undo.svelte'

/** Tells of an act that undoing does not take back, such as opting somebody out. */
export function toastKept(text: string): void {
  undoing.acted(lastAct())
  toast(text, { instead: 'act' })
}

/** To be called right after the act: the button is there while the act is the last one, and goes when another follows. */
export function toastDone(text: string, quiet = false): void {
  const act = lastAct()
  undoing.acted(act)
  toast(text, {
    quiet,
    // What was told before may be the opposite.
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
