// The one list of commands: keys, palette, key sheet, menus and tooltips are all made from it.
import { onDestroy } from 'svelte'
import { ariaKeys, isMac, isPlain, isTyping, pressed, written, type Chord, type Platform } from './chords'

export interface Command {
  /** `area.verb`, such as `lists.merge`; unique. */
  id: string
  /** From the message catalogue. */
  title: string
  /** The heading it stands under in the palette and in the key sheet, from the catalogue. */
  section: string
  keys?: readonly Chord[]
  /** Whether it can run now; if not, menus show it greyed, nothing else shows it, and its keys do nothing. */
  when?: () => boolean
  /** Its keys work while someone types in a field. */
  whileTyping?: boolean
  /** Its keys work while a dialog is open. */
  inDialog?: boolean
  /** Works, but is not offered in palette and menus: a key that moves about, say. */
  unlisted?: boolean
  /** Its keys are answered where they are pressed, in a grid say; here they are only told. */
  keysElsewhere?: boolean
  run: () => unknown
}

/** A component that is about to go is asked once more, and what it looks at may be gone already. */
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

/** Each without the keys that one before it has: what a press does is what is told. */
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
  /** The latest group first: a screen's keys come before those of the frame. */
  #groups = $state.raw<readonly (readonly Command[])[]>([])
  // Not a state: what is torn down reads states as they were before, and would lose what came in its place.
  #all: readonly (readonly Command[])[] = []
  platform = $state<Platform>({ mac: isMac(navigator.userAgent), browser: true })
  plainKeys = $state(true)
  /** Hears what a command threw. */
  onfault: (error: unknown) => void = () => undefined

  /** Every command that can run now; where two share an id, the later one. */
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

  /** Every listed command of the screen and the frame, with those that cannot run now. */
  readonly registered = $derived(
    uniqueById([...this.available, ...this.#groups.flat()]).filter((command) => command.unlisted !== true),
  )

  get(id: string): Command | undefined {
    return this.available.find((command) => command.id === id)
  }

  /** Runs a command by its id; answers whether it was there. */
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

  /** The command a key press asks for, if any. */
  match(event: KeyboardEvent, dialogOpen: boolean): Command | undefined {
    const typing = isTyping(event.target)
    return this.available.find(
      (command) =>
        command.keysElsewhere !== true &&
        (!typing || command.whileTyping === true) &&
        (!dialogOpen || command.inDialog === true) &&
        command.keys?.some(
          (chord) => (this.plainKeys || !isPlain(chord)) && pressed(event, chord, this.platform),
        ),
    )
  }

  /** The first chord of a command as people read it. */
  written(id: string): string | undefined {
    const chord = this.get(id)?.keys?.[0]
    return chord === undefined ? undefined : written(chord, this.platform)
  }

  /** What a control that runs the command says of it: `title` with the key, `aria-keyshortcuts`. */
  hint(id: string, title?: string): { title: string; 'aria-keyshortcuts': string | undefined } {
    const command = this.get(id)
    const chord = command?.keys?.[0]
    const name = title ?? command?.title ?? ''
    return {
      title: chord === undefined ? name : `${name} (${written(chord, this.platform)})`,
      'aria-keyshortcuts': chord === undefined ? undefined : ariaKeys(chord, this.platform),
    }
  }
}

export const commands = new Registry()

/** Registers the commands of a component for as long as it lives; made anew when what they are made of changes. */
export function useCommands(make: () => readonly Command[]): void {
  let remove: (() => void) | undefined
  $effect.pre(() => {
    remove?.()
    remove = commands.add(make())
  })
  onDestroy(() => remove?.())
}
