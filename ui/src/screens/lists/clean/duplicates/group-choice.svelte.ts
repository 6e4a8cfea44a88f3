// The user's choices for one group: which contact stays, which value each field gets, and which contacts do not belong
// to it.
import type { ContactCard, DuplicateGroupWhole, DuplicateMerge } from '../../../../api/generated'

const NUMBERS = ['phone_number', 'whatsapp_id']

export class GroupChoice {
  survivor = $state('')
  /** The source of a field's value, where the user has chosen one. */
  own = $state.raw<Readonly<Record<string, string>>>({})
  /** Contacts that are somebody else and stay unchanged. */
  left = $state.raw<ReadonlySet<string>>(new Set())

  constructor(readonly whole: DuplicateGroupWhole) {
    this.survivor = whole.suggested?.survivor ?? whole.contacts[0]?.uid ?? ''
  }

  get included(): readonly ContactCard[] {
    return this.whole.contacts.filter(({ uid }) => !this.left.has(uid))
  }

  isIn(uid: string): boolean {
    return !this.left.has(uid)
  }

  /** Chooses the contact that stays; every field takes its value, if it has one. */
  stay(uid: string): void {
    if (!this.isIn(uid)) return
    this.survivor = uid
    this.own = {}
  }

  take(field: string, uid: string): void {
    if (this.isIn(uid)) this.own = { ...this.own, [field]: uid }
  }

  /** Returns whether a contact can be excluded. At least two must remain to be merged. */
  canLeave(uid: string): boolean {
    return !this.isIn(uid) || this.included.length > 2
  }

  leave(uid: string, isLeft: boolean): void {
    const left = new Set(this.left)
    if (isLeft) left.add(uid)
    else left.delete(uid)
    this.left = left
    this.own = Object.fromEntries(Object.entries(this.own).filter(([, of]) => !left.has(of)))
    if (left.has(this.survivor)) this.survivor = this.included[0]?.uid ?? ''
  }

  /** Returns the contact from which a field takes its value. */
  source(field: string): string | undefined {
    const own = this.own[field]
    if (own !== undefined) return own
    const suggested = this.whole.suggested?.fields[field]
    const has = (uid: string | undefined): boolean => this.#findCard(uid)?.values[field] !== undefined
    const wanted = [this.survivor, suggested].find((uid) => uid !== undefined && this.isIn(uid) && has(uid))
    return wanted ?? this.included.find(({ uid }) => has(uid))?.uid
  }

  result(field: string): string | undefined {
    return this.#findCard(this.source(field))?.values[field]
  }

  /** Returns the number of the contact from which a field is taken, counted from one, if it is not the one that
   *  stays. */
  takenFrom(field: string): number | undefined {
    const from = this.source(field)
    if (from === undefined || from === this.survivor) return undefined
    const same = this.#findCard(this.survivor)?.values[field] === this.result(field)
    return same ? undefined : this.whole.contacts.findIndex(({ uid }) => uid === from) + 1
  }

  /** Whether the result has a number, which every contact needs. */
  get hasNumber(): boolean {
    return NUMBERS.some((field) => this.result(field) !== undefined)
  }

  /** Numbers that no contact of the group will have after the merge. */
  get lost(): readonly string[] {
    const kept = new Set(NUMBERS.map((field) => this.result(field)))
    const all = this.included.flatMap(({ values }) => NUMBERS.map((field) => values[field]))
    return [...new Set(all)].filter((number): number is string => number !== undefined && !kept.has(number))
  }

  /** Values of all fields that no contact of the group will have after the merge, numbers first. */
  get removed(): readonly { field: string; value: string }[] {
    const fields = [...new Set([...NUMBERS, ...this.included.flatMap(({ values }) => Object.keys(values))])]
    return fields.flatMap((field) => {
      const all = new Set(this.included.flatMap(({ values }) => values[field] ?? []))
      all.delete(this.result(field) ?? '')
      return [...all].map((value) => ({ field, value }))
    })
  }

  request(fields: readonly string[]): Pick<DuplicateMerge, 'survivor' | 'fields' | 'contacts'> {
    const taken = fields.flatMap((field) => {
      const from = this.source(field)
      return from === undefined ? [] : [[field, from] as const]
    })
    const isAll = this.left.size === 0 && this.whole.contacts.length === this.whole.size
    return {
      survivor: this.survivor,
      fields: Object.fromEntries(taken),
      contacts: isAll ? null : this.included.map(({ uid }) => uid),
    }
  }

  #findCard(of: string | undefined): ContactCard | undefined {
    return this.whole.contacts.find(({ uid }) => uid === of)
  }
}
