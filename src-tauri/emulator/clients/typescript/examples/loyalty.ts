// A loyalty program that keeps its members in the lists of a messaging account.
import { Lost, Service, type Options } from './service.ts'

export interface Member {
  phone: string
  firstname: string
}

/** What became of a batch, as the service tells it to `callback_url`. */
export interface Told {
  correlation_id: string | null
  results: Record<'total_contacts_imported' | 'total_contacts_merged' | 'total_contacts_failed', string>
}

interface Page<T> {
  items: T[]
}

interface Link {
  link_id: string
  short_link_url: string
  title: string
  target_url: string
}

export class Loyalty {
  private readonly service: Service
  private readonly callbackUrl: string
  private readonly awaited = new Map<string, (told: Told) => void>()

  /** `callbackUrl` leads to whoever hands what comes there to `called`. */
  constructor(options: Options, callbackUrl: string) {
    this.service = new Service(options)
    this.callbackUrl = callbackUrl
  }

  /** The list of a shop, made where there is none; not twice, even when an answer is lost. */
  async list(shop: string): Promise<string> {
    const found = await this.found(shop)
    if (found !== undefined) return found
    try {
      const made = await this.service.call<{ uid: string }>('POST', '/contacts/v1/lists/create', {
        name: shop,
      })
      return made.uid
    } catch (why) {
      if (!(why instanceof Lost)) throw why
      return (await this.found(shop)) ?? this.list(shop)
    }
  }

  private async found(shop: string): Promise<string | undefined> {
    // The service finds parts of names, too.
    const query = new URLSearchParams({ name: shop, page_size: '100' })
    type Lists = Page<{ uid: string; name: string }>
    const { items } = await this.service.call<Lists>('GET', `/contacts/v1/lists/?${query}`)
    return items.find((list) => list.name === shop)?.uid
  }

  /** Resolves when the service has told of every batch. */
  async sync(shop: string, members: Member[], batch = 500): Promise<Told[]> {
    const list = await this.list(shop)
    const sent: Promise<Told>[] = []
    for (let at = 0; at < members.length; at += batch) {
      sent.push(this.send(list, `${shop} ${at}`, members.slice(at, at + batch)))
    }
    return Promise.all(sent)
  }

  private async send(list: string, batch: string, members: Member[]): Promise<Told> {
    const told = new Promise<Told>((done) => this.awaited.set(batch, done))
    const contacts = members.map(({ phone, firstname }) => ({ phone_number: phone, firstname }))
    const job = { list_id: list, correlation_id: batch, callback_url: this.callbackUrl, contacts }
    // Contacts that are merged by their number may come twice.
    const body = { ...job, merge_type: 'mergeByPhoneNumberInList' }
    await this.service.call('POST', '/contacts/v1/contacts', body, true)
    return told
  }

  /** A callback came. One that comes once more is known already. */
  called(told: Told): void {
    this.awaited.get(told.correlation_id ?? '')?.(told)
  }

  async optOut(phone: string): Promise<void> {
    await this.service.call('POST', '/contacts/v1/optouts', { optouts: [{ number: phone }] }, true)
  }

  async link(title: string, target: string): Promise<Link> {
    try {
      return await this.service.call<Link>('POST', '/assets/v1/shortlink', { title, target_url: target })
    } catch (why) {
      if (!(why instanceof Lost)) throw why
      const filter = { filter: { query: title } }
      const { items } = await this.service.call<Page<Link>>(
        'POST',
        '/assets/v1/shortlink/filter',
        filter,
        true,
      )
      return (
        items.find((link) => link.title === title && link.target_url === target) ?? this.link(title, target)
      )
    }
  }

  async sender(): Promise<string | undefined> {
    type Senders = Page<{ id: string; status: string }>
    const { items } = await this.service.call<Senders>('GET', '/assets/v1/senders/')
    return items.find((sender) => sender.status === 'Verified')?.id
  }
}
