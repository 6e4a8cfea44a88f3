// Says once, after the program started, that it failed the last time, or that it runs in safe mode.
import { call } from '../../api/call'
import { m } from '../../gen/words'
import { toast } from '../../kit/over/toasts.svelte'
import { commands } from '../../lib/commands/registry.svelte'

export async function showStartNotice(): Promise<void> {
  // Without this notice nothing is lost, because the report stays in its folder.
  const notice = await call('start_notice_get', {}).catch(() => undefined)
  if (notice === undefined) return
  if (notice.is_safe_mode) toast(m.frame_safe_mode(), { kind: 'warning' })
  if (notice.crash === null) return
  toast(m.frame_crash(), {
    kind: 'warning',
    ask: {
      title: m.frame_crash_show(),
      run: () => {
        call('crash_report_reveal', {}).catch((error: unknown) => commands.onfault(error))
      },
      close: () => undefined,
    },
  })
}
