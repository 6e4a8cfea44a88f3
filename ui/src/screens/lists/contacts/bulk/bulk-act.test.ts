// Form input becomes the act that the core takes, or nothing while something is missing.
import { describe, expect, it } from 'vitest'
import { toBulkAct, suggestInput, KINDS, emptyInput, type BulkKind, type BulkInput } from './bulk-act'

const of = (kind: BulkKind, wanted: Partial<BulkInput>) => toBulkAct(kind, { ...emptyInput(), ...wanted })

describe('an act on many cells', () => {
  it('clears the cells if the new text is empty', () => {
    expect(of('set', { text: '' })).toEqual({ clear: true })
    expect(of('set', { text: 'Leeds' })).toEqual({ set: 'Leeds' })
  })
  it('waits until everything is there', () => {
    expect(of('replace', { find: '' })).toBeUndefined()
    expect(of('fill_blanks', { above: false })).toBeUndefined()
    expect(of('split', { by: '', into: ['city'] })).toBeUndefined()
    expect(of('split', { by: ',' })).toBeUndefined()
    expect(of('join', { from: ['city'], into: ['city'] })).toBeUndefined()
    expect(of('extract', { find: '\\d+' })).toBeUndefined()
    expect(of('copy', { from: ['city'], into: ['city'] })).toBeUndefined()
    expect(of('series', { start: 'one' })).toBeUndefined()
    expect(of('series', { pad: '-1' })).toBeUndefined()
    expect(of('series', { pad: '31' })).toBeUndefined()
  })
  it('is converted to the request that the core expects', () => {
    expect(of('replace', { find: 'a', with: 'b', regex: true, whole: true })).toEqual({
      replace: { find: 'a', with: 'b', regex: true, whole_cell: true, case: false },
    })
    expect(of('e164', { region: ' gb ' })).toEqual({ e164: { region: 'GB' } })
    expect(of('e164', {})).toEqual({ e164: { region: null } })
    expect(of('series', { start: '-5', step: '10', prefix: 'A', pad: '3' })).toEqual({
      series: { start: -5, step: 10, prefix: 'A', pad: 3 },
    })
    expect(of('fill_blanks', { above: true })).toEqual({ fill_blanks: 'above' })
  })
  it('begins with what is chosen', () => {
    const all = ['phone_number', 'firstname', 'lastname', 'city']
    for (const kind of KINDS) expect(() => suggestInput(kind, [], all)).not.toThrow()
    expect(suggestInput('split', ['firstname'], all).into).toEqual(['lastname'])
    expect(suggestInput('join', ['firstname', 'lastname'], all)).toMatchObject({
      from: ['firstname', 'lastname'],
      into: ['firstname'],
    })
    expect(toBulkAct('copy', suggestInput('copy', ['city'], all))).toEqual({
      copy: { from: 'city', into: 'phone_number', mode: 'blanks' },
    })
  })
})
