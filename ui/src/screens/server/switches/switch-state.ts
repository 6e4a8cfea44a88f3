// The switches of a world, and the props of their cards.
import type { Act, MakeAct, Schemas } from '../act'

export interface SwitchState {
  profiles: readonly Schemas['Profile'][]
  profile: string | null
  faults: readonly Schemas['Fault'][]
  limits: Schemas['Limits']
  callbacks: Schemas['CallbackPolicy']
  /** The number of held callbacks. */
  held: number
  clock: Schemas['Clock']
  jobs: Schemas['JobPolicy']
}

export interface SwitchProps {
  base: string
  state: SwitchState
  make: MakeAct
  /** Sends a request; returns whether it succeeded. */
  run: (act: Act) => Promise<boolean>
}
