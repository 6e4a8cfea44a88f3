// The one open menu: a list of acts at a place on the page.
import { written } from '../../lib/commands/chords'
import { commands } from '../../lib/commands/registry.svelte'

export interface MenuItem {
  title: string
  run: () => void
  /** The key as people read it. */
  key?: string | undefined
  danger?: boolean
  disabled?: boolean
  /** Below the title: why it is disabled, and what to do first. */
  hint?: string
  /** For items that switch something on and off. */
  checked?: boolean
  /** Whether the title is data, such as the name of a list. */
  data?: boolean
}

/** `undefined` draws a line. */
export type MenuEntry = MenuItem | undefined

export interface Spot {
  x: number
  y: number
  /** The lower edge of what it belongs to, so that it opens above where there is no room below. */
  top?: number
}

class OpenMenu {
  shown = $state.raw<{ entries: readonly MenuEntry[]; spot: Spot; label: string }>()
  #from: HTMLElement | undefined

  /** Opens at a pointer event, at the focused row for a key press, or below an element. */
  open(entries: readonly MenuEntry[], at: MouseEvent | HTMLElement, label: string): void {
    if (!entries.some((entry) => entry !== undefined)) return
    const active = document.activeElement
    this.#from = active instanceof HTMLElement ? active : undefined
    this.shown = { entries, spot: at instanceof HTMLElement ? below(at) : atEvent(at), label }
  }

  /** Closes; focus goes back to where it was, before the chosen act moves it elsewhere. */
  close(): void {
    if (this.shown === undefined) return
    this.shown = undefined
    if (this.#from?.isConnected === true) this.#from.focus({ preventScroll: true })
  }
}

export const menu = new OpenMenu()

/** A line only between entries: a group whose acts cannot run now leaves none. */
export function withoutEmptyGroups(entries: readonly MenuEntry[]): MenuEntry[] {
  const kept = entries.filter((entry, at) => entry !== undefined || entries[at + 1] !== undefined)
  while (kept[0] === undefined && kept.length > 0) kept.shift()
  while (kept.at(-1) === undefined && kept.length > 0) kept.pop()
  return kept
}

/** Items for registered commands; those that cannot run now are left out. */
export function commandItems(...ids: readonly (string | undefined)[]): MenuEntry[] {
  return ids.flatMap((id): MenuEntry[] => {
    if (id === undefined) return [undefined]
    const command = commands.get(id)
    if (command === undefined) return []
    const chord = command.keys?.[0]
    return [
      {
        title: command.title,
        run: () => commands.execute(command),
        key: chord === undefined ? undefined : written(chord, commands.platform),
      },
    ]
  })
}

/** The context-menu key and Shift+F10 come without a place of their own. */
function atEvent(event: MouseEvent): Spot {
  event.preventDefault()
  const target = event.target
  if (event.clientX === 0 && event.clientY === 0 && target instanceof HTMLElement) return below(target)
  return { x: event.clientX, y: event.clientY }
}

function below(element: HTMLElement): Spot {
  const box = element.getBoundingClientRect()
  const rtl = getComputedStyle(element).direction === 'rtl'
  return { x: rtl ? box.right : box.left, y: box.bottom + 4, top: box.top - 4 }
}
