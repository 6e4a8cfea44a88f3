// Hard-wired texts must be found anywhere, and texts from the messages must be accepted.
import { describe, expect, it } from 'vitest'
import { textsIn, unusedMessages } from './texts.mjs'

const texts = (source) => textsIn(source).map(({ text }) => text)

describe('texts in components', () => {
  it.each([
    ['<p>Hello</p>', 'Hello'],
    ['{#if a}<b>Yes</b>{/if}', 'Yes'],
    ['<button title="Close">×</button>', 'Close'],
    ['<Field label={busy ? "Wait" : m.a()} />', 'Wait'],
    ['<input placeholder={`Find ${a}`} />', 'Find '],
    ['{#snippet a()}Inside{/snippet}', 'Inside'],
  ])('are found in %s', (source, text) => expect(texts(source)).toEqual([text]))

  it.each([
    ['<p>{m.kit_close()}</p>'],
    ['<p>· 12 / 3</p>'],
    ['<p translate="no">roost serve</p>'],
    ['<!-- a note --><script>const a = "text"</script><style>p { color: red }</style>'],
    ['<a class="link" href="#/lists" data-testid="go">→</a>'],
  ])('are not seen in %s', (source) => expect(texts(source)).toEqual([]))
})

it('finds the messages that nothing uses', () => {
  const sources = ['<p>{m.kit_close()}</p>', 'const title = m.lists_title']
  expect(unusedMessages(['kit_close', 'lists_title', 'kit_clo', 'lists_text'], sources)).toEqual([
    'kit_clo',
    'lists_text',
  ])
})
