// What can go wrong with a call, and what to tell the person about it.
import type { CommandError, ErrorCode, FieldFault } from './generated'

/** The core's codes and the two that only a transport can meet. */
export type FailureCode = ErrorCode | 'unreachable' | 'no_token'

export class Failure extends Error {
  readonly code: FailureCode
  readonly faults: readonly FieldFault[]

  constructor(code: FailureCode, message: string, faults: readonly FieldFault[] = []) {
    super(message)
    this.name = 'Failure'
    this.code = code
    this.faults = faults
  }

  /** The message for one field of a form, if the core objected to it. */
  at(path: string): string | undefined {
    return this.faults.find((fault) => fault.path === path)?.message
  }
}

interface Advice {
  title: string
  /** What to do about it. */
  advice: string
  /** Whether no screen can work until it is cured. */
  blocking: boolean
}

const ADVICE: Record<FailureCode, Advice> = {
  invalid: {
    title: 'That is not valid',
    advice: 'Correct the marked fields and try again.',
    blocking: false,
  },
  not_found: {
    title: 'It is no longer there',
    advice: 'It was deleted meanwhile. Refresh the page.',
    blocking: false,
  },
  conflict: {
    title: 'That does not fit',
    advice: 'Something with that name or in that state stands in the way. Change it and try again.',
    blocking: false,
  },
  unknown_command: {
    title: 'Page and program differ in version',
    advice: 'Reload the page. If that does not help, install Roost again.',
    blocking: false,
  },
  locked: {
    title: 'The account is open elsewhere',
    advice: 'Another window or a running “roost serve” holds this account file. Close it, then try again.',
    blocking: true,
  },
  too_new: {
    title: 'The account was written by a newer Roost',
    advice: 'Install the newer version of Roost to open it. The file has not been touched.',
    blocking: true,
  },
  altered: {
    title: 'The account file was altered',
    advice:
      'Its tables are not those that Roost makes. Put a backup of the file in its place, then try again.',
    blocking: true,
  },
  corrupt: {
    title: 'The account file is damaged',
    advice:
      'It was set aside beside its old place under a dated name and nothing was deleted. ' +
      'Restore a backup to the old name, or try again to begin with an empty account.',
    blocking: true,
  },
  read_only: {
    title: 'The account cannot be written',
    advice: 'Give yourself the right to write to the file and its folder, then try again.',
    blocking: true,
  },
  disk_full: {
    title: 'The disk is full',
    advice: 'Make room on the disk, then try again. What was saved before is safe.',
    blocking: true,
  },
  internal: {
    title: 'Something went wrong inside Roost',
    advice: 'Try again. If it stays, the log has the cause.',
    blocking: false,
  },
  unreachable: {
    title: 'The server does not answer',
    advice: 'Check that “roost serve” is still running, then try again.',
    blocking: true,
  },
  no_token: {
    title: 'This page needs its own link',
    advice: 'Open the console address that “roost serve” prints; it ends in “#token=…”.',
    blocking: true,
  },
}

export function adviceFor(code: FailureCode): Advice {
  return ADVICE[code]
}

/** Makes a Failure of whatever a transport threw. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  if (isCommandError(thrown)) return new Failure(thrown.code, thrown.message, thrown.details)
  return new Failure(
    'internal',
    thrown instanceof Error ? thrown.message : 'The answer could not be understood.',
  )
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
