// Tells by a notification of the desktop that a long act has ended, when the person looks elsewhere.
import { call, onLongCall, transport } from '../../api/call'
import { m } from '../../gen/words'
import { taskTitle } from './tasks.svelte'

export function tellOfLongActs(): void {
  if (transport.kind !== 'window') return
  onLongCall((name, well) => {
    if (document.hasFocus()) return
    const what = taskTitle(name)
    const body = well ? m.frame_long_done({ what }) : m.frame_long_failed({ what })
    // A desktop without notifications loses nothing: the toast and the time line tell it as well.
    call('desktop_notify', { title: m.frame_roost(), body }).catch(() => undefined)
  })
}
