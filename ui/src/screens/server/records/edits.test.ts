// Edits of records are remembered and undone one by one, whatever happens in the meantime.
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Failure } from '../../../api/errors'
import { sendRequest, type AdminRequest } from '../admin-request'
import { RecordEdits } from './edits.svelte'

vi.mock('../admin-request', async (all) => ({ ...(await all<object>()), sendRequest: vi.fn() }))
const answer = (by: (act: AdminRequest) => unknown): void =>
  void vi.mocked(sendRequest).mockImplementation((act) => Promise.resolve(act).then(by))

let step = 0
/** A server that records each edit as one step. */
const works = ({ method, target, body }: AdminRequest): unknown =>
  method === 'GET' && target.includes('/steps') ? { items: [{ step: ++step, is_undone: false }] } : body

const change = (edits: RecordEdits, id: string): Promise<unknown> =>
  edits.act('senders', { method: 'PUT', target: `/${id}`, body: { id, name: 'B' } }, { id, name: 'A' })
const keysOf = (those: readonly { key: string }[]): string[] => those.map(({ key }) => key)

describe('edits of records', () => {
  beforeEach(() => answer(works))

  test('are taken back and done again, the last one first', async () => {
    const edits = new RecordEdits('default')
    await change(edits, 'one')
    await change(edits, 'two')
    await edits.undoOrRedo('undo')
    expect([keysOf(edits.done), keysOf(edits.undone)]).toEqual([['one'], ['two']])
    await edits.undoOrRedo('redo')
    expect([keysOf(edits.done), keysOf(edits.undone)]).toEqual([['one', 'two'], []])
  })

  test('are done although their step cannot be looked up', async () => {
    answer((act) => {
      if (act.target.includes('/steps')) throw new Failure('unreachable', '')
      return works(act)
    })
    const edits = new RecordEdits('default')
    expect(await change(edits, 'one')).toEqual({ id: 'one', name: 'B' })
    expect(edits.done).toEqual([])
  })

  test('that were done while another is taken back stay', async () => {
    const edits = new RecordEdits('default')
    await change(edits, 'one')
    let go: () => void = () => undefined
    const gate = new Promise<void>((open) => (go = open))
    answer((act) => (act.target.endsWith('/undo') ? gate : works(act)))
    const turned = edits.undoOrRedo('undo')
    await change(edits, 'two')
    go()
    await turned
    expect([keysOf(edits.done), keysOf(edits.undone)]).toEqual([['two'], ['one']])
  })

  test('that the server no longer knows are skipped, and no others', async () => {
    const edits = new RecordEdits('default')
    await change(edits, 'one')
    await change(edits, 'two')
    const [first] = edits.done
    if (first !== undefined) edits.leaveOut('undo', first)
    expect(keysOf(edits.done)).toEqual(['two'])
    answer(() => {
      throw new Failure('not_found', '')
    })
    await expect(edits.undoOrRedo('undo')).rejects.toThrow(Failure)
    expect(edits.done).toEqual([])
  })
})
