// The part of a short address that distinguishes it, and the texts for addresses that nobody else can open.
import { describe, expect, it } from 'vitest'
import { describeCopied, isLocal, describeMark, splitAddress, withoutScheme } from './address'

describe('an address', () => {
  it.each([
    ['https://go.example.com/hYga7d', 'go.example.com', '/hYga7d'],
    ['http://127.0.0.1:4010/s/hYga7d', '127.0.0.1:4010/s', '/hYga7d'],
    ['go.example.com', '', 'go.example.com'],
  ])('%s is %s and %s', (url, common, code) => expect(splitAddress(url)).toEqual({ common, code }))

  it('keeps what is no scheme', () => expect(withoutScheme('ftp://x/https://y')).toBe('ftp://x/https://y'))
})

describe('an address that nobody else can open', () => {
  it('is marked, and no other is', () => {
    expect(['final', 'unsent', 'this_computer'].map((status) => describeMark(status as 'final'))).toEqual([
      undefined,
      'Not sent yet',
      'This computer only',
    ])
    expect([isLocal('final'), isLocal('unsent'), isLocal('this_computer')]).toEqual([false, true, true])
  })

  it('is warned of when it is copied, also among others', () => {
    expect(describeCopied(['final', 'final'])).toEqual({
      text: 'Copied 2 short addresses.',
      isWarning: false,
    })
    expect(describeCopied(['final', 'unsent', 'this_computer']).text).toMatch(/Send your changes first/)
    expect(describeCopied(['this_computer'])).toEqual({
      text: 'Copied the short address. It works on this computer only.',
      isWarning: true,
    })
  })
})
