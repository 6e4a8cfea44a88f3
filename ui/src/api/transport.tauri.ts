// The window's transport: one Tauri command, one event. The only file that may import @tauri-apps/*.
import { invoke, isTauri } from '@tauri-apps/api/core'
import { listen } from '@tauri-apps/api/event'
import type { Menu, SubmenuOptions } from '@tauri-apps/api/menu'
import { getAllWindows, getCurrentWindow } from '@tauri-apps/api/window'
import { toFailure } from './errors'
import type { ChangeEvent } from './generated'
import type { MenuPart, Transport } from './transport'

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

  setMenu(parts, run) {
    // One after another: each is told by what the one before has drawn.
    drawing = drawing.catch(() => undefined).then(() => draw(parts, run))
    return drawing
  },

  async setTheme(theme) {
    await getCurrentWindow()
      .setTheme(theme ?? null)
      .catch(() => undefined)
  },

  async quit() {
    for (const window of await getAllWindows()) await window.close()
  },
}

let drawing = Promise.resolve()
let bar: Menu | undefined
/** What stands in the bar, part by part. */
let drawn: { title: string; told: string }[] = []

/** Takes away and puts in only the parts that differ: to draw the whole bar anew costs a call an item and a flicker. */
async function draw(parts: readonly MenuPart[], run: (id: string) => void): Promise<void> {
  if (bar === undefined) {
    if (parts.length === 0) return
    // Loaded late: the first screen does not wait for the menu.
    const { Menu } = await import('@tauri-apps/api/menu')
    const first = await Menu.new({ items: parts.map((part) => optionsOf(part, run)) })
    await first.setAsWindowMenu()
    bar = first
    drawn = parts.map(({ title, items }) => ({ title, told: JSON.stringify(items) }))
    return
  }
  for (const [at, part] of parts.entries()) {
    const told = JSON.stringify(part.items)
    while (drawn[at] !== undefined && !parts.slice(at).some(({ title }) => title === drawn[at]?.title))
      await remove(bar, at)
    const same = drawn[at]?.title === part.title
    if (same && drawn[at]?.told === told) continue
    if (same) await remove(bar, at)
    await bar.insert(optionsOf(part, run), at)
    drawn.splice(at, 0, { title: part.title, told })
  }
  while (drawn.length > parts.length) await remove(bar, parts.length)
}

async function remove(from: Menu, at: number): Promise<void> {
  const gone = await from.removeAt(at)
  drawn.splice(at, 1)
  await gone?.close()
}

function optionsOf({ title, items }: MenuPart, run: (id: string) => void): SubmenuOptions {
  return {
    text: title,
    items: items.map((item) =>
      item === undefined
        ? { item: 'Separator' as const }
        : {
            text: item.title,
            enabled: item.isEnabled,
            action: () => run(item.id),
            ...(item.accelerator === undefined ? {} : { accelerator: item.accelerator }),
          },
    ),
  }
}
