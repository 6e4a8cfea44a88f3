// What runs for long: asked of the core only while something does.
import { call, onSlowCall } from '../../api/call'
import { type Task, WRITE_COMMANDS } from '../../api/generated'
import { m } from '../../gen/words'
import { coalesce } from '../../lib/coalesce'

const ROUND_MS = 500

class TasksState {
  running = $state.raw<readonly Task[]>([])
  /** How far a task is whose end the core does not count in rows; told by the screen that follows it. */
  told = $state.raw<{ name: string; share: number }>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    onSlowCall(() => this.look())
  }

  /** The one that is told, and cancelled first: what changes something goes before what only reads. */
  get foremost(): Task | undefined {
    const { running } = this
    return running.findLast(({ name }) => WRITE_COMMANDS.has(name)) ?? running.at(-1)
  }

  /** From 0 to 1, if anybody can know. */
  shareOf({ name, rows, total }: Task): number | undefined {
    if (total !== null && total > 0) return rows / total
    return this.told?.name === name ? this.told.share : undefined
  }

  /** Looks now, and goes on looking until nothing runs any more. */
  look(): void {
    clearTimeout(this.#timer)
    void this.#round()
  }

  async cancel(id: number): Promise<void> {
    await call('task_cancel', { id })
    this.look()
  }

  /** One question at a time: a core that is late with one is not asked many. */
  readonly #round = coalesce(async () => {
    clearTimeout(this.#timer)
    try {
      this.running = (await call('task_list', {})).tasks
    } catch {
      this.running = []
    }
    if (this.running.length > 0) this.#timer = setTimeout(() => void this.#round(), ROUND_MS)
  })
}

export const tasks = new TasksState()

/** What a task is called while it runs. */
export function taskTitle(name: string): string {
  return m.frame_task({ name })
}
