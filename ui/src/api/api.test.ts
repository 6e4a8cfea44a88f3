// Calls to the core: the stream of changes, the change feed and the failures.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, lastActNumber } from './call'
import { ChangeFeed } from './changes'
import { Failure, toFailure } from './errors'
import type { ChangeEvent } from './generated'
import type { LinkState } from './transport'
import { adoptToken, httpTransport, lines } from './transport.http'

afterEach(() => {
  vi.unstubAllGlobals()
  sessionStorage.clear()
  location.hash = ''
})

function streamed(...chunks: (string | Uint8Array)[]): Response {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk))
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of bytes) controller.enqueue(chunk)
        controller.close()
      },
    }),
  )
}

async function gathered(response: Response): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines(response)) all.push(line)
  return all
}

describe('lines of a stream', () => {
  it('are whole wherever the chunks were cut', async () => {
    expect(await gathered(streamed('{"a"', ':1}\n{"b":2}', '\n\n', '{"c":3}'))).toEqual([
      '{"a":1}',
      '{"b":2}',
      '{"c":3}',
    ])
  })

  it('survive a cut inside a character', async () => {
    const bird = new TextEncoder().encode('🐦\n')
    expect(await gathered(streamed(bird.slice(0, 2), bird.slice(2)))).toEqual(['🐦'])
  })
})

describe('change feed', () => {
  function feed(hasRead = false): {
    feed: ChangeFeed
    hear: (change: Partial<ChangeEvent>) => void
    link: (state: LinkState) => void
  } {
    let heard: (change: ChangeEvent) => void = () => undefined
    let linked: (state: LinkState) => void = () => undefined
    const made = new ChangeFeed(
      {
        changes(onChange, onLink) {
          heard = onChange
          linked = onLink
          return () => undefined
        },
      },
      (origin) => origin === 'me',
      () => hasRead,
    )
    made.start()
    const hear = (change: Partial<ChangeEvent>): void =>
      heard({ seq: 1, nouns: ['list'], by: 'user', origin: null, step: null, ...change })
    return { feed: made, hear, link: (state) => linked(state) }
  }

  it('notifies those who follow the noun, but not of its own echo', () => {
    const { feed: changes, hear } = feed()
    const lists = vi.fn()
    const senders = vi.fn()
    changes.follow(['list'], lists)
    changes.follow(['sender'], senders)
    hear({ seq: 7 })
    hear({ seq: 8, origin: 'me' })
    hear({ seq: 9, origin: 'someone else' })
    expect(lists).toHaveBeenCalledTimes(2)
    expect(senders).not.toHaveBeenCalled()
  })

  it('refreshes everything when a change was missed', () => {
    const { feed: changes, hear } = feed()
    const senders = vi.fn()
    changes.follow(['sender'], senders)
    hear({ seq: 7 })
    hear({ seq: 9, origin: 'me' })
    expect(senders).toHaveBeenCalledTimes(1)
  })

  it('refreshes everything when a broken link is live again, and only then', () => {
    const { feed: changes, link } = feed()
    const lists = vi.fn()
    const linkChanges = vi.fn()
    changes.follow(['list'], lists)
    changes.watchLink(linkChanges)
    link('live')
    expect(lists).not.toHaveBeenCalled()
    link('broken')
    link('live')
    expect(lists).toHaveBeenCalledTimes(1)
    expect(linkChanges.mock.calls).toEqual([['live'], ['broken'], ['live']])
  })

  it('refreshes what was read before the link was live', () => {
    const { feed: changes, link } = feed(true)
    const lists = vi.fn()
    changes.follow(['list'], lists)
    link('live')
    link('live')
    expect(lists).toHaveBeenCalledTimes(1)
  })

  it('notifies the first follower of earlier changes', () => {
    const { feed: changes, hear } = feed()
    const [first, second] = [vi.fn(), vi.fn()]
    hear({ seq: 7 })
    changes.followAll(first)
    changes.followAll(second)
    expect(first).toHaveBeenCalledTimes(1)
    expect(second).not.toHaveBeenCalled()
  })

  it('forgets who stopped following', () => {
    const { feed: changes, hear } = feed()
    const lists = vi.fn()
    changes.follow(['list'], lists)()
    hear({})
    expect(lists).not.toHaveBeenCalled()
  })
})

describe('faults', () => {
  it('keep the code and the place of a fault', () => {
    const failure = toFailure({
      code: 'invalid',
      message: 'no',
      details: [{ path: 'name', message: 'Invalid list name', rejected: '' }],
    })
    expect(failure.code).toBe('invalid')
    expect(failure.getFieldMessage('name')).toBe('Invalid list name')
    expect(failure.getFieldMessage('other')).toBeUndefined()
  })

  it.each([
    [null],
    ['text'],
    [{ code: 'made up', message: 'x', details: [] }],
    [{ code: 'constructor', message: '', details: [] }],
  ])('turn %o into a failure with a code', (thrown) => expect(toFailure(thrown).code).toBe('internal'))
})

describe('a call', () => {
  it('that is aborted is ended in the core, as soon as it has begun there', async () => {
    sessionStorage.setItem('roost.console.token', 't')
    const cancellations: unknown[] = []
    let sent: unknown
    let answer: (response: Response) => void = () => expect.fail('nothing was asked')
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      if (!url.endsWith('/task_cancel_call')) {
        sent = new Headers(init.headers).get('x-roost-origin')
        return new Promise<Response>((resolve) => (answer = resolve))
      }
      cancellations.push(JSON.parse(String(init.body)))
      const cancelled = cancellations.length === 2
      if (cancelled)
        answer(new Response('{"code":"cancelled","message":"Stopped.","details":[]}', { status: 409 }))
      return Promise.resolve(Response.json({ cancelled }))
    })
    const leaving = new AbortController()
    const asked = call('overview_get', {}, leaving.signal)
    leaving.abort()
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' })
    expect(cancellations).toEqual([{ origin: sent }, { origin: sent }])
    await expect(call('overview_get', {}, leaving.signal)).rejects.toThrow()
  })
})

describe('the last act', () => {
  it('is the last command that changes records', async () => {
    sessionStorage.setItem('roost.console.token', 't')
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json({})))
    await call('list_create', { name: 'Spring' })
    const act = lastActNumber()
    await call('overview_get', {})
    await call('plan_make', {})
    expect(lastActNumber()).toBe(act)
    await call('history_undo', {})
    expect(lastActNumber()).toBeGreaterThan(act)
  })
})

describe('the console', () => {
  it('takes the token out of the address and sends it with the call', async () => {
    location.hash = '#token=a+b%2Fd='
    adoptToken()
    expect(location.hash).toBe('')
    const ask = vi.fn(() => Promise.resolve(new Response('{"ok":true}')))
    vi.stubGlobal('fetch', ask)
    expect(await httpTransport.call('overview_get', {}, 'me')).toEqual({ ok: true })
    const [url, init] = ask.mock.calls[0] as unknown as [string, RequestInit]
    expect(url).toBe('/__console/call/overview_get')
    expect(init.headers).toMatchObject({ authorization: 'Bearer a+b/d=', 'x-roost-origin': 'me' })
    expect(init.body).toBe('{}')
  })

  it('leaves another fragment alone', () => {
    location.hash = '#/lists'
    adoptToken()
    expect(location.hash).toBe('#/lists')
  })

  const failing = async (answer: () => Promise<Response>, token = 't'): Promise<Failure> => {
    if (token !== '') sessionStorage.setItem('roost.console.token', token)
    vi.stubGlobal('fetch', vi.fn(answer))
    return httpTransport.call('overview_get', {}, 'me').then(
      () => expect.fail('the call went through'),
      (error: unknown) => error as Failure,
    )
  }

  it('asks for its link without a token, or with a wrong one', async () => {
    expect((await failing(() => expect.fail('asked without a token'), '')).code).toBe('no_token')
    expect((await failing(() => Promise.resolve(new Response('', { status: 401 })))).code).toBe('no_token')
  })

  it('distinguishes a silent server from one that refuses', async () => {
    expect((await failing(() => Promise.reject(new TypeError('refused')))).code).toBe('unreachable')
    const refusal = JSON.stringify({ code: 'conflict', message: 'taken', details: [] })
    const refused = await failing(() => Promise.resolve(new Response(refusal, { status: 409 })))
    expect([refused.code, refused.message]).toEqual(['conflict', 'taken'])
    expect((await failing(() => Promise.resolve(new Response('<html>', { status: 502 })))).code).toBe(
      'internal',
    )
  })

  it('hands bytes on as they are, and stops waiting when it is aborted', async () => {
    sessionStorage.setItem('roost.console.token', 't')
    const ask = vi.fn((_: string, init: RequestInit) =>
      init.signal?.aborted === true
        ? Promise.reject(new DOMException('aborted', 'AbortError'))
        : Promise.resolve(new Response(new Uint8Array([0, 255, 10]))),
    )
    vi.stubGlobal('fetch', ask)
    const bytes = await httpTransport.callBytes('grid_window', {}, 'me')
    expect([...new Uint8Array(bytes)]).toEqual([0, 255, 10])
    const stop = new AbortController()
    stop.abort()
    await expect(httpTransport.callBytes('grid_window', {}, 'me', stop.signal)).rejects.toThrow('aborted')
  })
})
