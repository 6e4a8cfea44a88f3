// The descriptions of acts: none is missing, and their numbers and names are correct.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  hasActText,
  describeNounCount,
  getNounTitle,
  getSourceTitle,
  describeAct,
  describeUndoOrRedo,
} from './acts'

const CORE = join(import.meta.dirname, '..', '..', '..', '..', 'src-tauri')

interface Source {
  folder: string
  text: string
}

function rustSources(crate: string): Source[] {
  const root = join(CORE, crate, 'src')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.rs'))
    .map((path) => ({
      folder: dirname(join(root, path)),
      text: readFileSync(join(root, path), 'utf8').split('#[cfg(test)]')[0] ?? '',
    }))
}

const literals = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? '')

/** Returns the acts that a function receives from its caller: `go(tx, &sender, "sender_delete")`. */
function passedOn({ folder, text }: Source, sources: readonly Source[]): string[] {
  if (!/ActDescription::new\(\s*[a-z]\w*\s*\)/.test(text)) return []
  const tellers = literals(text, /\bfn (\w+)[^{]*?\w+: &'static str/g)
  const near = sources.filter((source) => source.folder === folder).map((source) => source.text)
  const chosen = literals(text, /let act = (if [^;]*);/g).flatMap((choice) => literals(choice, /"(\w+)"/g))
  return tellers
    .flatMap((name) =>
      near.flatMap((code) => literals(code, new RegExp(`\\b${name}\\([^;{}"]*"(\\w+)"`, 'g'))),
    )
    .concat(chosen)
}

describe('an act as a sentence', () => {
  it('has words for every act that the core names', () => {
    const sources = ['ops', 'store', 'sync'].flatMap(rustSources)
    const written = sources.flatMap(({ text }) => literals(text, /ActDescription::new\(\s*"(\w+)"/g))
    const passed = sources.flatMap((source) => passedOn(source, sources))
    // One example of each way to name an act, so that no pattern can silently stop matching.
    expect(written).toContain('list_merge')
    for (const act of [
      'sender_delete',
      'list_pin',
      'account_rename',
      'undo',
      'contact_move',
      'asset_inbound',
    ])
      expect(passed).toContain(act)
    expect([...new Set([...written, ...passed])].filter((act) => !hasActText(act))).toEqual([])
  })

  it('has words for whatever a step is called by its first change', () => {
    const log = readFileSync(join(CORE, 'store', 'src', 'change_log.rs'), 'utf8')
    const nouns = [...log.matchAll(/\b[A-Z]\w* = "(\w+)"/g)].map((match) => match[1] ?? '')
    expect(nouns).toContain('short_link')
    const isNoun = (word: string): boolean => hasActText(`noun_${word}`) && hasActText(`count_${word}`)
    for (const word of nouns.filter(isNoun)) {
      for (const action of ['created', 'updated', 'deleted'])
        expect(hasActText(`${word}_${action}`), word).toBe(true)
    }
    const others = nouns.filter((word) => !isNoun(word) && !hasActText(`source_${word}`))
    expect(others).toEqual(['created', 'updated', 'deleted'])
  })

  it('names one thing and counts several', () => {
    expect(describeAct({ act: 'list_delete', subject: 'Spring', count: 1 })).toBe('Deleted list “Spring”')
    expect(describeAct({ act: 'list_delete', subject: null, count: 1 })).toBe('Deleted a list')
    expect(describeAct({ act: 'list_delete', subject: null, count: 1200 })).toMatch(/^Deleted 1.200 lists$/)
    expect(describeAct({ act: 'contact_move', subject: 'Spring', count: 12 })).toBe(
      'Moved 12 contacts to “Spring”',
    )
    expect(describeAct({ act: 'contact_move', subject: 'Ann', count: 1 })).toBe(
      'Moved contact “Ann” to another list',
    )
  })

  it('says what was undone', () => {
    expect(describeAct({ act: 'undo', subject: 'list_delete', count: 1 })).toBe('Undid: Deleted a list')
    const reversed = { act: 'sync_undo', subject: null, count: 241 }
    expect(describeAct({ act: 'undo', subject: 'sync_undo', count: 1 }, reversed)).toBe(
      'Undid: Reversed a run with 241 contacts',
    )
    expect(describeUndoOrRedo('undone', { act: 'list_delete', subject: 'Spring', count: 1 })).toBe(
      'Undone: Deleted list “Spring”',
    )
    expect(
      describeUndoOrRedo(
        'redone',
        { act: 'list_delete', subject: 'Spring', count: 1 },
        { rows: 1, kept: 2, opt_outs_kept: 0 },
      ),
    ).toBe('Redone: Deleted list “Spring”. 2 later changes were left as they are.')
    expect(
      describeUndoOrRedo(
        'undone',
        { act: 'opt_out_add', subject: null, count: 3 },
        { rows: 0, kept: 1, opt_outs_kept: 3 },
      ),
    ).toMatch(
      /^Nothing was undone\. 3 opt-outs stay\. To remove them, give a reason under Opt-outs\. One later change was left as it is\.$/,
    )
    expect(
      describeUndoOrRedo(
        'redone',
        { act: 'opt_out_remove', subject: '+447700900001', count: 1 },
        { rows: 0, kept: 0, opt_outs_kept: 1 },
      ),
    ).toBe('Nothing was redone. The opt-out stays. To remove it, give a reason under Opt-outs.')
    expect(
      describeUndoOrRedo(
        'undone',
        { act: 'import_accept', subject: 'Spring', count: 5 },
        { rows: 5, kept: 0, opt_outs_kept: 2 },
      ),
    ).toMatch(/^Undone: .*\. 2 opt-outs stay\./)
  })

  it('has something to say of an act from a newer version, and shows what a name hides', () => {
    expect(describeAct({ act: 'list_fold', subject: null, count: 1 })).toBe('Changed an item')
    expect(describeAct({ act: 'list_create', subject: 'a\u202eb', count: 1 })).toBe(
      'Created list “a[U+202E]b”',
    )
  })

  it('knows who and what', () => {
    expect(getSourceTitle('interface')).toBe('REST interface')
    expect(getNounTitle('opt_out')).toBe('Opt-outs')
    expect(describeNounCount('contact', 1)).toBe('1 contact')
    expect(describeNounCount('contact', 3)).toBe('3 contacts')
  })
})
