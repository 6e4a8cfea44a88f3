// The window's transport: one Tauri command, one event. The only file that may import @tauri-apps/*.
import { invoke, isTauri } from '@tauri-apps/api/core'
import { listen } from '@tauri-apps/api/event'
import { getCurrentWindow } from '@tauri-apps/api/window'
import { toFailure } from './errors'
import type { ChangeEvent } from './generated'
import type { Transport } from './transport'

export const insideWindow: () => boolean = isTauri

export const tauriTransport: Transport = {
  kind: 'window',

  async call(name, payload, origin) {
    try {
      return await invoke('call', { name, payload, origin })
    } catch (error) {
      throw toFailure(error)
    }
  },

  changes(heard, link) {
    let stopped = false
    let unlisten: (() => void) | undefined
    void listen<ChangeEvent>('changes', (event) => heard(event.payload)).then(
      (stop) => {
        if (stopped) return stop()
        unlisten = stop
        return link('live')
      },
      () => link('broken'),
    )
    return () => {
      stopped = true
      unlisten?.()
    }
  },

  async ready() {
    const window = getCurrentWindow()
    await window.show()
    await window.setFocus()
  },
}
