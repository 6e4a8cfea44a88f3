// Says once, after the program started, that it failed the last time, or that it renamed a damaged file of its own.
import { call } from '../../api/call'
import { m } from '../../gen/words'
import { toast } from '../../kit/over/toasts.svelte'
import { commands } from '../../lib/commands/registry.svelte'

/** Returns whether the program runs in safe mode. */
export async function showStartNotice(): Promise<boolean> {
  // Without this notice nothing is lost, because the report stays in its folder.
  const notice = await call('start_notice_get', {}).catch(() => undefined)
  if (notice === undefined) return false
  for (const { what, kept_as: path } of notice.set_aside) {
    const words = { file: path.split(/[\\/]/).at(-1) ?? path }
    // It stays until it is closed, because the file is named nowhere else.
    toast(what === 'account_list' ? m.frame_kept_accounts(words) : m.frame_kept_preferences(words), {
      kind: 'warning',
      ask: { title: m.frame_kept_seen(), run: () => undefined, close: () => undefined },
    })
  }
  if (notice.crash !== null) {
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
  return notice.is_safe_mode
}
