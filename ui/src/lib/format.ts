// Formats numbers, times and lists in the user's language.
import { createSubscriber } from 'svelte/reactivity'
import { readDay } from './days'
import { findTranslation, isolateData, language } from './locale.svelte'

function byTag<T>(make: (tag: string) => T, tagOf = (): string => language.tag): () => T {
  const made = new Map<string, T>()
  return () => {
    const tag = tagOf()
    const known = made.get(tag)
    if (known !== undefined) return known
    const fresh = make(tag)
    made.set(tag, fresh)
    return fresh
  }
}

/** Formats of times in the country's order of day and month. */
const byDateTag = (options: Intl.DateTimeFormatOptions): (() => Intl.DateTimeFormat) =>
  byTag(
    (tag) => new Intl.DateTimeFormat(tag, options),
    () => language.dateTag,
  )

const numbers = byTag((tag) => new Intl.NumberFormat(tag))
const tenths = byTag(
  (tag) => new Intl.NumberFormat(tag, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)
const shares = byTag((tag) => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 0 }))
const fineShares = byTag((tag) => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 2 }))
const moments = byDateTag({ dateStyle: 'medium', timeStyle: 'short' })
const exactMoments = byDateTag({ dateStyle: 'medium', timeStyle: 'medium' })
const days = byDateTag({ dateStyle: 'medium' })
const dates = byDateTag({ dateStyle: 'medium', timeZone: 'UTC' })
const months = byTag((tag) => new Intl.DateTimeFormat(tag, { month: 'long', timeZone: 'UTC' }))
const clocks = byDateTag({ timeStyle: 'medium' })
const spans = byTag((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }))
const enumerations = byTag((tag) => new Intl.ListFormat(tag, { type: 'conjunction' }))
const orders = byTag((tag) => new Intl.Collator(tag, { numeric: true, sensitivity: 'base' }))

const SPANS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

export function formatNumber(value: number): string {
  return numbers().format(value)
}

/** Returns the parameters of a text about a count: the number, which chooses the plural, and how it is shown. */
export function toCountParams(count: number): { count: number; shown: string } {
  return { count, shown: formatNumber(count) }
}

/** Formats a number with one decimal, such as “2.0”. */
export function formatTenths(value: number): string {
  return tenths().format(value)
}

/** Formats 0.25 as “25 %”. Only 1 reads as 100 %, and only 0 as 0 %. */
export function formatShare(value: number): string {
  const digits = value > 0 && value < 1 && [0, 1].includes(Math.round(value * 100) / 100) ? 2 : 0
  const nearly = Math.min(Math.max(value, 0.0001), 0.9999)
  return digits === 0 ? shares().format(value) : fineShares().format(nearly)
}

/** Formats a time of the core, which may be finer than a Date; returns an unreadable one unchanged. */
export function formatMoment(iso: string): string {
  return formatTime(iso, moments())
}

/** Formats a time with its seconds. */
export function formatExactMoment(iso: string): string {
  return formatTime(iso, exactMoments())
}

export function formatDay(iso: string): string {
  return formatTime(iso, days())
}

/** Formats a date in text, such as a date of birth, like all other days; returns other text unchanged. */
export function formatDate(text: string): string {
  const day = readDay(text)
  return day === undefined ? text : dates().format(Date.parse(`${day}T00:00:00Z`))
}

/** Returns the name of a month, counted from 1. */
export function formatMonth(month: number): string {
  return months().format(Date.UTC(2000, month - 1))
}

export function formatClock(iso: string): string {
  return formatTime(iso, clocks())
}

const ROUND_MS = 20_000
const eachRound = createSubscriber((update) => {
  const round = setInterval(update, ROUND_MS)
  return () => clearInterval(round)
})

/** Returns the time and makes its reader update every 20 seconds, which is precise enough for “2 minutes ago”. */
function watchTime(): number {
  eachRound()
  return Date.now()
}

/** Formats a time as “5 minutes ago”, “tomorrow” or “just now”. Where it is shown, it updates by itself. */
export function formatAgo(iso: string, at: number = watchTime()): string {
  const time = parse(iso)
  if (Number.isNaN(time)) return iso
  const seconds = (time - at) / 1000
  const [unit, length] = SPANS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 0]
  if (length > 0) return spans().format(Math.round(seconds / length), unit)
  return seconds > 0 ? spans().format(0, 'second') : (findTranslation('kit_just_now') ?? 'just now')
}

/** Formats a list as “a, b and c”. */
export function formatList(items: readonly string[]): string {
  return enumerations().format(isolateData(items))
}

export function compareText(a: string, b: string): number {
  return orders().compare(a, b)
}

function formatTime(iso: string, format: Intl.DateTimeFormat): string {
  const time = parse(iso)
  return Number.isNaN(time) ? iso : format.format(time)
}

function parse(iso: string): number {
  return Date.parse(iso.replace(/(\.\d{3})\d+/, '$1'))
}
