// The vocabulary must find a refused word in every form of a message, and nothing else.
import { describe, expect, it } from 'vitest'
import { breachesOf, needlessExceptions, refusedWords } from './words.mjs'

const refused = refusedWords(`
| word | meaning | not these words |
|---|---|---|
| fix | Replace an invalid value. | mend, put right |
| split | Divide. | cut (\`a_cut\`, \`a_copy\`) |
`)
const forms = (one, other) => [{ match: { 'many=one': one, 'many=other': other } }]
const found = (messages) => breachesOf(messages, refused).map(({ key, word, use }) => `${key} ${word} ${use}`)

describe('the vocabulary', () => {
  it.each([
    [{ a_title: 'Mend the rows' }, 'a_title mend fix'],
    [{ a_title: 'Rows to put  right' }, 'a_title put right fix'],
    [{ a_title: forms('1 row', 'Cut rows') }, 'a_title cut split'],
    [{ a_title: 'Cut-out' }, 'a_title cut split'],
  ])('refuses %o', (messages, breach) => expect(found(messages)).toEqual([breach]))

  it.each([
    [{ a_title: 'Recommend' }],
    [{ a_title: 'Shortcut' }],
    [{ a_title: 'Save {cut} and {mend}' }],
    [{ a_title: 'https://cut.example/mend' }],
    [{ a_cut: 'Cut' }],
    [{ a_copy: forms('Cut 1 cell', 'Cut 2 cells') }],
  ])('allows %o', (messages) => expect(found(messages)).toEqual([]))

  it('has no exception that no message needs', () =>
    expect(needlessExceptions({ a_cut: 'Cut', a_copy: 'Copy' }, refused)).toEqual([
      { word: 'cut', key: 'a_copy' },
    ]))

  it('must be a table', () => expect(() => refusedWords('| fix | mend |')).toThrow('three columns'))
})
