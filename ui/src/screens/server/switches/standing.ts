// How the switches of a world stand, as the operator's document describes them.
import type { Json } from '../../../lib/json'
import type { Act } from '../act'

export interface Standing {
  profiles: readonly { name: string; what: string }[]
  profile: string | null
  faults: readonly { name: string; source: string; seen: number; hits: number }[]
  limits: {
    enabled: boolean
    algorithm: 'token_bucket' | 'fixed_window'
    per_second: number
    burst: number
    profile: string | null
  }
  callbacks: { readonly [key: string]: Json } & { hold: boolean }
  /** Callbacks that are held. */
  held: number
  clock: { mode: 'real' | 'offset' | 'frozen' | 'scaled'; now: string; rate: number | null }
  jobs: { readonly [key: string]: Json } & {
    progress: Progress
    after: string
    polls: number
    per_second: number
  }
}

export type Progress = 'immediate' | 'after' | 'manual' | 'polls' | 'rate'

export interface SwitchProps {
  base: string
  standing: Standing
  /** The place of a route in the world that is looked at. */
  at: (rest: string) => string
  /** Does an act; answers whether it was done. */
  run: (act: Act) => Promise<boolean>
}
