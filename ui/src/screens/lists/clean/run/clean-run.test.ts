// Following a run to its end, repeating it, and starting it again after the core closed it.
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../../api/errors'
import { CleanRun, type RunStatus } from './clean-run.svelte'

const status = (patch: Partial<RunStatus>): RunStatus => ({
  id: 1,
  list: 'list',
  generation: 1,
  is_working: false,
  rows_read: 0,
  rows_total: 0,
  is_stale: false,
  fault: null,
  ...patch,
})

/** A core that gives the prepared responses in order. */
function core(...answers: (RunStatus | Failure)[]) {
  const asked: string[] = []
  let found = 0
  const next = (what: string): Promise<RunStatus> => {
    asked.push(what)
    const answer = answers.shift()
    return answer instanceof Failure ? Promise.reject(answer) : Promise.resolve(answer ?? status({}))
  }
  const noted = (what: string) => (id: number) => {
    asked.push(`${what} ${id}`)
    return Promise.resolve()
  }
  const run = new CleanRun<RunStatus>(
    'list',
    {
      open: () => next('open'),
      state: (id) => next(`state ${id}`),
      refresh: noted('refresh'),
      cancel: noted('cancel'),
      close: noted('close'),
    },
    () => {
      found += 1
      return Promise.resolve()
    },
  )
  return { run, asked, found: () => found }
}

describe('a run', () => {
  it('is followed to its end and announces once what was found', async () => {
    const { run, asked, found } = core(
      status({ is_working: true, generation: 0 }),
      status({ is_working: true, generation: 0, rows_read: 5 }),
      status({}),
      status({ is_stale: true }),
    )
    await run.checkStatus()
    expect(asked).toEqual(['open', 'state 1', 'state 1'])
    expect(found()).toBe(1)
    await run.checkStatus()
    expect([found(), run.status?.is_stale]).toEqual([1, true])
  })

  it('is done again, and new findings are announced', async () => {
    const { run, asked, found } = core(status({}), status({ generation: 2 }))
    await run.open()
    await run.refresh()
    expect(asked).toEqual(['open', 'refresh 1', 'state 1'])
    expect(found()).toBe(2)
  })

  it('is started again if the core closed it or uses its number for another list', async () => {
    const gone = core(status({}), new Failure('conflict', 'Closed.'), status({ id: 2 }))
    await gone.run.open()
    await gone.run.checkStatus()
    expect(gone.asked).toEqual(['open', 'state 1', 'open'])
    const other = core(status({}), status({ list: 'another' }), status({ id: 3 }))
    await other.run.open()
    await other.run.checkStatus()
    expect([other.run.status?.id, other.found()]).toEqual([3, 2])
  })

  it('makes room for a later one, whichever answers first', async () => {
    const { run, asked } = core(status({ id: 1 }), status({ id: 2 }))
    await Promise.all([run.open(), run.open()])
    expect(run.status?.id).toBe(2)
    expect(asked).toContain('close 1')
    expect(asked).not.toContain('close 2')
  })

  it('shows what went wrong, and that it was ended', async () => {
    const { run } = core(
      new Failure('internal', 'No.'),
      status({ is_working: true }),
      status({ fault: 'The operation was cancelled.' }),
    )
    await run.open()
    expect(run.failure?.message).toBe('No.')
    await run.checkStatus()
    expect([run.failure, run.isStopped, run.status?.fault]).toEqual([
      undefined,
      false,
      'The operation was cancelled.',
    ])
    await run.cancel()
    expect(run.isStopped).toBe(true)
  })
})
