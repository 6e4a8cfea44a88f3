// Whole names: titles, the order of the parts, and the same words as in the core.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  COMPANY_FORMS,
  DEGREES,
  DOTTED_TITLES,
  isCommaUsual,
  JOINTS,
  PARTICLES,
  splitName,
  SUFFIXES,
  TITLES,
} from './person-name'

const CORE = join(import.meta.dirname, '..', '..', '..', '..', 'src-tauri', 'model', 'spelling', 'src')

const split = (name: string, usual = false): string[] => {
  const { title, firstname, lastname } = splitName(name, usual)
  return [title, firstname, lastname]
}

describe('a whole name', () => {
  it.each([
    ['  Ada  van der Byrne ', '', 'Ada', 'van der Byrne'],
    ['Ada', '', 'Ada', ''],
    ['Smith, Anna', '', 'Anna', 'Smith'],
    ['Brown,Charlie', '', 'Charlie', 'Brown'],
    ['van der Berg, Anna Marie', '', 'Anna Marie', 'van der Berg'],
    ['Ms Guest Jones', 'Ms', 'Guest', 'Jones'],
    ['Dr. Ada Lovelace', 'Dr.', 'Ada', 'Lovelace'],
    ['Prof. Dr. med. Eva Stern', 'Prof. Dr. med.', 'Eva', 'Stern'],
    ['Lovelace, Dr. Ada', 'Dr.', 'Ada', 'Lovelace'],
    ['Mr & Mrs Smith', 'Mr & Mrs', '', 'Smith'],
    ['Sra. Ana García', 'Sra.', 'Ana', 'García'],
    ['M. Jean Dupont', 'M.', 'Jean', 'Dupont'],
    ['M. Smith', '', 'M.', 'Smith'],
    ['Frau', '', 'Frau', ''],
    ['', '', '', ''],
  ])('is split: %s', (name, ...parts) => expect(split(name)).toEqual(parts))

  it.each(['Anna, Smith & Co', 'Ada Lovelace, PhD', 'Anna, Smith and Co.', 'King, Jr.', 'Flat 1, York'])(
    'keeps a comma with another meaning: %s',
    (name) => expect(split(name).join(' ').trim()).toBe(name),
  )

  it('has two last names where most names have a comma', () => {
    expect(split('García Márquez, Gabriel', true)).toEqual(['', 'Gabriel', 'García Márquez'])
    expect(isCommaUsual(['García Márquez, Gabriel', 'Rossi, Anna', ''])).toBe(true)
    expect(isCommaUsual(['Ada Lovelace', 'Rossi, Anna'])).toBe(false)
  })

  it('is split by the words of the core', () => {
    const core = readFileSync(join(CORE, 'person_name.rs'), 'utf8')
    const lists = { TITLES, DOTTED_TITLES, DEGREES, JOINTS, PARTICLES, SUFFIXES, COMPANY_FORMS }
    for (const [list, words] of Object.entries(lists)) {
      const rows = new RegExp(`^const ${list}: [^=]*=\\s*\\[([^;]*)\\];`, 'm').exec(core)?.[1] ?? ''
      expect(words, list).toEqual([...rows.matchAll(/"([^"]+)"/g)].map(([, word]) => word))
    }
  })
})
