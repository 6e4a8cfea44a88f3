// The form of a record before it is sent: fields or JSON, and the server's errors.
import { toFailure } from '../../../api/errors'
import { m } from '../../../gen/words'
import {
  findChanges,
  findDifferences,
  toDraft,
  parseRecord,
  type RecordDraft,
  type RecordField,
  type StoredRecord,
} from './kinds'

/** The content of a form at one time. */
type FormContent = Pick<RecordForm, 'draft' | 'json' | 'isJson'>

export class RecordForm {
  readonly fields: readonly RecordField[]
  readonly #record: StoredRecord | undefined
  readonly #initialDraft: RecordDraft
  draft = $state.raw<RecordDraft>({})
  json = $state('')
  isJson = $state(false)
  #fault = $state.raw<{ at: string | undefined; words: string }>()

  constructor(fields: readonly RecordField[], record?: StoredRecord) {
    this.fields = fields
    this.#record = record
    this.#initialDraft = toDraft(fields, record)
    this.draft = this.#initialDraft
  }

  /** The record to send; undefined while the JSON is invalid. */
  readonly given = $derived.by((): StoredRecord | undefined => {
    if (!this.isJson) return findChanges(this.fields, this.draft, this.#initialDraft)
    const read = parseRecord(this.json)
    return read === undefined ? undefined : findDifferences(read, this.#record ?? {})
  })

  /** The error that belongs to no field. */
  readonly fault = $derived.by(() => {
    const fault = this.#fault
    if (fault === undefined || (!this.isJson && this.fields.some(({ name }) => name === fault.at)))
      return undefined
    return fault.words
  })

  readonly faultAt = (name: string): string | undefined => {
    if (this.isJson) return this.given === undefined ? m.server_record_json_fault() : undefined
    return this.#fault?.at === name ? this.#fault.words : undefined
  }

  /** Switches between fields and JSON and keeps the input. */
  write(asJson: boolean): void {
    if (this.given === undefined) return
    const whole = Object.entries({ ...this.#record, ...this.given }).filter(([, value]) => value !== null)
    const record = Object.fromEntries(whole)
    if (asJson) this.json = JSON.stringify(record, null, 2)
    else {
      const drawn = toDraft(this.fields, record)
      // In a new record, fields that were not filled in keep their defaults.
      const kept = this.#record === undefined ? this.fields.filter(({ name }) => name in record) : this.fields
      this.draft = {
        ...this.#initialDraft,
        ...Object.fromEntries(kept.map(({ name }) => [name, drawn[name] ?? ''])),
      }
    }
    this.isJson = asJson
  }

  written(): FormContent {
    return { draft: this.draft, json: this.json, isJson: this.isJson }
  }

  /** Takes over what was typed in another form after that was sent. */
  carry(form: RecordForm, sent: FormContent): void {
    if (form.isJson) {
      if (sent.isJson && form.json === sent.json) return
      this.json = form.json
      this.isJson = true
      return
    }
    const begun = sent.isJson ? {} : sent.draft
    const since = Object.entries(form.draft).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(begun[name]),
    )
    this.draft = { ...this.draft, ...Object.fromEntries(since) }
  }

  refuse(error: unknown): void {
    const { faults, message } = toFailure(error)
    const path = faults[0]?.path
    const words = faults[0]?.message ?? message
    const at = path?.split(/[.[]/)[0]
    this.#fault = {
      at,
      words: path !== undefined && words.startsWith(`${path}: `) ? words.slice(path.length + 2) : words,
    }
  }

  clear(): void {
    this.#fault = undefined
  }
}
