// The cell editor as a state machine: what is edited, and the effect of each event. It touches no element.

export interface EditState {
  readonly row: number
  readonly column: string
  /** The text of the cell when editing began. */
  readonly before: string
  readonly text: string
  /** Typing began the edit: arrows finish it and move on. F2 or a double click began it: arrows move the caret. */
  readonly quick: boolean
}

export type EditEvent =
  | { on: 'start'; row: number; column: string; before: string; quick: boolean }
  | { on: 'input'; text: string }
  | { on: 'enter' | 'tab'; back: boolean }
  | { on: 'arrow'; to: 'up' | 'down' | 'start' | 'end' }
  | { on: 'escape' | 'fill' | 'switch' | 'leave' }

export type EditEffect =
  | { do: 'write'; row: number; column: string; text: string }
  /** Write the text into the whole selection. */
  | { do: 'write-all'; text: string }
  | { do: 'move'; along: 'row' | 'column'; back: boolean }
  | { do: 'step'; to: 'up' | 'down' | 'start' | 'end' }
  | { do: 'close'; refocus: boolean }

export interface EditStep {
  readonly state: EditState | undefined
  readonly effects: readonly EditEffect[]
}

const NOTHING: readonly EditEffect[] = []

export function applyEditEvent(state: EditState | undefined, event: EditEvent): EditStep {
  if (event.on === 'start') {
    const { row, column, before, quick } = event
    const effects = state === undefined ? NOTHING : writeChanged(state)
    return { state: { row, column, before, text: quick ? '' : before, quick }, effects }
  }
  if (state === undefined) return { state, effects: NOTHING }
  const closeEditor = (refocus: boolean, ...others: EditEffect[]): EditStep => ({
    state: undefined,
    effects: [{ do: 'close', refocus }, ...others],
  })
  switch (event.on) {
    case 'input':
      return { state: { ...state, text: event.text }, effects: NOTHING }
    case 'switch':
      return { state: { ...state, quick: !state.quick }, effects: NOTHING }
    case 'escape':
      return closeEditor(true)
    case 'fill':
      return closeEditor(true, { do: 'write-all', text: state.text })
    case 'leave':
      return closeEditor(false, ...writeChanged(state))
    case 'enter':
      return closeEditor(true, ...writeChanged(state), { do: 'move', along: 'column', back: event.back })
    case 'tab':
      return closeEditor(true, ...writeChanged(state), { do: 'move', along: 'row', back: event.back })
    case 'arrow':
      if (!state.quick) return { state, effects: NOTHING }
      return closeEditor(true, ...writeChanged(state), { do: 'step', to: event.to })
  }
}

/** Returns no effect if the text is unchanged. */
function writeChanged({ row, column, before, text }: EditState): EditEffect[] {
  return text === before ? [] : [{ do: 'write', row, column, text }]
}
