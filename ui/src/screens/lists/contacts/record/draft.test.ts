// Edited text is kept while it differs from the stored values.
import { describe, expect, it } from 'vitest'
import { edit, patchOf, rebase, revert } from './draft'

const BASE = { firstname: 'Ada', phone_number: '+447700900001' }

describe('draft of a contact', () => {
  it('holds a field only while it differs from what is kept', () => {
    const typed = edit({}, BASE, 'firstname', 'Adah')
    expect(typed).toEqual({ firstname: 'Adah' })
    expect(edit(typed, BASE, 'firstname', 'Ada')).toEqual({})
    expect(edit({}, BASE, 'city', '')).toEqual({})
  })

  it('lets go of one field', () => {
    expect(revert({ firstname: 'A', city: 'B' }, 'city')).toEqual({ firstname: 'A' })
  })

  it('empties by null, which a merge cannot', () => {
    expect(patchOf(edit({}, BASE, 'firstname', ''))).toEqual({ firstname: null })
  })

  it('survives a change from elsewhere, less what came to be the same', () => {
    expect(rebase({ firstname: 'Eve', city: 'Leeds' }, { ...BASE, city: 'Leeds' })).toEqual({
      firstname: 'Eve',
    })
  })
})
