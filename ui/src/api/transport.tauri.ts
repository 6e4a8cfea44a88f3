// The window's transport. The only file that may import @tauri-apps/*.
import { invoke, isTauri } from '@tauri-apps/api/core'
import { listen } from '@tauri-apps/api/event'
import { getCurrentWebviewWindow } from '@tauri-apps/api/webviewWindow'
import { getAllWindows, getCurrentWindow } from '@tauri-apps/api/window'
import { toFailure } from './errors'
import type { ChangeEvent } from './generated'
import type { Transport } from './transport'

export const isInsideWindow: () => boolean = isTauri

export const tauriTransport: Transport = {
  kind: 'window',

  async call(name, payload, origin) {
    try {
      return await invoke('call', { name, payload, origin })
    } catch (error) {
      throw toFailure(error)
    }
  },

  async callBytes(name, payload, origin, signal) {
    signal?.throwIfAborted()
    try {
      const bytes = await invoke<ArrayBuffer>('call', { name, payload, origin })
      signal?.throwIfAborted()
      return bytes
    } catch (error) {
      if (signal?.aborted === true) throw error
      throw toFailure(error)
    }
  },

  changes(onchange, link) {
    let stopped = false
    let unlisten: (() => void) | undefined
    void listen<ChangeEvent>('changes', (event) => onchange(event.payload)).then(
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

  drawMenu(parts) {
    return invoke('draw_menu', { parts })
  },

  whenChosen(run) {
    void getCurrentWebviewWindow().listen<string>('menu', (event) => run(event.payload))
  },

  async setTheme(theme) {
    await getCurrentWindow()
      .setTheme(theme ?? null)
      .catch(() => undefined)
  },

  beforeClose(ask) {
    let stopped = false
    let unlisten: (() => void) | undefined
    void getCurrentWindow()
      .onCloseRequested(async (event) => {
        if (!stopped && !(await ask())) event.preventDefault()
      })
      .then((stop) => {
        if (stopped) return stop()
        return void (unlisten = stop)
      })
    return () => {
      stopped = true
      unlisten?.()
    }
  },

  async quit() {
    for (const window of await getAllWindows()) await window.close()
  },
}
