// Calls the core: all commands of the UI go through this module.
import { blockPageWhile } from './desktop-dialog'
import { type Commands, WRITE_COMMANDS } from './generated'
import type { Transport } from './transport'
import { adoptToken, httpTransport } from './transport.http'
import { isInsideWindow, tauriTransport } from './transport.tauri'

export type CommandName = keyof Commands

/** A call that takes longer than this is shown in the status bar. */
const SLOW_MS = 250
/** The time between two attempts to cancel a call that has not begun. */
const CANCEL_RETRY_MS = 50
/** The end of a call that takes longer is reported, because the user may be looking at another screen. */
const LONG_MS = 10_000

if (!isInsideWindow()) adoptToken()

export const transport: Transport = isInsideWindow() ? tauriTransport : httpTransport

/** Identifies this page, so that it recognises its own changes in the change feed. */
const PAGE_ID: string = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
  byte.toString(16).padStart(2, '0'),
).join('')

/** After these, the page refreshes as if another page had called them, because it cannot know which screens change. */
const REFRESHING_COMMANDS: ReadonlySet<CommandName> = new Set(['history_undo', 'history_redo'] as const)
/** Commands that open a dialog of the desktop. */
const DIALOG_COMMANDS: ReadonlySet<CommandName> = new Set([
  'account_pick',
  'account_save_copy',
  'import_pick',
  'file_save',
] as const)
let calls = 0
let lastAct = 0
let hasSucceeded = false

/** The names of the commands whose response is bytes; the caller knows their format. */
export type BytesCommandName = {
  [K in CommandName]: Commands[K]['response'] extends ArrayBuffer ? K : never
}[CommandName]

let reportSlowCall: () => void = () => undefined
let reportLongCall: (name: CommandName, succeeded: boolean) => void = () => undefined

/** Returns whether this page made a change that the feed reports. */
export function isEcho(origin: string | null): boolean {
  return actNumberOf(origin) !== undefined
}

/** Returns the number of the call that made a change, or undefined if another page made it. */
export function actNumberOf(origin: string | null): number | undefined {
  return origin?.startsWith(`${PAGE_ID}.`) === true ? Number(origin.slice(PAGE_ID.length + 1)) : undefined
}

/** Returns whether any call has succeeded yet. */
export function hasSucceededOnce(): boolean {
  return hasSucceeded
}

/** Returns the number of this page's last call that may have changed the account. */
export function lastActNumber(): number {
  return lastAct
}

/** Registers a function that runs when a call takes longer than `SLOW_MS`, and again when that call ends. */
export function onSlowCall(listener: () => void): void {
  reportSlowCall = listener
}

/** Registers a function that runs when a call ends after more than `LONG_MS`. */
export function onLongCall(listener: (name: CommandName, succeeded: boolean) => void): void {
  reportLongCall = listener
}

/** Calls a command. An abort also cancels the command in the core. */
export async function call<K extends CommandName>(
  name: K,
  payload: Commands[K]['request'],
  signal?: AbortSignal,
): Promise<Commands[K]['response']> {
  signal?.throwIfAborted()
  const number = ++calls
  const origin = REFRESHING_COMMANDS.has(name) ? '' : `${PAGE_ID}.${number}`
  const begun = performance.now()
  // `task_list` asks what is running, so reporting it would make the page ask again.
  const isReported = name !== 'task_list'
  const slow = isReported ? setTimeout(() => reportSlowCall(), SLOW_MS) : undefined
  let succeeded = false
  let isOver = false
  const cancel = (): void => void cancelCall(origin, () => isOver).catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  try {
    const send = () => transport.call(name, payload, origin)
    const opensDialog = transport.kind === 'window' && DIALOG_COMMANDS.has(name)
    const response = (await (opensDialog ? blockPageWhile(send) : send())) as Commands[K]['response']
    succeeded = true
    hasSucceeded = true
    if (WRITE_COMMANDS.has(name)) lastAct = number
    return response
  } finally {
    isOver = true
    signal?.removeEventListener('abort', cancel)
    clearTimeout(slow)
    const took = performance.now() - begun
    // The task list still shows this call; refresh it, so that the user does not cancel the call that takes its row.
    if (took > SLOW_MS && isReported) reportSlowCall()
    if (took > LONG_MS) reportLongCall(name, succeeded)
  }
}

/** Cancels a call. A call that has not begun yet cannot be cancelled, so this repeats until it has begun or ended. */
async function cancelCall(origin: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { cancelled } = await call('task_cancel_call', { origin })
    if (cancelled) return
    await new Promise((resolve) => setTimeout(resolve, CANCEL_RETRY_MS))
  }
}

/** Calls a command whose response is bytes. An abort only stops waiting; the core still completes the command. */
export async function callBytes<K extends BytesCommandName>(
  name: K,
  payload: Commands[K]['request'],
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const slow = setTimeout(() => reportSlowCall(), SLOW_MS)
  try {
    return await transport.callBytes(name, payload, `${PAGE_ID}.${++calls}`, signal)
  } finally {
    clearTimeout(slow)
  }
}
