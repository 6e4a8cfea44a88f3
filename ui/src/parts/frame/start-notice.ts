// Says once, after the program started, that it failed the last time, or that a damaged file was kept under another name.
import { call } from '../../api/call'
import type { DamagedFile } from '../../api/generated'
import { m } from '../../gen/words'
import { toast } from '../../kit/over/toasts.svelte'
import { commands } from '../../lib/commands/registry.svelte'

const DESCRIBE_FILE: Record<DamagedFile, (words: { file: string }) => string> = {
  account_list: m.frame_kept_accounts,
  account_log: m.frame_kept_log,
  preferences: m.frame_kept_preferences,
}

/** Returns whether the program runs in safe mode. */
export async function showStartNotice(): Promise<boolean> {
  // Without this notice nothing is lost, because the report stays in its folder.
  const notice = await call('start_notice_get', {}).catch(() => undefined)
  if (notice === undefined) return false
  for (const { what, kept_as: path } of notice.set_aside) {
    const words = { file: path.split(/[\\/]/).at(-1) ?? path }
    // It stays until it is closed, because the file is named nowhere else.
    toast(() => DESCRIBE_FILE[what](words), {
      kind: 'warning',
      ask: {
        get title() {
          return m.frame_kept_seen()
        },
        run: () => undefined,
        close: () => undefined,
      },
    })
  }
  if (notice.crash !== null) {
    toast(m.frame_crash, {
      kind: 'warning',
      ask: {
        get title() {
          return m.frame_crash_show()
        },
        run: () => {
          call('crash_report_reveal', {}).catch((error: unknown) => commands.onfault(error))
        },
        close: () => undefined,
      },
    })
  }
  return notice.is_safe_mode
}
