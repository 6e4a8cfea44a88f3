// A sentence that no source says any more must be found, however its source is written.
import { describe, expect, it } from 'vitest'
import { findGone } from './sentences.mjs'

const RUST = String.raw`
  format!("Type {}, the number of lists that will be deleted.", wanted.len())
  "There is nothing here. Try \
   again."
  #[error("{text:?} is not valid. Use \"7\".")]
  format!("{what} {} {looks} as if {it} said who opted out. Skip {them}.")
  Self::ShortLink => "short_link",
`

describe('the sentences of the core', () => {
  it.each([
    ['core_a', 'Type {count}, the number of lists that will be deleted.'],
    ['core_a', 'There is nothing here. Try again.'],
    ['core_a', '{text} is not valid. Use "7".'],
    ['core_a', 'The columns {names} look as if they said who opted out. Skip them.'],
    ['core_noun_link', 'short link'],
  ])('%s is said: %s', (key, sentence) => expect(findGone({ [key]: sentence }, [RUST])).toEqual([]))

  it.each([
    ['core_a', 'There is nothing here.  Try again.'],
    ['core_a', 'Type {count}, the number of contacts that will be deleted.'],
    ['core_a', 'The columns {names} look as if they said who left. Skip them.'],
    ['core_noun_list', 'list'],
  ])('%s is gone: %s', (key, sentence) => expect(findGone({ [key]: sentence }, [RUST])).toEqual([key]))
})
