// Pasted text from typical clipboards: rows, headings, and the fields of columns.
import { describe, expect, it } from 'vitest'
import { explainRefusal, isNumberMissing } from './fault-words'
import { toContacts, guessColumns } from './guess-columns'
import { looksLikeNumber, readPasted } from './rows'

const FIELDS = [
  { key: 'phone_number', title: 'Phone number' },
  { key: 'firstname', title: 'First name' },
  { key: 'field_2', title: 'Shop' },
]
const read = (text: string) => readPasted(text)
const guessed = (text: string) => {
  const { rows, width } = read(text)
  return guessColumns(rows, width, FIELDS)
}

describe('rows of pasted text', () => {
  it('come from a spreadsheet, with quoted cells over several lines', () => {
    const { rows, separator } = read(
      'Ada\t+447700900001\t"two\nlines, ""quoted"""\r\nBen\t+447700900002\t\r\n',
    )
    expect(separator).toBe('\t')
    expect(rows).toEqual([
      ['Ada', '+447700900001', 'two\nlines, "quoted"'],
      ['Ben', '+447700900002', ''],
    ])
  })

  it('come from a file with commas or semicolons', () => {
    expect(read('"Byrne, Ada",07700 900001\nBen,07700 900002').rows).toEqual([
      ['Byrne, Ada', '07700 900001'],
      ['Ben', '07700 900002'],
    ])
    expect(read('a;1\nb;2').separator).toBe(';')
  })

  it('keep a quote that is only a sign', () => {
    expect(read('5" pipe\t1\n"Al" Byrne\t2').rows).toEqual([
      ['5" pipe', '1'],
      ['"Al" Byrne', '2'],
    ])
  })

  it('come from plain lines: numbers alone, or a name beside each', () => {
    expect(read('+44 7700 900001\n\n07700 900002\n').rows).toEqual([['+44 7700 900001'], ['07700 900002']])
    expect(read('Ada Byrne +44 7700 900001\n07700 900002 Ben').rows).toEqual([
      ['Ada Byrne', '+44 7700 900001'],
      ['Ben', '07700 900002'],
    ])
  })

  it('are not made from blank text', () => {
    expect(read(' \n\t\n')).toMatchObject({ rows: [], width: 0 })
  })

  it('distinguishes a number from a word; a date of birth is neither', () => {
    expect(looksLikeNumber('+44 (0)7700 900-001')).toBe(true)
    expect(looksLikeNumber('tel:07700 900001')).toBe(true)
    expect(looksLikeNumber('tel: ask')).toBe(false)
    expect(looksLikeNumber('Flat 7')).toBe(false)
    expect(looksLikeNumber('12345')).toBe(false)
  })
})

describe('columns of pasted rows', () => {
  it('are known by their headings, in the words people use', () => {
    expect(guessed('Mobile\tForename\tSurname\tSHOP\tShoe size\n07700900001\tAda\tByrne\tLeeds\t5')).toEqual({
      hasHead: true,
      columns: ['phone_number', 'firstname', 'lastname', 'field_2', undefined],
    })
  })

  it('take a heading once', () => {
    expect(guessed('Phone,Mobile\n07700900001,07700900002').columns).toEqual(['phone_number', undefined])
  })

  it('are known by what they hold when there are no headings', () => {
    expect(
      guessed('Ada\tByrne\t07700900001\tada@example.org\nBen\tCole\t07700900002\tben@example.org'),
    ).toEqual({
      hasHead: false,
      columns: ['firstname', 'lastname', 'phone_number', 'email_address'],
    })
    expect(guessed('Ada Byrne,07700900001').columns).toEqual(['name', 'phone_number'])
  })

  it('does not take a row with a number for headings', () => {
    expect(guessed('Phone,07700900001\nBen,07700900002').hasHead).toBe(false)
  })
})

describe('contacts of pasted rows', () => {
  it('have their row in the paste, and no blank values', () => {
    const { rows } = read('Name\tPhone\tShop\nAda Byrne\t07700900001\t\n\t07700900002\tLeeds')
    expect(toContacts(rows, { hasHead: true, columns: ['name', 'phone_number', 'field_2'] })).toEqual([
      { row: 2, values: { firstname: 'Ada', lastname: 'Byrne', phone_number: '07700900001' } },
      { row: 3, values: { phone_number: '07700900002', field_2: 'Leeds' } },
    ])
  })

  it('have the parts of a whole name, whatever their order, and a title of their own', () => {
    const { rows } = read('Name\tPhone\n"Smith, Anna"\t1\nMs Guest Jones\t2\n"Anna, Smith & Co"\t3')
    const columns = ['name', 'phone_number']
    expect(toContacts(rows, { hasHead: true, columns }).map(({ values }) => values)).toEqual([
      { firstname: 'Anna', lastname: 'Smith', phone_number: '1' },
      { title: 'Ms', firstname: 'Guest', lastname: 'Jones', phone_number: '2' },
      { firstname: 'Anna,', lastname: 'Smith & Co', phone_number: '3' },
    ])
    const titled = read('Name\tTitle\nMs Guest Jones\tDr').rows
    expect(toContacts(titled, { hasHead: true, columns: ['name', 'title'] })[0]?.values['title']).toBe('Dr')
  })
})

describe('a refused value', () => {
  const name = { kind: 'text' as const, limit: 50 }
  const size = 'size must be between 1 and 50'

  it('is explained by its length, never in the words of the service', () => {
    expect(explainRefusal(name, 'x'.repeat(84), size)).toBe('84 characters; at most 50 are allowed.')
    expect(explainRefusal(name, undefined, size)).toBe('At most 50 characters are allowed.')
    expect(explainRefusal(name, 'x', 'This field is read-only.')).toBe('This field is read-only.')
  })

  it('is explained as a phone number in a field of numbers', () => {
    const phone = { kind: 'number' as const, limit: 16 }
    const limit = 'size must be between 1 and 16'
    expect(explainRefusal(phone, 'ask Bo for the number', limit)).toContain('“ask Bo for the number”')
    expect(explainRefusal(phone, undefined, limit)).toMatch(/^This is not a valid phone number\./)
  })
})

describe('a refused row', () => {
  it('has no number if the message names both fields as programs do', () => {
    const message = 'Either phone_number or whatsapp_number must be given.'
    expect(isNumberMissing('phone_number', message)).toBe(true)
    expect(isNumberMissing('firstname', message)).toBe(false)
    expect(isNumberMissing('phone_number', 'Invalid phone number.')).toBe(false)
  })
})
