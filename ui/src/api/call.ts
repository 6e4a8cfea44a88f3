// The one function every act of the UI goes through.
import { whileAsking } from './asking'
import { type Commands, WRITE_COMMANDS } from './generated'
import type { Transport } from './transport'
import { adoptToken, httpTransport } from './transport.http'
import { insideWindow, tauriTransport } from './transport.tauri'

export type CommandName = keyof Commands

/** A call that takes longer is worth a word in the status bar. */
const SLOW_MS = 250
/** How long a call that has not begun is left alone before it is told to end once more. */
const END_AGAIN_MS = 50
/** After so long the person may look elsewhere. */
const LONG_MS = 10_000

if (!insideWindow()) adoptToken()

export const transport: Transport = insideWindow() ? tauriTransport : httpTransport

/** Who this page is, so that it knows its own echo in the change feed. */
const CLIENT: string = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
  byte.toString(16).padStart(2, '0'),
).join('')

/** Acts whose echo the page hears like anybody's: nobody knows beforehand which screens they touch. */
const HEARD_BY_ALL: ReadonlySet<CommandName> = new Set(['history_undo', 'history_redo'] as const)
/** Commands that open a dialog of the desktop and do little else. */
const ASKING: ReadonlySet<CommandName> = new Set(['account_pick', 'import_pick', 'file_save'] as const)
let calls = 0
let acted = 0
let answered = false

/** Commands that answer bytes, in a form that the one who asks knows. */
export type BytesCommandName = {
  [K in CommandName]: Commands[K]['response'] extends ArrayBuffer ? K : never
}[CommandName]

let slowTold: () => void = () => undefined
let longTold: (name: CommandName, well: boolean) => void = () => undefined

/** Whether a change in the feed was made by this page. */
export function isEcho(origin: string | null): boolean {
  return actOf(origin) !== undefined
}

/** The number of the call that made a change, if it was one of this page. */
export function actOf(origin: string | null): number | undefined {
  return origin?.startsWith(`${CLIENT}.`) === true ? Number(origin.slice(CLIENT.length + 1)) : undefined
}

/** Whether any call was answered. */
export function hasAnswers(): boolean {
  return answered
}

/** The number of the last call of this page that may have changed the account. */
export function lastAct(): number {
  return acted
}

/** Tells when a call has not been answered for a while, and again when it has ended. */
export function onSlowCall(told: () => void): void {
  slowTold = told
}

/** Tells when a call has ended that took so long that the person may look elsewhere by now. */
export function onLongCall(told: (name: CommandName, well: boolean) => void): void {
  longTold = told
}

/** An abort ends the command in the core, too: nobody waits for it any more. */
export async function call<K extends CommandName>(
  name: K,
  payload: Commands[K]['request'],
  signal?: AbortSignal,
): Promise<Commands[K]['response']> {
  signal?.throwIfAborted()
  const number = ++calls
  const origin = HEARD_BY_ALL.has(name) ? '' : `${CLIENT}.${number}`
  const begun = performance.now()
  // Asking what runs is no news of something that runs.
  const isNews = name !== 'task_list'
  const slow = isNews ? setTimeout(() => slowTold(), SLOW_MS) : undefined
  let well = false
  let isOver = false
  const end = (): void => void endCall(origin, () => isOver).catch(() => undefined)
  signal?.addEventListener('abort', end)
  try {
    const ask = () => transport.call(name, payload, origin)
    const isAsked = transport.kind === 'window' && ASKING.has(name)
    const answer = (await (isAsked ? whileAsking(ask) : ask())) as Commands[K]['response']
    well = true
    answered = true
    if (WRITE_COMMANDS.has(name)) acted = number
    return answer
  } finally {
    isOver = true
    signal?.removeEventListener('abort', end)
    clearTimeout(slow)
    const took = performance.now() - begun
    // What was shown to run does no longer, and cannot be stopped in the place of what comes next.
    if (took > SLOW_MS && isNews) slowTold()
    if (took > LONG_MS) longTold(name, well)
  }
}

/** What was sent may not have begun yet: it is told to end until it has. */
async function endCall(origin: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { cancelled } = await call('task_cancel_call', { origin })
    if (cancelled) return
    await new Promise((resolve) => setTimeout(resolve, END_AGAIN_MS))
  }
}

/** The same for commands that answer bytes. An abort only stops the waiting: the core is not told. */
export async function callBytes<K extends BytesCommandName>(
  name: K,
  payload: Commands[K]['request'],
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  const slow = setTimeout(() => slowTold(), SLOW_MS)
  try {
    return await transport.callBytes(name, payload, `${CLIENT}.${++calls}`, signal)
  } finally {
    clearTimeout(slow)
  }
}
