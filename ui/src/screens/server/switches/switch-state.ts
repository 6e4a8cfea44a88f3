// The switches of a world, and what each of their cards is given.
import type { Act, MakeAct, Schemas } from '../act'

export interface SwitchState {
  profiles: readonly Schemas['FaultProfile'][]
  profile: string | null
  faults: readonly Schemas['Fault'][]
  limits: Schemas['Limits']
  callbacks: Schemas['CallbackPolicy']
  /** How many callbacks are held. */
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
