// Every action of the UI calls the core through this module.
import { blockPageWhile } from './asking'
import { type Commands, WRITE_COMMANDS } from './generated'
import type { Transport } from './transport'
import { adoptToken, httpTransport } from './transport.http'
import { isInsideWindow, tauriTransport } from './transport.tauri'

export type CommandName = keyof Commands

/** A call that takes longer is shown in the status bar. */
const SLOW_MS = 250
/** Time between two attempts to cancel a call that has not begun. */
const END_AGAIN_MS = 50
/** After a call this long, the user may be looking at another screen. */
const LONG_MS = 10_000

if (!isInsideWindow()) adoptToken()

export const transport: Transport = isInsideWindow() ? tauriTransport : httpTransport

/** Identifies this page, so that it recognises its own changes in the change feed. */
const CLIENT: string = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
  byte.toString(16).padStart(2, '0'),
).join('')

/** The page also refreshes after its own undo and redo, because it cannot know which screens they change. */
const HEARD_BY_ALL: ReadonlySet<CommandName> = new Set(['history_undo', 'history_redo'] as const)
/** Commands that open a dialog of the desktop. */
const ASKING: ReadonlySet<CommandName> = new Set(['account_pick', 'import_pick', 'file_save'] as const)
let calls = 0
let lastActing = 0
let hasCompleted = false

/** The names of the commands whose response is bytes; the caller knows their format. */
export type BytesCommandName = {
  [K in CommandName]: Commands[K]['response'] extends ArrayBuffer ? K : never
}[CommandName]

let reportSlowCall: () => void = () => undefined
let reportLongCall: (name: CommandName, well: boolean) => void = () => undefined

/** Returns whether this page made a change that the feed reports. */
export function isEcho(origin: string | null): boolean {
  return actNumberOf(origin) !== undefined
}

/** Returns the number of the call that made a change, or undefined if another page made it. */
export function actNumberOf(origin: string | null): number | undefined {
  return origin?.startsWith(`${CLIENT}.`) === true ? Number(origin.slice(CLIENT.length + 1)) : undefined
}

/** Returns whether any call has succeeded yet. */
export function hasCompletedCall(): boolean {
  return hasCompleted
}

/** Returns the number of this page's last call that may have changed the account. */
export function lastActNumber(): number {
  return lastActing
}

/** Registers a function that runs when a call takes longer than `SLOW_MS`, and again when that call ends. */
export function onSlowCall(listener: () => void): void {
  reportSlowCall = listener
}

/** Registers a function that runs when a call ends after more than `LONG_MS`. */
export function onLongCall(listener: (name: CommandName, well: boolean) => void): void {
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
  const origin = HEARD_BY_ALL.has(name) ? '' : `${CLIENT}.${number}`
  const begun = performance.now()
  // `task_list` asks what is running, so it must not trigger another look at what is running.
  const isNews = name !== 'task_list'
  const slow = isNews ? setTimeout(() => reportSlowCall(), SLOW_MS) : undefined
  let well = false
  let isOver = false
  const end = (): void => void endCall(origin, () => isOver).catch(() => undefined)
  signal?.addEventListener('abort', end)
  try {
    const ask = () => transport.call(name, payload, origin)
    const isAsked = transport.kind === 'window' && ASKING.has(name)
    const answer = (await (isAsked ? blockPageWhile(ask) : ask())) as Commands[K]['response']
    well = true
    hasCompleted = true
    if (WRITE_COMMANDS.has(name)) lastActing = number
    return answer
  } finally {
    isOver = true
    signal?.removeEventListener('abort', end)
    clearTimeout(slow)
    const took = performance.now() - begun
    // The task list still shows this call; refresh it before the user cancels another one in its place.
    if (took > SLOW_MS && isNews) reportSlowCall()
    if (took > LONG_MS) reportLongCall(name, well)
  }
}

/** Cancels a call. A call that has not begun yet cannot be cancelled, so this repeats until it has begun or ended. */
async function endCall(origin: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { cancelled } = await call('task_cancel_call', { origin })
    if (cancelled) return
    await new Promise((resolve) => setTimeout(resolve, END_AGAIN_MS))
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
    return await transport.callBytes(name, payload, `${CLIENT}.${++calls}`, signal)
  } finally {
    clearTimeout(slow)
  }
}
