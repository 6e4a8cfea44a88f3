// The user's choices for one group: which contact stays, which value each field gets, and which contacts do not belong
// to it.
import type { ContactCard, DuplicateGroupWhole, DuplicateMerge } from '../../../../api/generated'

const NUMBERS = ['phone_number', 'whatsapp_id']

export class GroupChoice {
  survivor = $state('')
  /** The source of a field's value, where the user has chosen one. */
  chosenSources = $state.raw<Readonly<Record<string, string>>>({})
  /** Contacts that are somebody else and stay unchanged. */
  excluded = $state.raw<ReadonlySet<string>>(new Set())

  constructor(readonly whole: DuplicateGroupWhole) {
    this.survivor = whole.suggested?.survivor ?? whole.contacts[0]?.uid ?? ''
  }

  get included(): readonly ContactCard[] {
    return this.whole.contacts.filter(({ uid }) => !this.excluded.has(uid))
  }

  isIncluded(uid: string): boolean {
    return !this.excluded.has(uid)
  }

  /** Chooses the contact that stays; every field takes its value, if it has one. */
  chooseSurvivor(uid: string): void {
    if (!this.isIncluded(uid)) return
    this.survivor = uid
    this.chosenSources = {}
  }

  chooseValue(field: string, uid: string): void {
    if (this.isIncluded(uid)) this.chosenSources = { ...this.chosenSources, [field]: uid }
  }

  /** Returns whether a contact can be excluded. At least two must remain to be merged. */
  canExclude(uid: string): boolean {
    return !this.isIncluded(uid) || this.included.length > 2
  }

  setExcluded(uid: string, isExcluded: boolean): void {
    const excluded = new Set(this.excluded)
    if (isExcluded) excluded.add(uid)
    else excluded.delete(uid)
    this.excluded = excluded
    this.chosenSources = Object.fromEntries(
      Object.entries(this.chosenSources).filter(([, of]) => !excluded.has(of)),
    )
    if (excluded.has(this.survivor)) this.survivor = this.included[0]?.uid ?? ''
  }

  /** Returns the contact from which a field takes its value. */
  getSource(field: string): string | undefined {
    const own = this.chosenSources[field]
    if (own !== undefined) return own
    const suggested = this.whole.suggested?.fields[field]
    const has = (uid: string | undefined): boolean => this.#findCard(uid)?.values[field] !== undefined
    const wanted = [this.survivor, suggested].find(
      (uid) => uid !== undefined && this.isIncluded(uid) && has(uid),
    )
    return wanted ?? this.included.find(({ uid }) => has(uid))?.uid
  }

  getResult(field: string): string | undefined {
    return this.#findCard(this.getSource(field))?.values[field]
  }

  /** Returns the number of the contact from which a field is taken, counted from one, if it is not the one that
   *  stays. */
  getSourceNumber(field: string): number | undefined {
    const from = this.getSource(field)
    if (from === undefined || from === this.survivor) return undefined
    const same = this.#findCard(this.survivor)?.values[field] === this.getResult(field)
    return same ? undefined : this.whole.contacts.findIndex(({ uid }) => uid === from) + 1
  }

  /** Whether the result has a number, which every contact needs. */
  get hasNumber(): boolean {
    return NUMBERS.some((field) => this.getResult(field) !== undefined)
  }

  /** Numbers that no contact of the group will have after the merge. */
  get lostNumbers(): readonly string[] {
    const kept = new Set(NUMBERS.map((field) => this.getResult(field)))
    const all = this.included.flatMap(({ values }) => NUMBERS.map((field) => values[field]))
    return [...new Set(all)].filter((number): number is string => number !== undefined && !kept.has(number))
  }

  /** Values of all fields that no contact of the group will have after the merge, numbers first. */
  get lostValues(): readonly { field: string; value: string }[] {
    const fields = [...new Set([...NUMBERS, ...this.included.flatMap(({ values }) => Object.keys(values))])]
    return fields.flatMap((field) => {
      const all = new Set(this.included.flatMap(({ values }) => values[field] ?? []))
      all.delete(this.getResult(field) ?? '')
      return [...all].map((value) => ({ field, value }))
    })
  }

  toMergeRequest(fields: readonly string[]): Pick<DuplicateMerge, 'survivor' | 'fields' | 'contacts'> {
    const taken = fields.flatMap((field) => {
      const from = this.getSource(field)
      return from === undefined ? [] : [[field, from] as const]
    })
    const isAll = this.excluded.size === 0 && this.whole.contacts.length === this.whole.size
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
