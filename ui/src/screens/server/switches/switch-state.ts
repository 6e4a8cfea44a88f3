// The switches of a world, and the props of their cards.
import type { AdminRequest, MakeRequest, Schemas } from '../admin-request'

export interface SwitchState {
  profiles: readonly Schemas['FaultProfile'][]
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
  make: MakeRequest
  /** Sends a request; returns whether it succeeded. */
  run: (act: AdminRequest) => Promise<boolean>
}
