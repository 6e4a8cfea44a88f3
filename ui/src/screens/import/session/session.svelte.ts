// One import under way, as its page follows it: files that are read, columns that get a meaning, the rehearsal, the act.
// The core keeps all of it; what is here is how the page stands before it.
import { call } from '../../../api/call'
import { Failure, toFailure } from '../../../api/errors'
import type {
  ImportMappedRow,
  ImportMappingFault,
  ImportRehearsal,
  ImportSettings,
  ImportState,
  ImportTable,
  ImportTarget,
} from '../../../api/generated'
import { m } from '../../../gen/words'
import { debounce } from '../../../lib/debounce'
import { askAboutLost } from '../../../parts/act/lost-opt-outs'
import type { Incoming } from '../../../parts/files/incoming.svelte'
import { sendBytes, sourcesOf } from '../../../parts/files/send'
import { showColumns } from '../../../parts/list/grid-layout'
import { STEPS, type Step } from './steps'
import type { Mapping } from './types'

/** Short enough that the call itself is not held to be slow. */
const WAIT_MS = 300
/** What the ledger calls columns that say who opted out. */
const OPT_OUT = 'opt_out'
/** A pause in typing, after which the first rows are shown with what was typed. */
const TYPING_MS = 250

export class ImportSession {
  state = $state.raw() as ImportState
  step = $state<Step>('source')
  table = $state.raw<ImportTable>()
  mapping = $state.raw<Mapping>()
  faults = $state.raw<readonly ImportMappingFault[]>([])
  /** What the first rows become. */
  sample = $state.raw<readonly ImportMappedRow[]>([])
  rehearsal = $state.raw<ImportRehearsal>()
  failure = $state.raw<Failure>()
  /** How many contacts the paste added whose other rows are here. */
  added = $state(0)
  /** What the core objected to in the place that was chosen last. */
  aimFault = $state<string>()
  /** Grows when rows have other buckets, so that grids read them anew. */
  turn = $state(0)
  /** The person asked to go on while something stands in the way: it is pointed out. */
  isAsked = $state(false)
  #following: Promise<void> | undefined
  #shown = -1
  /** The generation that the rehearsal is of. */
  #rehearsed = -1
  /** What following it came to grief on. */
  #lost: Failure | undefined
  #asked = 0
  #taken = 0
  /** Counts where the person wanted to go; only the last wish is granted. */
  #wish = 0
  #acting: Promise<unknown> = Promise.resolve()
  /** Whether the last that was said is kept. */
  #saving: Promise<boolean> = Promise.resolve(true)
  #unsaved = false
  /** Counts what the person said of the columns: an answer to a question from before knows nothing of it. */
  #said = 0
  #aims = 0
  readonly #later = debounce(() => void this.#keepMapping(), TYPING_MS)

  constructor(first: ImportState) {
    this.state = first
    this.step = stepOf(first)
    // It was accepted, and the program ended before it could say so.
    if (first.accepted !== null) this.#showColumns(first.accepted)
  }

  get id(): number {
    return this.state.import
  }
  get isBusy(): boolean {
    return this.state.progress !== null
  }
  get isAccepted(): boolean {
    return this.state.stage === 'accepted'
  }

  /** Reads what the present step shows, until nothing is under way; who asks meanwhile waits for the same end. */
  follow(): Promise<void> {
    this.#shown = -1
    return (this.#following ??= this.#followToEnd())
  }

  async #followToEnd(): Promise<void> {
    try {
      for (;;) {
        if (this.#shown !== this.state.generation) await this.#fill()
        else if (this.isBusy || this.state.stage === 'uploading') await this.#look(WAIT_MS)
        else break
      }
      if (this.failure === this.#lost) this.failure = undefined
    } catch (error) {
      this.failure = this.#lost = toFailure(error)
    } finally {
      this.#following = undefined
    }
  }

  /** How it stands now; another page may have changed it, or the list. */
  async look(): Promise<void> {
    await this.#guarded(() => this.#look(0))
    await this.follow()
  }

  #look(wait: number): Promise<void> {
    const { import: id, generation } = this.state
    return this.#take(() => call('import_state', { import: id, generation, wait_ms: wait }))
  }

  /** Answers may overtake each other: where one to a newer question came first, nobody knows which is true, and it is asked anew. */
  async #take(ask: () => Promise<ImportState>): Promise<void> {
    const turn = ++this.#asked
    const state = await ask()
    if (turn < this.#taken) return this.#look(0)
    this.#taken = turn
    if (!this.isAccepted && state.accepted !== null) {
      this.#showColumns(state.accepted)
      askAboutLost(state.accepted.lost_opt_outs)
    }
    this.state = state
  }

  /** The list opens with the columns that were filled; custom fields made on the way are shown anyway. */
  #showColumns({ list, ledger }: NonNullable<ImportState['accepted']>): void {
    const taken = ledger.entries.filter(({ outcome }) => outcome === 'taken')
    const fields = new Set(taken.flatMap((entry) => entry.fields).filter((field) => field !== OPT_OUT))
    showColumns(list, [...fields]).catch(() => undefined)
  }

  /** What the step needs of this generation. */
  async #fill(): Promise<void> {
    const { generation, stage } = this.state
    this.#shown = generation
    try {
      await this.#read(stage, () => this.state.generation === generation)
    } catch (error) {
      // What was to be read may be gone because the import went on.
      await this.#look(0)
      if (this.state.generation === generation) throw error
    }
  }

  async #read(stage: ImportState['stage'], isPresent: () => boolean): Promise<void> {
    const isRead = stage === 'mapping' || stage === 'rehearsing' || stage === 'rehearsed'
    if (isRead && this.step !== 'source' && !this.#unsaved) {
      const said = this.#said
      const table = await call('import_columns', this.#me)
      if (said === this.#said) this.#adopt(table)
    }
    if (stage === 'rehearsed') {
      const rehearsal = await call('import_rehearsal', this.#me)
      if (!isPresent()) return
      this.rehearsal = rehearsal
      this.#rehearsed = this.state.generation
      this.turn += 1
    } else if (stage === 'mapping') this.rehearsal = undefined
  }

  get #me(): { import: number } {
    return { import: this.state.import }
  }

  #adopt(table: ImportTable): void {
    this.table = table
    this.mapping = table.mapping
    this.faults = table.faults
  }

  /** Runs a call that answers how the import stands then. */
  async #act(act: () => Promise<ImportState>): Promise<boolean> {
    const isDone = await this.#acted(() => this.#take(act))
    if (isDone) await this.follow()
    return isDone
  }

  /** Whoever wants to go on waits for what the person did just before. */
  #acted(act: () => Promise<void>): Promise<boolean> {
    const done = this.#guarded(act)
    this.#acting = Promise.all([this.#acting, done])
    return done
  }

  async #guarded(act: () => Promise<void>): Promise<boolean> {
    try {
      await act()
      this.failure = undefined
      return true
    } catch (error) {
      this.failure = toFailure(error)
      return false
    }
  }

  // ── Files ──

  /** Adds files and a pasted table. */
  async add(given: Incoming): Promise<void> {
    this.isAsked = false
    const sources = sourcesOf(given, m.import_pasted())
    const isDone = await this.#acted(() => this.#take(() => call('import_add', { ...this.#me, sources })))
    if (isDone) await this.send(given.files)
  }

  /** Hands over the bytes of files that the import waits for. */
  async send(files: readonly File[]): Promise<void> {
    void this.follow()
    const isGone = (file: number): boolean => !this.state.files.some((one) => one.file === file)
    await this.#guarded(() => sendBytes(this.state, files, () => this.#look(0), isGone))
    await this.follow()
  }

  remove(file: number): Promise<boolean> {
    return this.#act(() => call('import_remove_file', { ...this.#me, file }))
  }

  read(file: number, settings: ImportSettings): Promise<boolean> {
    return this.#act(() => call('import_source', { ...this.#me, file, settings }))
  }

  /** Chooses the sheets, or the files of an archive, that are imported. */
  takeParts(file: number, parts: string[]): Promise<boolean> {
    return this.#act(() => call('import_parts', { ...this.#me, file, parts }))
  }

  /** Reads on after reading was ended. */
  readAgain(): Promise<boolean> {
    return this.#act(() => call('import_read', this.#me))
  }

  /** A place that the core refuses is none: the import goes nowhere until there is another. */
  async aim(target: ImportTarget | null): Promise<boolean> {
    const to = (where: ImportTarget | null) =>
      this.#act(() => call('import_target', { ...this.#me, target: where }))
    const turn = ++this.#aims
    this.aimFault = undefined
    if (isSame(target, this.state.target)) return true
    const isDone = await to(target)
    const { failure } = this
    if (isDone || turn !== this.#aims || failure?.code !== 'invalid') return isDone
    await to(null)
    this.aimFault = failure.faults[0]?.message ?? failure.message
    return false
  }

  // ── Columns ──

  put(mapping: Mapping): void {
    this.#said += 1
    this.mapping = mapping
    this.#unsaved = true
    this.#later()
  }

  async #keepMapping(): Promise<boolean> {
    this.#later.cancel()
    const { mapping } = this
    if (mapping === undefined || !this.#unsaved) return this.#saving
    this.#unsaved = false
    this.#saving = this.#keepAfter(this.#saving, mapping)
    return this.#saving
  }

  /** One after the other: the last that was said must be the last that is kept. */
  async #keepAfter(before: Promise<boolean>, mapping: Mapping): Promise<boolean> {
    await before
    const isKept = await this.#guarded(async () => {
      const { faults, sample } = await call('import_map', { ...this.#me, mapping })
      if (this.mapping === mapping) {
        this.faults = faults
        this.sample = sample
      }
      await this.#look(0)
    })
    // It is tried again with the next wish.
    if (!isKept) this.#unsaved = true
    return isKept
  }

  useProfile(name: string): Promise<boolean> {
    return this.#acted(async () => {
      this.#said += 1
      this.#unsaved = false
      await this.#saving
      this.#adopt(await call('import_profile_use', { ...this.#me, name }))
      await this.#look(0)
    })
  }

  // ── The rehearsal and the act ──

  /** Rehearses if that was not done, or if something changed since. */
  async rehearse(): Promise<void> {
    const isKept = await this.#keepMapping()
    if (!isKept || this.faults.length > 0) return
    if (this.state.stage === 'rehearsed' && !this.state.is_stale) return this.follow()
    await this.#act(() => call('import_rehearse', this.#me))
  }

  mend(row: number, cells: { column: number; text: string }[]): Promise<boolean> {
    return this.#act(() => call('import_mend', { ...this.#me, row, cells }))
  }

  async accept(typed_count: number | null): Promise<void> {
    const isBegun = await this.#act(() => call('import_accept', { ...this.#me, typed_count }))
    // Somebody was faster: what was shown is no longer what would happen.
    if (!isBegun && this.failure?.code === 'conflict') await this.rehearse()
  }

  async cancel(): Promise<void> {
    this.#wish += 1
    await this.#guarded(async () => void (await call('import_cancel', this.#me)))
    await this.follow()
  }

  discard(): Promise<boolean> {
    return this.#guarded(async () => void (await call('import_discard', this.#me)))
  }

  // ── Steps ──

  /** Why one cannot go on from the present step; undefined if one can. */
  get obstacle(): 'files' | 'broken' | 'busy' | 'target' | 'columns' | undefined {
    const { files, progress, stage, target } = this.state
    if (stage === 'empty') return 'files'
    if (progress !== null || stage === 'uploading') return 'busy'
    if (files.some(({ broken, settings }) => broken !== null && !settings.takes_part)) return 'broken'
    if (target === null) return 'target'
    if (this.step === 'mapping' && this.faults.length > 0) return 'columns'
    return undefined
  }

  /** Goes to a step as soon as files are read; false if what is before it is not done, undefined if the wish changed. */
  async go(to: Step): Promise<boolean | undefined> {
    const wish = ++this.#wish
    if (STEPS.indexOf(to) > STEPS.indexOf(this.step)) {
      await this.#keepMapping()
      await this.#acting
      if (wish === this.#wish && this.obstacle === 'busy') {
        this.isAsked = true
        await this.follow()
      }
      if (wish !== this.#wish) return undefined
      this.isAsked = this.obstacle !== undefined
      if (this.isAsked) return false
    }
    this.isAsked = false
    const from = this.step
    this.step = to
    const { stage, is_stale, generation } = this.state
    const isRehearsed = stage === 'rehearsed' && !is_stale && generation === this.#rehearsed
    // The last word is about what is in view already.
    if (from === 'rehearsal' && to === 'accept' && isRehearsed && this.rehearsal !== undefined) return true
    this.#shown = -1
    // What was rehearsed before is no longer what would happen.
    if (stage !== 'rehearsed') this.rehearsal = undefined
    if (to === 'rehearsal' || to === 'accept') await this.rehearse()
    else await this.follow()
    return true
  }
}

function isSame(one: ImportTarget | null, other: ImportTarget | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Where an import goes on that is looked at again. */
function stepOf({ stage, target, files }: ImportState): Step {
  if (stage === 'rehearsing' || stage === 'rehearsed') return 'rehearsal'
  if (stage === 'accepting' || stage === 'accepted') return 'accept'
  // What was put aside is looked through once more after the program ended; there is nothing new to see in it.
  const isRead = files.every(
    ({ found, broken, settings }) => found !== null && (!broken || settings.takes_part),
  )
  const isKnown = stage === 'mapping' || (stage === 'reading' && isRead)
  return isKnown && target !== null ? 'mapping' : 'source'
}
