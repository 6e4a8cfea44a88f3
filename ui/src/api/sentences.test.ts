// Sentences of the core are shown in the language of the page, and stay as they are in English.
import { afterEach, describe, expect, it } from 'vitest'
import { language, formatTranslation } from '../lib/locale.svelte'
import { Failure } from './errors'
import { learnSentences, toSentence, translateFailure, translateSentence } from './sentences'

const German = {
  core_no_field: () => 'Dieses Feld gibt es nicht.',
  core_size: ({ least, most }: { least: string; most: string }) =>
    formatTranslation`Erlaubt sind ${least} bis ${most}.`,
  core_list: ({ name }: { name: string }) => formatTranslation`Es gibt keine Liste „${name}“.`,
  core_what: ({ what }: { what: string }) => formatTranslation`${what} Prüfen Sie die Adresse.`,
  core_other: ({ what }: { what: string }) =>
    formatTranslation`Es ist ein anderes Konto: ${what}. Nichts wurde geändert. Prüfen Sie die Adresse.`,
  core_gone: () => 'keine Liste ist mehr da',
}
const ENGLISH = {
  core_no_field: 'The field was not found.',
  core_size: 'size must be between {least} and {most}',
  core_list: 'There is no list “{name}”.',
  core_what: '{what} Check the address.',
  core_other: 'It is another account: {what}. Nothing was changed. Check the address.',
  core_gone: 'no list is left',
}

function speakGerman(): void {
  learnSentences(ENGLISH)
  language.speak('de', German)
}

afterEach(() => language.speak('en'))

describe('a sentence of the core', () => {
  it.each([
    ['The field was not found.', 'Dieses Feld gibt es nicht.'],
    ['size must be between 1 and 50', 'Erlaubt sind 1 bis 50.'],
    ['There is no list “The field was not found.”.', 'Es gibt keine Liste „The field was not found.“.'],
    ['The field was not found. Check the address.', 'Dieses Feld gibt es nicht. Prüfen Sie die Adresse.'],
    ['Something new.', 'Something new.'],
    ['', ''],
  ])('%s is %s', (english, german) => {
    speakGerman()
    expect(translateSentence(english)).toBe(german)
    language.speak('en')
    expect(translateSentence(english)).toBe(english)
  })

  it('may be missing', () =>
    expect([toSentence(null), toSentence(undefined)]).toEqual([undefined, undefined]))

  it('is translated with its advice, which is shown apart', () => {
    speakGerman()
    const message = 'It is another account: no list is left.'
    expect(translateFailure({ message, advice: 'Nothing was changed. Check the address.' })).toEqual({
      message: 'Es ist ein anderes Konto: keine Liste ist mehr da.',
      advice: 'Nichts wurde geändert. Prüfen Sie die Adresse.',
    })
    expect(translateFailure({ message: 'The field was not found.', advice: null })).toEqual({
      message: 'Dieses Feld gibt es nicht.',
      advice: undefined,
    })
    expect(translateFailure({ message: 'New.', advice: 'The field was not found.' })).toEqual({
      message: 'New.',
      advice: 'Dieses Feld gibt es nicht.',
    })
  })

  it('is translated in a failure, for the whole and for each field', () => {
    speakGerman()
    const faults = ['The field was not found.', 'size must be between 1 and 5'].map((message, at) => ({
      path: `fields[${at}]`,
      message,
      rejected: null,
    }))
    const failure = new Failure('invalid', faults.map(({ message }) => message).join(' '), faults)
    expect(failure.message).toBe('Dieses Feld gibt es nicht. Erlaubt sind 1 bis 5.')
    expect(failure.getFieldMessage('fields[1]')).toBe('Erlaubt sind 1 bis 5.')
    expect(new Failure('not_found', 'There is no list “Mai”.').message).toBe('Es gibt keine Liste „Mai“.')
  })
})
