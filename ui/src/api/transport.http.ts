// The web console's transport: HTTP on loopback, with the admin token from the fragment of the page's address.
import { Failure, toFailure } from './errors'
import type { ChangeEvent } from './generated'
import type { Transport } from './transport'

const ROOT = '/__console'
const TOKEN_KEY = 'roost.console.token'
const RETRY_FIRST_MS = 500
const RETRY_LAST_MS = 10_000

/** Removes the token from the address bar, so that a copied link or a screenshot does not reveal it. */
export function adoptToken(): void {
  // URLSearchParams would decode a plus sign as a space.
  const token = /^#token=([^&]*)/.exec(location.hash)?.[1]
  if (token === undefined) return
  if (token !== '') sessionStorage.setItem(TOKEN_KEY, decodeURIComponent(token))
  history.replaceState(history.state, '', location.pathname + location.search)
}

function authorization(): string {
  const token = sessionStorage.getItem(TOKEN_KEY)
  if (token === null) throw new Failure('no_token', 'The page was opened without its token.')
  return `Bearer ${token}`
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(ROOT + path, {
      ...init,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Failure('unreachable', 'The server does not respond.')
  }
  if (response.ok) return response
  if (response.status === 401 || response.status === 403) {
    throw new Failure('no_token', 'The server refused the token of this page.')
  }
  throw toFailure(await response.json().catch(() => null))
}

function post(name: string, payload: unknown, origin: string, signal?: AbortSignal): Promise<Response> {
  return ask(`/call/${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: {
      authorization: authorization(),
      'content-type': 'application/json',
      'x-roost-origin': origin,
    },
    body: JSON.stringify(payload),
    ...(signal === undefined ? {} : { signal }),
  })
}

export const httpTransport: Transport = {
  kind: 'browser',

  async call(name, payload, origin) {
    return (await (await post(name, payload, origin)).json()) as unknown
  },

  async callBytes(name, payload, origin, signal) {
    return (await post(name, payload, origin, signal)).arrayBuffer()
  },

  changes(onchange, link) {
    const stop = new AbortController()
    void follow(onchange, link, stop.signal)
    return () => stop.abort()
  },

  async ready() {},

  // A browser has its own menu bar.
  async drawMenu() {},

  whenChosen() {},

  async setTheme() {},

  // A browser shows its own question, and only if the event is cancelled synchronously.
  beforeClose() {
    const stay = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', stay)
    return () => window.removeEventListener('beforeunload', stay)
  },

  async quit() {},
}

/** Reads the stream for as long as the page lives. Reconnects after each failure, with growing delays. */
async function follow(
  onchange: (change: ChangeEvent) => void,
  link: (state: 'live' | 'broken') => void,
  signal: AbortSignal,
): Promise<void> {
  let wait = RETRY_FIRST_MS
  while (!signal.aborted) {
    try {
      const response = await ask('/changes', { headers: { authorization: authorization() }, signal })
      link('live')
      wait = RETRY_FIRST_MS
      for await (const line of lines(response)) onchange(JSON.parse(line) as ChangeEvent)
    } catch {
      // The code below reports the broken connection, whatever the cause.
    }
    if (signal.aborted) return
    link('broken')
    const pause = wait
    await new Promise((resolve) => setTimeout(resolve, pause))
    wait = Math.min(wait * 2, RETRY_LAST_MS)
  }
}

/** Yields the non-empty lines of a streamed body, however it is split into chunks. */
export async function* lines(response: Response): AsyncGenerator<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += decoder.decode(value, { stream: !done })
      const whole = rest.split('\n')
      rest = whole.pop() ?? ''
      for (const line of whole) if (line.trim() !== '') yield line
      if (done) {
        if (rest.trim() !== '') yield rest
        return
      }
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}
