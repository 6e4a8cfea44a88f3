// Differences are exact, and invisible characters become visible.
import { describe, expect, it } from 'vitest'
import { findReplaced, diffTexts, showInvisible } from './text-diff'

const marked = (text: string, other: string): readonly [string, string] => {
  const [before, after] = diffTexts(text, other)
  const mark = (all: readonly { text: string; differs: boolean }[]): string =>
    all.map(({ text: piece, differs }) => (differs ? `<${piece}>` : piece)).join('')
  return [mark(before), mark(after)]
}

describe('pieces', () => {
  it('marks each changed letter if both texts are equally long', () => {
    expect(marked('Аdа', 'Ada')).toEqual(['<А>d<а>', '<A>d<a>'])
    expect(marked('LOVELACE', 'Lovelace')).toEqual(['L<OVELACE>', 'L<ovelace>'])
  })

  it('marks inserted and removed letters if the texts differ in length', () => {
    expect(marked('  Ada ', 'Ada')).toEqual(['<  >Ada< >', 'Ada'])
    expect(marked('a  b', 'a b')).toEqual(['a < >b', 'a b'])
    expect(marked('7700900001', '+447700900001')).toEqual(['7700900001', '<+44>7700900001'])
    expect(marked('(07700) 1', '+4477001')).toEqual(['<(0>7700<) >1', '<+44>77001'])
    expect(marked('', 'x')).toEqual(['', '<x>'])
    expect(marked('same', 'same')).toEqual(['same', 'same'])
  })

  it('leaves long texts as they are', () => {
    expect(marked('x'.repeat(500), 'y')[1]).toBe('y')
  })
})

it('makes spaces and invisible characters visible', () => {
  expect(showInvisible(' a\u00a0b\u200b ')).toBe('·a[U+00A0]b[U+200B]·')
})

it('names letters that were exchanged once each', () => {
  expect(findReplaced('аbа', 'aba')).toEqual([['а', 'a']])
  expect(findReplaced('a ', 'a')).toEqual([])
})
