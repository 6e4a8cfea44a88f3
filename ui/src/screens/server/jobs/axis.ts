// Where moments stand on a line: in their order and to their scale, but never so near to each other that they are one.

/** Moments are whole seconds, places are shares of the line from 0 to 1. */
export interface Axis {
  readonly stops: readonly number[]
  readonly places: readonly number[]
}

/** However many there are, so much of the line is given to true lengths. */
const TRUE_SHARE = 0.3

/** Every gap gets `least` of the line, and the rest is shared out by length. */
export function axisOf(moments: readonly number[], least: number): Axis {
  const stops = [...new Set(moments)].toSorted((a, b) => a - b)
  const [first = 0] = stops
  if (stops.length === 0) stops.push(first)
  if (stops.length === 1) stops.push(first + 1)
  const gaps = stops.length - 1
  const floor = Math.min(least, (1 - TRUE_SHARE) / gaps)
  const free = 1 - floor * gaps
  const total = (stops.at(-1) ?? first) - first
  const places = stops.map((stop, at) => floor * at + (free * (stop - first)) / total)
  return { stops, places }
}

export const firstOf = ({ stops }: Axis): number => stops[0] ?? 0
export const lastOf = ({ stops }: Axis): number => stops.at(-1) ?? 0

/** From one scale to the other, straight between the stops and no further than the ends. */
function between(value: number, from: readonly number[], to: readonly number[]): number {
  const next = from.findIndex((stop) => stop >= value)
  if (next === 0) return to[0] ?? 0
  if (next === -1) return to.at(-1) ?? 0
  const [a = 0, b = 0] = [from[next - 1], from[next]]
  const [c = 0, d = 0] = [to[next - 1], to[next]]
  return c + ((value - a) / (b - a)) * (d - c)
}

export const placeOf = (axis: Axis, moment: number): number => between(moment, axis.stops, axis.places)
export const momentAt = (axis: Axis, place: number): number =>
  Math.round(between(place, axis.places, axis.stops))

/** The stops that have room for their times: the first, and each that is far enough from the one before. */
export function ticksOf(
  { stops, places }: Axis,
  apart: number,
): readonly { moment: number; place: number }[] {
  const ticks: { moment: number; place: number }[] = []
  for (const [at, moment] of stops.entries()) {
    const place = places[at] ?? 0
    const before = ticks.at(-1)?.place
    if ((before === undefined || place - before >= apart) && place <= 1 - apart / 2)
      ticks.push({ moment, place })
  }
  return ticks
}

/** Those that would lie upon each other are told as one, where the first of them is. */
export function grouped<E extends { at: number }>(
  events: readonly E[],
  axis: Axis,
  near: number,
): readonly { place: number; events: readonly E[] }[] {
  const groups: { place: number; events: E[] }[] = []
  for (const event of events.toSorted((a, b) => a.at - b.at)) {
    const place = placeOf(axis, event.at)
    const last = groups.at(-1)
    if (last !== undefined && place - last.place < near) last.events.push(event)
    else groups.push({ place, events: [event] })
  }
  return groups
}

/** What is due and so near that it is meant. */
export function snapped(axis: Axis, place: number, dues: readonly number[], near: number): number {
  const [nearest] = dues
    .map((due) => ({ due, far: Math.abs(placeOf(axis, due) - place) }))
    .toSorted((a, b) => a.far - b.far)
  return nearest !== undefined && nearest.far <= near ? nearest.due : momentAt(axis, place)
}

export interface Reach {
  now: number
  last: number
  /** What is due after now, in its order. */
  dues: readonly number[]
}

const MINUTE = 60

/** Where a key brings the marker: never back behind now, and by pages from one thing that is due to the next. */
export function stepped(
  at: number,
  key: string,
  { now, last, dues }: Reach,
  { coarse = false, rtl = false } = {},
): number | undefined {
  const step = coarse ? MINUTE : 1
  const to = {
    ArrowUp: at + step,
    ArrowDown: at - step,
    ArrowRight: rtl ? at - step : at + step,
    ArrowLeft: rtl ? at + step : at - step,
    PageUp: dues.find((due) => due > at) ?? at + MINUTE,
    PageDown: dues.findLast((due) => due < at) ?? now,
    Home: now,
    End: dues.at(-1) ?? last,
  }[key]
  return to === undefined ? undefined : Math.max(now, Math.min(to, Math.max(last, now)))
}
