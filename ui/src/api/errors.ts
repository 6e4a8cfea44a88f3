// Failures of calls, and what the user can do about them.
import { m } from '../gen/words'
import { translateSentence } from './sentences'
import type { CommandError, ErrorCode, FieldFault } from './generated'

/** The core's error codes and those of the transports. */
export type FailureCode = ErrorCode | 'no_account' | 'unsupported' | 'cancelled' | 'unreachable' | 'no_token'

export class Failure extends Error {
  readonly code: FailureCode
  readonly faults: readonly FieldFault[]

  constructor(code: FailureCode, message: string, faults: readonly FieldFault[] = []) {
    const translated = faults.map((fault) => ({ ...fault, message: translateSentence(fault.message) }))
    // The core joins the messages of several fields to one.
    const joined = faults.map((fault) => fault.message).join(' ')
    super(
      faults.length > 0 && message === joined
        ? translated.map((fault) => fault.message).join(' ')
        : translateSentence(message),
    )
    this.name = 'Failure'
    this.code = code
    this.faults = translated
  }

  /** Returns the message for one field of a form, if the core rejected its value. */
  getFieldMessage(path: string): string | undefined {
    return this.faults.find((fault) => fault.path === path)?.message
  }
}

interface Advice {
  title: () => string
  /** Says what the user can do. */
  advice: () => string
  /** Whether no screen can work until the user has solved it. */
  blocking: boolean
}

const ADVICE: Record<FailureCode, Advice> = {
  invalid: { title: m.errors_invalid, advice: m.errors_invalid_advice, blocking: false },
  not_found: { title: m.errors_not_found, advice: m.errors_not_found_advice, blocking: false },
  conflict: { title: m.errors_conflict, advice: m.errors_conflict_advice, blocking: false },
  unknown_command: {
    title: m.errors_unknown_command,
    advice: m.errors_unknown_command_advice,
    blocking: false,
  },
  no_account: { title: m.errors_no_account, advice: m.errors_no_account_advice, blocking: true },
  unsupported: { title: m.errors_unsupported, advice: m.errors_unsupported_advice, blocking: false },
  cancelled: { title: m.errors_cancelled, advice: m.errors_cancelled_advice, blocking: false },
  locked: { title: m.errors_locked, advice: m.errors_locked_advice, blocking: true },
  too_new: { title: m.errors_too_new, advice: m.errors_too_new_advice, blocking: true },
  altered: { title: m.errors_altered, advice: m.errors_altered_advice, blocking: true },
  corrupt: { title: m.errors_corrupt, advice: m.errors_corrupt_advice, blocking: true },
  displaced: { title: m.errors_displaced, advice: m.errors_displaced_advice, blocking: true },
  read_only: { title: m.errors_read_only, advice: m.errors_read_only_advice, blocking: true },
  disk_full: { title: m.errors_disk_full, advice: m.errors_disk_full_advice, blocking: true },
  internal: { title: m.errors_internal, advice: m.errors_internal_advice, blocking: false },
  unreachable: { title: m.errors_unreachable, advice: m.errors_unreachable_advice, blocking: true },
  no_token: { title: m.errors_no_token, advice: m.errors_no_token_advice, blocking: true },
}

/** Returns the title and the advice for a code. */
export function getAdvice(code: FailureCode): { title: string; advice: string; blocking: boolean } {
  const { title, advice, blocking } = ADVICE[code]
  return { title: title(), advice: advice(), blocking }
}

/** Returns the props of a Notice: `<Notice {...toNoticeProps(failure)} onretry={…} />`. */
export function toNoticeProps(failure: Failure): { title: string; message: string; advice: string } {
  const { title, advice } = getAdvice(failure.code)
  return { title, message: failure.message, advice }
}

/** Returns one line for a toast or below a field: the core's message if there is one. */
export function describeError(thrown: unknown): string {
  const failure = toFailure(thrown)
  return failure.message === '' ? getAdvice(failure.code).title : failure.message
}

/** Converts whatever a transport threw to a Failure. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  if (isCommandError(thrown)) return new Failure(thrown.code, thrown.message, thrown.details)
  return new Failure('internal', thrown instanceof Error ? thrown.message : 'The response could not be read.')
}

function isCommandError(thrown: unknown): thrown is CommandError {
  if (typeof thrown !== 'object' || thrown === null) return false
  const { code, message, details } = thrown as Partial<CommandError>
  return (
    typeof code === 'string' &&
    Object.hasOwn(ADVICE, code) &&
    typeof message === 'string' &&
    Array.isArray(details)
  )
}
