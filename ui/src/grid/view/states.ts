// The states of a row: a distinct mark for each, and words for screen readers.
import { ROW } from '../engine/bytes'
import type { GridTexts, OptOutLevel } from './texts'

export const STATES =
  ROW.gone | ROW.left | ROW.draft | ROW.duplicate | ROW.smsReach | ROW.whatsappReach | ROW.added | ROW.deleted

export function stateTexts(texts: GridTexts, flags: number): string[] {
  const sms = (flags & ROW.smsReach) as OptOutLevel
  const whatsapp = ((flags & ROW.whatsappReach) >> 2) as OptOutLevel
  const words: string[] = []
  if ((flags & ROW.deleted) !== 0) words.push(texts.deleted())
  else if ((flags & ROW.gone) !== 0) words.push(texts.gone())
  if ((flags & ROW.added) !== 0) words.push(texts.added())
  if ((flags & ROW.left) !== 0) words.push(texts.left())
  if ((flags & ROW.unsaved) !== 0) words.push(texts.unsaved())
  if ((flags & ROW.draft) !== 0) words.push(texts.draft())
  if (sms + whatsapp > 0) words.push(texts.optedOut(sms, whatsapp))
  if ((flags & ROW.duplicate) !== 0) words.push(texts.duplicate())
  return words
}

export function stateMarks(flags: number): string {
  let signs = ''
  if ((flags & ROW.gone) !== 0) signs += '×'
  if ((flags & ROW.added) !== 0) signs += '+'
  if ((flags & ROW.left) !== 0) signs += '↷'
  if ((flags & ROW.unsaved) !== 0) signs += '✎'
  if ((flags & ROW.draft) !== 0) signs += '!'
  if ((flags & (ROW.smsReach | ROW.whatsappReach)) !== 0) signs += '⊘'
  if ((flags & ROW.duplicate) !== 0) signs += '='
  return signs
}
