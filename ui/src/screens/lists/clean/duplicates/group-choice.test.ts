// Choices within a group: the suggestion, the user's changes, and the resulting request.
import { describe, expect, it } from 'vitest'
import type { ContactCard, DuplicateGroupWhole } from '../../../../api/generated'
import { GroupChoice } from './group-choice.svelte'

const card = (uid: string, values: Record<string, string>): ContactCard => ({
  uid: uid as ContactCard['uid'],
  list_uid: 'list' as ContactCard['list_uid'],
  values,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: null,
  sms: 'none',
  whatsapp: 'none',
})

const CARDS = [
  card('a', { phone_number: '+447700900001', firstname: 'Ada' }),
  card('b', { phone_number: '+447700900002', city: 'Leeds' }),
  card('c', { whatsapp_id: '+447700900003', firstname: 'A.', city: 'York' }),
]

function group(patch: Partial<DuplicateGroupWhole> = {}): GroupChoice {
  return new GroupChoice({
    group: 7,
    size: 3,
    confidence: 90,
    evidence: [],
    contacts: CARDS,
    differing: ['phone_number', 'whatsapp_id', 'firstname', 'city'],
    suggested: {
      survivor: 'c',
      fields: { phone_number: 'a', whatsapp_id: 'c', firstname: 'c', city: 'c' },
    } as never,
    next: null,
    ...patch,
  })
}
const FIELDS = ['phone_number', 'whatsapp_id', 'firstname', 'city']

describe('a choice', () => {
  it('lists every value that is lost, numbers first', () => {
    expect(group().lostValues).toEqual([
      { field: 'phone_number', value: '+447700900002' },
      { field: 'firstname', value: 'Ada' },
      { field: 'city', value: 'Leeds' },
    ])
  })

  it('begins as suggested, and shows what comes from elsewhere', () => {
    const choice = group()
    expect(FIELDS.map((field) => choice.getResult(field))).toEqual([
      '+447700900001',
      '+447700900003',
      'A.',
      'York',
    ])
    expect(choice.getSourceNumber('phone_number')).toBe(1)
    expect(choice.getSourceNumber('city')).toBeUndefined()
    expect(choice.lostNumbers).toEqual(['+447700900002'])
    expect(choice.toMergeRequest(FIELDS).contacts).toBeNull()
  })

  it('takes the values of the one that stays, others where it has none', () => {
    const choice = group()
    choice.chooseValue('city', 'a')
    choice.chooseSurvivor('b')
    expect(choice.toMergeRequest(FIELDS)).toEqual({
      survivor: 'b',
      fields: { phone_number: 'b', whatsapp_id: 'c', firstname: 'c', city: 'b' },
      contacts: null,
    })
  })

  it('lets a blank be chosen, and sees when no number is left', () => {
    const choice = group()
    choice.chooseValue('phone_number', 'c')
    expect(choice.getResult('phone_number')).toBeUndefined()
    expect(choice.hasNumber).toBe(true)
    choice.chooseValue('whatsapp_id', 'a')
    expect(choice.hasNumber).toBe(false)
    expect(choice.lostNumbers).toHaveLength(3)
  })

  it('can leave out contacts as long as two remain', () => {
    const choice = group()
    choice.chooseValue('firstname', 'c')
    choice.setExcluded('c', true)
    expect(choice.survivor).toBe('a')
    expect(choice.toMergeRequest(FIELDS)).toEqual({
      survivor: 'a',
      fields: { phone_number: 'a', firstname: 'a', city: 'b' },
      contacts: ['a', 'b'],
    })
    expect([choice.canExclude('a'), choice.canExclude('c')]).toEqual([false, true])
    choice.chooseSurvivor('c')
    expect(choice.survivor).toBe('a')
    choice.setExcluded('c', false)
    expect(choice.toMergeRequest(FIELDS).contacts).toBeNull()
  })

  it('merges only what is shown of a group that is longer', () => {
    expect(group({ size: 80 }).toMergeRequest(FIELDS).contacts).toEqual(['a', 'b', 'c'])
  })
})
