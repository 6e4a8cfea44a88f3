// What a screen tells the frame around it: its title, its crumbs, its selection, its detail panel.
import { onDestroy, type Snippet } from 'svelte'

export interface Crumb {
  title: string
  /** Whether the title is data: a list's name, not a word of the program. */
  data?: boolean
  href?: string
}

export interface PanelContent {
  title: string
  readonly body: Snippet
  readonly onclose: (() => void) | undefined
}

class Frame {
  /** The path below the section, such as the name of the open list. */
  crumbs = $state.raw<readonly Crumb[]>([])
  /** What is selected, in words, for the status bar. */
  selection = $state('')
  #panels = $state.raw<readonly PanelContent[]>([])
  // Not a state: what is torn down reads states as they were before, and would lose what came in its place.
  #all: readonly PanelContent[] = []
  readonly panel = $derived(this.#panels.at(-1))
  panelShown = $state(true)
  sidebarShown = $state(true)
  tasksShown = $state(false)

  addPanel(content: PanelContent): () => void {
    this.#all = [...this.#all, content]
    this.#panels = this.#all
    return () => {
      this.#all = this.#all.filter((other) => other !== content)
      this.#panels = this.#all
    }
  }
}

export const frame = new Frame()

// Who told the crumbs and the selection last. Not states: what is torn down reads states as they were before, and the
// next screen may have told its own before this one is gone.
const teller: { crumbs?: object; selection?: object } = {}

/** Shows where the screen is, below its section, for as long as it lives. */
export function useCrumbs(make: () => readonly Crumb[]): void {
  const me = {}
  $effect.pre(() => {
    frame.crumbs = make()
    teller.crumbs = me
  })
  onDestroy(() => {
    if (teller.crumbs === me) frame.crumbs = []
  })
}

/** Tells the status bar what is selected, in words; empty for nothing. */
export function useSelectionSummary(make: () => string): void {
  const me = {}
  $effect.pre(() => {
    frame.selection = make()
    teller.selection = me
  })
  onDestroy(() => {
    if (teller.selection === me) frame.selection = ''
  })
}
