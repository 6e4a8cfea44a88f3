// The part of a short address that tells it from others.
import { describe, expect, it } from 'vitest'
import { partsOf, withoutScheme } from './address'

describe('an address', () => {
  it.each([
    ['https://go.example.com/hYga7d', 'go.example.com', '/hYga7d'],
    ['http://127.0.0.1:4010/s/hYga7d', '127.0.0.1:4010/s', '/hYga7d'],
    ['go.example.com', '', 'go.example.com'],
  ])('%s is %s and %s', (url, common, code) => expect(partsOf(url)).toEqual({ common, code }))

  it('keeps what is no scheme', () => expect(withoutScheme('ftp://x/https://y')).toBe('ftp://x/https://y'))
})
