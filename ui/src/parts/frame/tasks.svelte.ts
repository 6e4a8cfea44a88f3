// The running tasks. While a task runs, this polls the core; otherwise it does not.
import { call, onSlowCall } from '../../api/call'
import { type Task, WRITE_COMMANDS } from '../../api/generated'
import { m } from '../../gen/words'
import { coalesce } from '../../lib/coalesce'

const ROUND_MS = 500

class TasksState {
  running = $state.raw<readonly Task[]>([])
  /** The progress of a task whose total the core does not count in rows, set by the screen that follows it. */
  reported = $state.raw<{ name: string; share: number }>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    onSlowCall(() => this.refresh())
  }

  /** The task that is shown and cancelled first: one that changes something comes before one that only reads. */
  get foremost(): Task | undefined {
    const { running } = this
    return running.findLast(({ name }) => WRITE_COMMANDS.has(name)) ?? running.at(-1)
  }

  /** Returns the progress from 0 to 1, if it is known. */
  shareOf({ name, rows, total }: Task): number | undefined {
    if (total !== null && total > 0) return rows / total
    return this.reported?.name === name ? this.reported.share : undefined
  }

  /** Reads the running tasks now, and repeatedly until none is left. */
  refresh(): void {
    clearTimeout(this.#timer)
    void this.#poll()
  }

  async cancel(id: number): Promise<void> {
    await call('task_cancel', { id })
    this.refresh()
  }

  /** Makes one request at a time, so that a slow core does not get many. */
  readonly #poll = coalesce(async () => {
    clearTimeout(this.#timer)
    try {
      this.running = (await call('task_list', {})).tasks
    } catch {
      this.running = []
    }
    if (this.running.length > 0) this.#timer = setTimeout(() => void this.#poll(), ROUND_MS)
  })
}

export const tasks = new TasksState()

/** Returns the title of a running task. */
export function taskTitle(name: string): string {
  return m.frame_task({ name })
}
