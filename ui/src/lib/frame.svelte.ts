// What a screen passes to the frame around it: its breadcrumbs, its selection and its side panel; and which parts of
// the frame are visible.
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
  selectionSummary = $state('')
  #panels = $state.raw<readonly PanelContent[]>([])
  // A plain variable, because during teardown a state still has its former value, and the panel that has replaced this
  // one would be dropped.
  #latestPanels: readonly PanelContent[] = []
  readonly panel = $derived(this.#panels.at(-1))
  panelShown = $state(true)
  sidebarShown = $state(true)
  tasksShown = $state(false)

  /** Shows a panel, and returns the function that removes it. */
  addPanel(content: PanelContent): () => void {
    this.#latestPanels = [...this.#latestPanels, content]
    this.#panels = this.#latestPanels
    return () => {
      this.#latestPanels = this.#latestPanels.filter((other) => other !== content)
      this.#panels = this.#latestPanels
    }
  }
}

export const frame = new Frame()

// Who set the breadcrumbs and the selection last: the next screen may set its own before this one is destroyed. These
// are plain variables, because during teardown a state still has its former value.
const lastSetters: { crumbs?: object; selection?: object } = {}

/** Shows the breadcrumbs of a screen while it is mounted. */
export function useCrumbs(getCrumbs: () => readonly Crumb[]): void {
  const owner = {}
  $effect.pre(() => {
    frame.crumbs = getCrumbs()
    lastSetters.crumbs = owner
  })
  onDestroy(() => {
    if (lastSetters.crumbs === owner) frame.crumbs = []
  })
}

/** Shows a description of the selection in the status bar while the screen is mounted; empty if nothing is selected. */
export function useSelectionSummary(getSummary: () => string): void {
  const owner = {}
  $effect.pre(() => {
    frame.selectionSummary = getSummary()
    lastSetters.selection = owner
  })
  onDestroy(() => {
    if (lastSetters.selection === owner) frame.selectionSummary = ''
  })
}
