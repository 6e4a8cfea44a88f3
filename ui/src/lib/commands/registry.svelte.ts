// The registry of all commands. Keys, palette, key sheet, menus and tooltips are derived from it.
import { onDestroy } from 'svelte'
import {
  toAriaKeys,
  isMac,
  isPlainChord,
  isTyping,
  isChordPressed,
  formatChord,
  type Chord,
  type Platform,
} from './chords'

export interface Command {
  /** Unique, in the form `area.verb`, such as `lists.merge`. */
  id: string
  /** From the message catalogue. */
  title: string
  /** The heading of the command in the palette and in the key sheet, from the catalogue. */
  section: string
  /** Other words by which the palette finds it, from the catalogue. */
  keywords?: string
  keys?: readonly Chord[]
  /** Returns whether the command can run now. If not, menus show it disabled, nothing else shows it, and its keys do
   *  nothing. */
  when?: () => boolean
  /** Whether its keys work while the user types in a field. */
  whileTyping?: boolean
  /** Whether its keys work while a dialog is open. */
  inDialog?: boolean
  /** Works, but is not offered in the palette and menus, such as a key that moves the focus. */
  unlisted?: boolean
  /** Another component, such as a grid, handles its keys; here they are only shown. */
  keysElsewhere?: boolean
  run: () => unknown
}

/** Returns whether a command can run. `when` is called once more while its component is destroyed, and may throw
 *  then. */
function canRun({ when }: Command): boolean {
  try {
    return when?.() !== false
  } catch {
    return false
  }
}

function uniqueById(all: readonly Command[]): Command[] {
  const seen = new Set<string>()
  return all.filter(({ id }) => !seen.has(id) && seen.add(id))
}

/** Returns each command without the keys that an earlier one has, so that the shown keys run what they say. */
function withOwnKeys(all: readonly Command[]): Command[] {
  const taken = new Set<Chord>()
  return all.map((command) => {
    const { keys = [] } = command
    const own = keys.filter((chord) => !taken.has(chord))
    for (const chord of own) taken.add(chord)
    return own.length === keys.length ? command : { ...command, keys: own }
  })
}

export class Registry {
  /** The latest group comes first: a screen's keys take precedence over those of the frame. */
  #groups = $state.raw<readonly (readonly Command[])[]>([])
  // A plain variable, because teardown reads states as they were before and would drop the group that replaced this
  // one.
  #all: readonly (readonly Command[])[] = []
  platform = $state<Platform>({ mac: isMac(navigator.userAgent), browser: true })
  plainKeys = $state(true)
  /** Called with whatever a command throws. */
  onfault: (error: unknown) => void = () => undefined

  /** Every command that can run now; of two with the same ID, the later one. */
  readonly available = $derived(withOwnKeys(uniqueById(this.#groups.flat().filter(canRun))))
  readonly listed = $derived(this.available.filter((command) => command.unlisted !== true))

  add(commands: readonly Command[]): () => void {
    this.#all = [commands, ...this.#all]
    this.#groups = this.#all
    return () => {
      this.#all = this.#all.filter((group) => group !== commands)
      this.#groups = this.#all
    }
  }

  /** Every listed command of the screen and the frame, including those that cannot run now. */
  readonly registered = $derived(
    uniqueById([...this.available, ...this.#groups.flat()]).filter((command) => command.unlisted !== true),
  )

  get(id: string): Command | undefined {
    return this.available.find((command) => command.id === id)
  }

  /** Runs a command by its ID and returns whether it was available. */
  run(id: string): boolean {
    const command = this.get(id)
    if (command === undefined) return false
    this.execute(command)
    return true
  }

  execute(command: Command): void {
    try {
      const running = command.run()
      if (running instanceof Promise) running.catch((error: unknown) => this.onfault(error))
    } catch (error) {
      this.onfault(error)
    }
  }

  /** Returns the command for a key press, if any. */
  match(event: KeyboardEvent, dialogOpen: boolean): Command | undefined {
    const typing = isTyping(event.target)
    return this.available.find(
      (command) =>
        command.keysElsewhere !== true &&
        (!dialogOpen || command.inDialog === true) &&
        command.keys?.some(
          (chord) =>
            // A character alone is text while the user types.
            (isPlainChord(chord) ? this.plainKeys && !typing : !typing || command.whileTyping === true) &&
            isChordPressed(event, chord, this.platform),
        ),
    )
  }

  /** Returns the first chord of a command in readable form. */
  written(id: string): string | undefined {
    const chord = this.get(id)?.keys?.[0]
    return chord === undefined ? undefined : formatChord(chord, this.platform)
  }

  /** Returns the attributes of a control that runs the command: `title` with the key, and `aria-keyshortcuts`. */
  hint(id: string, title?: string): { title: string; 'aria-keyshortcuts': string | undefined } {
    const command = this.get(id)
    const chord = command?.keys?.[0]
    const name = title ?? command?.title ?? ''
    return {
      title: chord === undefined ? name : `${name} (${formatChord(chord, this.platform)})`,
      'aria-keyshortcuts': chord === undefined ? undefined : toAriaKeys(chord, this.platform),
    }
  }
}

export const commands = new Registry()

/** Registers the commands of a component while it is mounted, and again when their dependencies change. */
export function useCommands(make: () => readonly Command[]): void {
  let remove: (() => void) | undefined
  $effect.pre(() => {
    remove?.()
    remove = commands.add(make())
  })
  onDestroy(() => remove?.())
}
