// The pinned lists, for the sidebar.
import { call } from '../../api/call'
import type { ListCard } from '../../api/generated'
import { coalesce } from '../../lib/coalesce'

class Pins {
  lists = $state.raw<readonly ListCard[]>([])

  readonly load = coalesce(async () => {
    try {
      this.lists = await call('list_pins', {})
    } catch {
      // The connection is broken or no account is open; both are shown elsewhere.
    }
  })
}

export const pins = new Pins()
