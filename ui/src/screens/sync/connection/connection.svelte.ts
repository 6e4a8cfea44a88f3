// The account's connection: the stored one, the content of its form, and the result of the last test.
import { call } from '../../../api/call'
import { toFailure, type Failure } from '../../../api/errors'
import type { Connection, ConnectionAnswer, ConnectionTest } from '../../../api/generated'
import { coalesce } from '../../../lib/coalesce'
import { toDraft, isSameDraft, type ConnectionDraft } from './draft'

class ConnectionState {
  answer = $state.raw<ConnectionAnswer>()
  failure = $state.raw<Failure>()
  /** The content of the form, which survives a visit to another tab. */
  draft = $state<ConnectionDraft>()
  tested = $state.raw<ConnectionTest>()
  isTesting = $state(false)
  testFailure = $state.raw<Failure>()

  readonly load = coalesce(async () => {
    try {
      this.adopt(await call('connection_get', {}))
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  get connection(): Connection | undefined {
    return this.answer?.connection ?? undefined
  }

  /** Whether the form differs from the stored connection. */
  get isChanged(): boolean {
    const { connection, draft } = this
    return draft !== undefined && (connection === undefined || !isSameDraft(draft, toDraft(connection)))
  }

  /** Takes over a response. The form shows it unless the user has changed the form. */
  adopt(answer: ConnectionAnswer): void {
    const untouched = this.draft === undefined || (this.connection !== undefined && !this.isChanged)
    this.answer = answer
    this.failure = undefined
    if (untouched) this.revert()
  }

  /** Resets the form to the stored connection; without one, closes it. */
  revert(): void {
    this.draft = this.connection === undefined ? undefined : toDraft(this.connection)
  }

  async test(): Promise<void> {
    if (this.isTesting) return
    this.isTesting = true
    try {
      this.tested = await call('connection_test', {})
      this.testFailure = undefined
    } catch (error) {
      this.tested = undefined
      this.testFailure = toFailure(error)
    } finally {
      this.isTesting = false
    }
  }

  forgetTest(): void {
    this.tested = undefined
    this.testFailure = undefined
  }
}

export const connectionState = new ConnectionState()
