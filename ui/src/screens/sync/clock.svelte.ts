// The time, as coarse as “2 minutes ago” is: moves on by itself while somebody reads it.
import { createSubscriber } from 'svelte/reactivity'

const ROUND_MS = 20_000

const subscribe = createSubscriber((update) => {
  const round = setInterval(update, ROUND_MS)
  return () => clearInterval(round)
})

export function now(): number {
  subscribe()
  return Date.now()
}
