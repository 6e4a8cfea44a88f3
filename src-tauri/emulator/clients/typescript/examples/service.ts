// The service behind the loyalty program: retries, waits, and a bound on how many calls are under way.

export interface Options {
  url: string
  key: string
  tries?: number
  atOnce?: number
  timeout?: number
  /** Given by tests, which have no time to sleep. */
  sleep?: (milliseconds: number) => Promise<void>
}

/** The service says no. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** No whole answer came: the service may have done it or not. */
export class Lost extends Error {}

const sleep = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds))

export class Service {
  private readonly how: Required<Options>
  private readonly waiting: (() => void)[] = []
  private underWay = 0

  constructor(options: Options) {
    this.how = { tries: 4, atOnce: 4, timeout: 5000, sleep, ...options }
  }

  /** Answers the JSON; comes again after 429 and 5xx, and after a lost answer where asking twice does no harm. */
  async call<T>(method: string, path: string, json?: unknown, isHarmless = method === 'GET'): Promise<T> {
    await this.enter()
    try {
      for (let trial = 1; ; trial++) {
        const answer = await this.once<T>(method, path, json)
        const mayPass = answer instanceof Lost ? isHarmless : 'again' in answer
        if (!mayPass || trial === this.how.tries) return settled(answer)
        const told = 'again' in answer ? answer.again : undefined
        await this.how.sleep(told ?? 100 * 2 ** trial)
      }
    } finally {
      this.leave()
    }
  }

  private async once<T>(method: string, path: string, json: unknown): Promise<Answer<T>> {
    const headers = { 'X-AUTH-KEY': this.how.key, 'Content-Type': 'application/json' }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const signal = AbortSignal.timeout(this.how.timeout)
    try {
      const response = await fetch(this.how.url + path, { method, headers, signal, ...body })
      const told = (await response.json()) as T & { message: string }
      if (response.ok) return { told }
      const refused = new Refused(response.status, told.message)
      if (response.status !== 429 && response.status < 500) return { refused }
      const seconds = Number(response.headers.get('Retry-After'))
      return { refused, again: seconds > 0 ? seconds * 1000 : undefined }
    } catch (cause) {
      return new Lost(`${method} ${path}: no whole answer`, { cause })
    }
  }

  private async enter(): Promise<void> {
    if (this.underWay++ >= this.how.atOnce) await new Promise<void>((go) => this.waiting.push(go))
  }

  private leave(): void {
    this.underWay--
    this.waiting.shift()?.()
  }
}

type Answer<T> = { told: T } | { refused: Refused; again?: number | undefined } | Lost

function settled<T>(answer: Answer<T>): T {
  if (answer instanceof Lost) throw answer
  if ('refused' in answer) throw answer.refused
  return answer.told
}
