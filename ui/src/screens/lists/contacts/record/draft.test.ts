// Edited text is kept while it differs from the stored values.
import { describe, expect, it } from 'vitest'
import { editField, toPatch, rebaseEdits, revertField } from './draft'

const BASE = { firstname: 'Ada', phone_number: '+447700900001' }

describe('draft of a contact', () => {
  it('holds a field only while it differs from what is kept', () => {
    const typed = editField({}, BASE, 'firstname', 'Adah')
    expect(typed).toEqual({ firstname: 'Adah' })
    expect(editField(typed, BASE, 'firstname', 'Ada')).toEqual({})
    expect(editField({}, BASE, 'city', '')).toEqual({})
  })

  it('reverts one field', () => {
    expect(revertField({ firstname: 'A', city: 'B' }, 'city')).toEqual({ firstname: 'A' })
  })

  it('clears a field by sending null', () => {
    expect(toPatch(editField({}, BASE, 'firstname', ''))).toEqual({ firstname: null })
  })

  it('survives a change from elsewhere, less what came to be the same', () => {
    expect(rebaseEdits({ firstname: 'Eve', city: 'Leeds' }, { ...BASE, city: 'Leeds' })).toEqual({
      firstname: 'Eve',
    })
  })
})
