import { expect, test } from 'vitest'
import { isTypedLike } from '../../lib/text'

test('a name with control characters can be typed as it looks, or without them', () => {
  const name = 'VIP\u202E new\u0007'
  for (const typed of ['VIP new', ' VIP new ', 'VIP[U+202E] new[U+0007]', name])
    expect(isTypedLike(typed, name), typed).toBe(true)
  for (const typed of ['', 'VIP', 'vip new', 'VIP old']) expect(isTypedLike(typed, name), typed).toBe(false)
  expect(isTypedLike('', '\u0007'), 'nothing visible').toBe(false)
  expect(isTypedLike('[U+0007]', '\u0007')).toBe(true)
})
