// Conversion between the edited filter and the core's filter; unfinished rules are left out.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GridFilter } from '../../../../api/generated'
import {
  changeRule,
  getChoice,
  countRules,
  fromFilter,
  isGroup,
  newGroup,
  newRule,
  listOps,
  findPart,
  replacePart,
  adjustRule,
  toFilter,
  withChoice,
} from './tree'

const text = fc.string({ minLength: 1, maxLength: 8 })
const field = fc.constantFrom('city', 'firstname', 'field_3')
const is = fc.boolean()
const rule: fc.Arbitrary<GridFilter> = fc.oneof(
  fc.record({
    field,
    op: fc.constantFrom('is', 'contains_not', 'matches'),
    value: text,
  }) as fc.Arbitrary<GridFilter>,
  fc.record({ field, op: fc.constant('starts' as const), value: text, case: fc.constant(true) }),
  fc.record({ field, one_of: fc.array(fc.option(text), { minLength: 1, maxLength: 3 }) }),
  fc.record({ field, blank: is }),
  fc.record({
    field: fc.constant('created_at' as const),
    time: fc.constant('after' as const),
    value: fc.constant('2026-01-31'),
  }),
  fc.record({
    field,
    date: fc.constantFrom('before', 'after', 'on'),
    value: fc.constant('2026-01-31'),
  }) as fc.Arbitrary<GridFilter>,
  fc.record({
    field,
    date: fc.constant('between' as const),
    value: fc.constant('2026-01-31'),
    to: fc.constant('2026-02-28'),
  }),
  fc.record({ field, date: fc.constant('birthday_in_month' as const), value: fc.constantFrom('this', '12') }),
  fc.record({
    field,
    date: fc.constant('birthday_within_days' as const),
    value: fc.constantFrom('0', '366'),
  }),
  fc.record({ field, date: fc.constantFrom('this_month', 'not_a_date') }) as fc.Arbitrary<GridFilter>,
  fc.record({ opted_out: fc.constantFrom('any', 'sms', 'whatsapp'), is }),
  fc.record(
    {
      readiness: fc.constantFrom('ready', 'duplicate'),
      channel: fc.constantFrom('sms', 'whatsapp'),
      asset: fc.constant('num_1'),
      is,
    },
    { requiredKeys: ['readiness', 'channel', 'is'] },
  ) as fc.Arbitrary<GridFilter>,
  fc.record({ in_list: text, is }),
  fc.record({ draft: is }),
  fc.record({ duplicate: fc.constantFrom('phone', 'email'), is }) as fc.Arbitrary<GridFilter>,
)
const { group } = fc.letrec<{ group: GridFilter; part: GridFilter }>((tie) => ({
  part: fc.oneof({ maxDepth: 3 }, rule, tie('group')),
  group: fc.oneof(
    fc.record({ all: fc.array(tie('part'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('part'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: fc.record({ any: fc.array(tie('part'), { minLength: 1, maxLength: 2 }) }) }),
  ),
}))

describe('a filter that is put together', () => {
  it('is unchanged by a round trip', () => {
    fc.assert(
      fc.property(group, (filter) => {
        expect(toFilter(fromFilter(filter))).toEqual(filter)
      }),
    )
  })

  it('leaves out what is not finished', () => {
    const city = { ...newRule('city'), value: 'Leeds' }
    expect(toFilter(newGroup([newRule('city'), newGroup([newRule('zip')])]))).toBeNull()
    expect(toFilter(newGroup([newRule('city'), city]))).toEqual({
      all: [{ field: 'city', op: 'contains', value: 'Leeds' }],
    })
    expect(toFilter(newGroup([{ ...newRule('created_at'), value: 'x' }]))).toBeNull()
    expect(toFilter(newGroup([{ ...newRule('created_at'), value: '7' }]))).toEqual({
      all: [{ field: 'created_at', time: 'within_days', value: '7' }],
    })
    expect(toFilter(newGroup([newRule('@in_list')]))).toBeNull()
    expect(toFilter(newGroup([newRule('@duplicate')]))).toEqual({ all: [{ duplicate: 'phone', is: true }] })
  })

  it('compares a field that holds dates as dates', () => {
    const born = newRule('date_of_birth')
    expect(toFilter(newGroup([born]))).toBeNull()
    const before = { ...born, value: '2000-01-01' }
    expect(toFilter(newGroup([before]))).toEqual({
      all: [{ field: 'date_of_birth', date: 'before', value: '2000-01-01' }],
    })
    const half = changeRule(before, { op: 'date_between' }, new Set(['date_of_birth']))
    expect(toFilter(newGroup([half]))).toBeNull()
    expect(toFilter(newGroup([{ ...half, to: '2000-12-31' }]))).toEqual({
      all: [{ field: 'date_of_birth', date: 'between', value: '2000-01-01', to: '2000-12-31' }],
    })
    expect(toFilter(newGroup([{ ...born, op: 'date_birthday_within_days', value: '367' }]))).toBeNull()
    expect(listOps('field_3')).not.toContain('date_before')
    expect(listOps('field_3', 'date_on')).toContain('date_before')
  })

  it('leaves dates behind with the field that has them', () => {
    const dates = new Set(['date_of_birth', 'field_3'])
    const before = { ...newRule('date_of_birth'), value: '2000-01-01' }
    expect(changeRule(before, { subject: 'field_3' }, dates)).toMatchObject({
      op: 'date_before',
      value: '2000-01-01',
    })
    expect(changeRule(before, { subject: 'city' }, dates)).toMatchObject({ op: 'contains', value: '' })
    expect(changeRule({ ...newRule('city'), value: 'Leeds' }, { subject: 'field_3' }, dates)).toMatchObject({
      op: 'date_before',
      value: '',
    })
    expect(changeRule(before, { op: 'date_birthday_in_month' }, dates).value).toBe('this')
    expect(changeRule(before, { op: 'contains' }, dates).value).toBe('')
    const blank = changeRule({ ...newRule('city'), value: 'Leeds' }, { op: 'blank' }, dates)
    expect(changeRule(blank, { op: 'is' }, dates).value).toBe('Leeds')
  })

  it('keeps to the operators of its subject', () => {
    for (const subject of [
      'city',
      'created_at',
      '@readiness',
      '@opted_out',
      '@in_list',
      '@draft',
      '@duplicate',
    ])
      expect(listOps(subject)).toContain(adjustRule({ ...newRule('city'), subject }).op)
    expect(adjustRule({ ...newRule('city'), subject: '@opted_out', value: 'phone' }).value).toBe('any')
    const readiness = { ...newRule('city'), subject: '@readiness' }
    expect(adjustRule({ ...readiness, value: 'whatsapp.landline' }).value).toBe('sms.ready')
    expect(adjustRule({ ...readiness, value: 'sms.landline.num_1' }).value).toBe('sms.landline.num_1')
  })

  it('is changed part by part', () => {
    const inner = newGroup([newRule('zip')])
    const tree = newGroup([newRule('city'), inner])
    expect(replacePart(tree, inner.id, () => undefined).parts).toHaveLength(1)
    const turned = replacePart(tree, inner.id, (part) => (isGroup(part) ? { ...part, join: 'any' } : part))
    expect(turned.parts[1]).toMatchObject({ join: 'any' })
    expect(
      countRules({ all: [{ draft: true }, { not: { any: [{ draft: true }, { draft: false }] } }] }),
    ).toBe(3)
  })

  it('finds the part that a fault is about', () => {
    const [city, zip] = [
      { ...newRule('city'), value: 'Leeds' },
      { ...newRule('zip'), value: '(' },
    ]
    const inner = newGroup([newRule('title'), zip], 'any', true)
    const tree = newGroup([newRule('lastname'), city, inner])
    expect(findPart(tree, 'filter.all[0].value').id).toBe(city.id)
    expect(findPart(tree, 'filter.all[1].not.any[0].value').id).toBe(zip.id)
    expect(findPart(tree, 'filter').id).toBe(tree.id)
  })

  it('holds one choice of values a field', () => {
    const one = withChoice({ draft: true }, 'city', ['Leeds', null])
    expect(one).toEqual({ all: [{ draft: true }, { field: 'city', one_of: ['Leeds', null] }] })
    expect(getChoice(one, 'city')).toEqual(['Leeds', null])
    expect(withChoice(one, 'city', ['York'])).toEqual({
      all: [{ draft: true }, { field: 'city', one_of: ['York'] }],
    })
    expect(withChoice(withChoice(null, 'city', ['York']), 'city', [])).toBeNull()
  })
})
