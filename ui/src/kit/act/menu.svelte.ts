// The open menu: a list of actions at a position on the page. There is at most one.
import { formatChord } from '../../lib/commands/chords'
import { commands } from '../../lib/commands/registry.svelte'

export interface MenuItem {
  title: string
  run: () => void
  /** The key in readable form. */
  key?: string | undefined
  danger?: boolean
  disabled?: boolean
  /** Shown below the title: why the item is disabled, and what to do first. */
  hint?: string
  /** For items that switch something on and off. */
  checked?: boolean
  /** Whether the title is data, such as the name of a list. */
  data?: boolean
}

/** `undefined` draws a separator. */
export type MenuEntry = MenuItem | undefined

export interface MenuPosition {
  x: number
  y: number
  /** The upper edge of the menu's button, above which the menu opens if there is no room below. */
  top?: number
  /** The left and right edges beside the menu's button, where the menu opens if there is no room above either. */
  sides?: { left: number; right: number }
}

class OpenMenu {
  shown = $state.raw<{ entries: readonly MenuEntry[]; findSpot: () => MenuPosition; label: string }>()
  #returnFocusTo: HTMLElement | undefined

  /** Opens at a pointer event, at the focused row for a key press, or below an element. */
  open(entries: readonly MenuEntry[], at: MouseEvent | HTMLElement, label: string): void {
    if (!entries.some((entry) => entry !== undefined)) return
    const active = document.activeElement
    this.#returnFocusTo = active instanceof HTMLElement ? active : undefined
    this.shown = { entries, findSpot: at instanceof HTMLElement ? follow(at) : followEvent(at), label }
  }

  /** Closes the menu and returns the focus, before the chosen action moves it elsewhere. */
  close(): void {
    if (this.shown === undefined) return
    this.shown = undefined
    if (this.#returnFocusTo?.isConnected === true) this.#returnFocusTo.focus({ preventScroll: true })
  }
}

export const menu = new OpenMenu()

/** Removes the separators of groups whose commands cannot run now, so that separators are only between items. */
export function removeEmptyGroups(entries: readonly MenuEntry[]): MenuEntry[] {
  const first = entries.findIndex((entry) => entry !== undefined)
  return entries.filter((entry, at) => entry !== undefined || (at > first && entries[at + 1] !== undefined))
}

/** Returns items for registered commands, without those that cannot run now. */
export function createCommandItems(...ids: readonly (string | undefined)[]): MenuEntry[] {
  return ids.flatMap((id): MenuEntry[] => {
    if (id === undefined) return [undefined]
    const command = commands.get(id)
    if (command === undefined) return []
    const chord = command.keys?.[0]
    return [
      {
        title: command.title,
        run: () => commands.execute(command),
        key: chord === undefined ? undefined : formatChord(chord, commands.platform),
      },
    ]
  })
}

/** Returns a function that finds the position of an event. The context-menu key and Shift+F10 have none, so the focused
 *  element counts. */
function followEvent(event: MouseEvent): () => MenuPosition {
  event.preventDefault()
  const { target, clientX: x, clientY: y } = event
  return x === 0 && y === 0 && target instanceof HTMLElement ? follow(target) : () => ({ x, y })
}

/** Returns a function that finds the position below an element, or its last one if it is gone. */
function follow(element: HTMLElement): () => MenuPosition {
  let last = toPositionBelow(element)
  return () => {
    if (element.isConnected) last = toPositionBelow(element)
    return last
  }
}

function toPositionBelow(element: HTMLElement): MenuPosition {
  const box = element.getBoundingClientRect()
  const rtl = getComputedStyle(element).direction === 'rtl'
  const sides = { left: box.left - 4, right: box.right + 4 }
  return { x: rtl ? box.right : box.left, y: box.bottom + 4, top: box.top - 4, sides }
}
