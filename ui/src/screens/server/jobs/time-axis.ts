// Positions times on a line in order and to scale, but with a minimum distance between neighbours.

/** Times in whole seconds, and their positions as shares of the line from 0 to 1. */
export interface TimeAxis {
  readonly stops: readonly number[]
  readonly places: readonly number[]
}

/** The share of the line that is to scale, however many times there are. */
const TRUE_SHARE = 0.3

/** Creates an axis. Every gap gets `least` of the line; the rest is divided in proportion to duration. */
export function createAxis(moments: readonly number[], least: number): TimeAxis {
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

export const getLast = ({ stops }: TimeAxis): number => stops.at(-1) ?? 0

/** Interpolates linearly between two scales, and clamps to their ends. */
function interpolate(value: number, from: readonly number[], to: readonly number[]): number {
  const next = from.findIndex((stop) => stop >= value)
  if (next === 0) return to[0] ?? 0
  if (next === -1) return to.at(-1) ?? 0
  const [a = 0, b = 0] = [from[next - 1], from[next]]
  const [c = 0, d = 0] = [to[next - 1], to[next]]
  return c + ((value - a) / (b - a)) * (d - c)
}

export const toPlace = (axis: TimeAxis, moment: number): number =>
  interpolate(moment, axis.stops, axis.places)
export const toMoment = (axis: TimeAxis, place: number): number =>
  Math.round(interpolate(place, axis.places, axis.stops))

/** Returns the stops that have room for a label: the first, and each that is far enough from the one before. */
export function chooseTicks(
  { stops, places }: TimeAxis,
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

/** Merges events that would overlap into one group, at the position of the first. */
export function groupEvents<E extends { at: number }>(
  events: readonly E[],
  axis: TimeAxis,
  near: number,
): readonly { place: number; events: readonly E[] }[] {
  const groups: { place: number; events: E[] }[] = []
  for (const event of events.toSorted((a, b) => a.at - b.at)) {
    const place = toPlace(axis, event.at)
    const last = groups.at(-1)
    if (last !== undefined && place - last.place < near) last.events.push(event)
    else groups.push({ place, events: [event] })
  }
  return groups
}

/** Returns the nearest due time if it is close enough, or else the time at the position. */
export function snapToDue(axis: TimeAxis, place: number, dues: readonly number[], near: number): number {
  const [nearest] = dues
    .map((due) => ({ due, far: Math.abs(toPlace(axis, due) - place) }))
    .toSorted((a, b) => a.far - b.far)
  return nearest !== undefined && nearest.far <= near ? nearest.due : toMoment(axis, place)
}

export interface MarkerBounds {
  now: number
  last: number
  /** Due times after now, in order. */
  dues: readonly number[]
}

const MINUTE = 60

/** Returns the time to which a key moves the marker: never before now; Page Up and Page Down move between due times. */
export function stepMarker(
  at: number,
  key: string,
  { now, last, dues }: MarkerBounds,
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
