// The current route, stored in the fragment of the address, so that back and forward work.

export interface Route {
  /** The first segment of the path: `lists` of `#/lists/<uid>`. */
  section: string
  /** The segments after it. */
  params: readonly string[]
  query: Readonly<Record<string, string>>
}

/** What a screen gets of the route to it. */
export type ScreenProps = Omit<Route, 'section'>

export const HOME = 'overview'

export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [section = '', ...params] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart)
  return {
    section: section === '' ? HOME : section,
    params,
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

/** Returns the address of a route: `href('lists', uid)` is `#/lists/<uid>`. */
export function href(section: string, ...params: readonly string[]): string {
  return ['#', section, ...params.map(encodeURIComponent)].join('/')
}

/** Decodes a segment. An address typed by hand may contain invalid percent-encoding. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export class Router {
  place = $state.raw<Route>(parseRoute(location.hash))
  /** The position in the page's own history, to know whether back and forward are possible. */
  #at = $state(0)
  #last = $state(0)
  readonly canGoBack = $derived(this.#at > 0)
  readonly canGoForward = $derived(this.#at < this.#last)
  readonly #watchers = new Set<(place: Route) => void>()

  constructor() {
    if (typeof history.state?.at === 'number') {
      this.#at = history.state.at as number
      this.#last = Math.max(this.#at, Number(sessionStorage.getItem('roost.history') ?? this.#at))
    } else {
      history.replaceState({ at: 0 }, '', location.href)
    }
    addEventListener('popstate', (event) => this.#handleArrival(event.state as { at?: number } | null))
  }

  get section(): string {
    return this.place.section
  }

  /** Goes to an address such as `href('lists', uid)`; with `replace`, the current history entry is overwritten. */
  go(address: string, { replace = false }: { replace?: boolean } = {}): void {
    const target = address.startsWith('#') ? address : `#/${address}`
    if (target === location.hash) return
    if (replace) {
      history.replaceState({ at: this.#at }, '', target)
    } else {
      this.#at += 1
      this.#last = this.#at
      sessionStorage.setItem('roost.history', String(this.#last))
      history.pushState({ at: this.#at }, '', target)
    }
    this.#setPlace()
  }

  back(): void {
    if (this.canGoBack) history.back()
  }

  forward(): void {
    if (this.canGoForward) history.forward()
  }

  /** Calls a function after every navigation, whoever started it. */
  watch(watcher: (place: Route) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #handleArrival(state: { at?: number } | null): void {
    if (typeof state?.at === 'number') {
      this.#at = state.at
    } else {
      // A link or a typed address: the browser has pushed an entry that has no number yet.
      this.#at += 1
      this.#last = this.#at
      sessionStorage.setItem('roost.history', String(this.#last))
      history.replaceState({ at: this.#at }, '', location.href)
    }
    this.#setPlace()
  }

  #setPlace(): void {
    this.place = parseRoute(location.hash)
    for (const watcher of this.#watchers) watcher(this.place)
  }
}

export const router = new Router()
