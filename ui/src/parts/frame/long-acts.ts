// Notifies the user through the desktop when a long act has ended while another window is in front.
import { call, onLongCall, transport } from '../../api/call'
import { m } from '../../gen/words'
import { taskTitle } from './tasks.svelte'

export function notifyOfLongActs(): void {
  if (transport.kind !== 'window') return
  onLongCall((name, well) => {
    if (document.hasFocus()) return
    const what = taskTitle(name)
    const body = well ? m.frame_long_done({ what }) : m.frame_long_failed({ what })
    // Without notifications nothing is lost, because a toast and the timeline report the end too.
    call('desktop_notify', { title: m.frame_roost(), body }).catch(() => undefined)
  })
}
