// What a screen passes to the frame around it: its breadcrumbs, its selection and its side panel.
import { onDestroy, type Snippet } from 'svelte'

export interface Crumb {
  title: string
  /** Whether the title is data, such as a list's name, and not a text of the program. */
  data?: boolean
  href?: string
}

export interface PanelContent {
  title: string
  readonly body: Snippet
  readonly onclose: (() => void) | undefined
}

class Frame {
  /** The breadcrumbs below the section, such as the name of the open list. */
  crumbs = $state.raw<readonly Crumb[]>([])
  /** A description of the selection for the status bar. */
  selection = $state('')
  #panels = $state.raw<readonly PanelContent[]>([])
  // A plain variable, because teardown reads states as they were before and would drop the panel that replaced this
  // one.
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

// The components that set the breadcrumbs and the selection last. The next screen may set its own before this one is
// destroyed. Plain variables, because teardown reads states as they were before.
const lastSetters: { crumbs?: object; selection?: object } = {}

/** Shows the breadcrumbs of a screen while it is mounted. */
export function useCrumbs(make: () => readonly Crumb[]): void {
  const me = {}
  $effect.pre(() => {
    frame.crumbs = make()
    lastSetters.crumbs = me
  })
  onDestroy(() => {
    if (lastSetters.crumbs === me) frame.crumbs = []
  })
}

/** Shows a description of the selection in the status bar while the screen is mounted; empty if nothing is selected. */
export function useSelectionSummary(make: () => string): void {
  const me = {}
  $effect.pre(() => {
    frame.selection = make()
    lastSetters.selection = me
  })
  onDestroy(() => {
    if (lastSetters.selection === me) frame.selection = ''
  })
}
