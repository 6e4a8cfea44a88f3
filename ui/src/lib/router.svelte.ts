// Where in the program the person is: the fragment of the address, so that back and forward work.

export interface Place {
  /** The first part of the path: `lists` of `#/lists/<uid>`. */
  section: string
  /** The parts after it. */
  params: readonly string[]
  query: Readonly<Record<string, string>>
}

export const HOME = 'overview'

export function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [section = '', ...params] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  return {
    section: section === '' ? HOME : section,
    params,
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

/** The address of a place: `href('lists', uid)` is `#/lists/<uid>`. */
export function href(section: string, ...params: readonly string[]): string {
  return ['#', section, ...params.map(encodeURIComponent)].join('/')
}

/** A hand-written address may hold what is no code. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export class Router {
  place = $state.raw<Place>(placeOf(location.hash))
  /** Where the page stands in its own history, to know whether back and forward lead anywhere. */
  #at = $state(0)
  #last = $state(0)
  readonly canGoBack = $derived(this.#at > 0)
  readonly canGoForward = $derived(this.#at < this.#last)
  readonly #told = new Set<(place: Place) => void>()

  constructor() {
    if (typeof history.state?.at === 'number') {
      this.#at = history.state.at as number
      this.#last = Math.max(this.#at, Number(sessionStorage.getItem('roost.history') ?? this.#at))
    } else {
      history.replaceState({ at: 0 }, '', location.href)
    }
    addEventListener('popstate', (event) => this.#arrived(event.state as { at?: number } | null))
  }

  get section(): string {
    return this.place.section
  }

  /** Goes to an address such as `href('lists', uid)`; with `replace`, the present one leaves no trace. */
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
    this.#moved()
  }

  back(): void {
    if (this.canGoBack) history.back()
  }

  forward(): void {
    if (this.canGoForward) history.forward()
  }

  /** Tells of every move, whoever made it. */
  watch(told: (place: Place) => void): () => void {
    this.#told.add(told)
    return () => this.#told.delete(told)
  }

  #arrived(state: { at?: number } | null): void {
    if (typeof state?.at === 'number') {
      this.#at = state.at
    } else {
      // A link or a typed address: the browser has pushed an entry that does not know its number yet.
      this.#at += 1
      this.#last = this.#at
      sessionStorage.setItem('roost.history', String(this.#last))
      history.replaceState({ at: this.#at }, '', location.href)
    }
    this.#moved()
  }

  #moved(): void {
    this.place = placeOf(location.hash)
    for (const told of this.#told) told(this.place)
  }
}

export const router = new Router()
