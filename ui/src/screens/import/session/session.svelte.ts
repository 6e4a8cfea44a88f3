// The page's view of one import, through all steps. The core stores the import; this stores the state of the page.
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
import type { IncomingFiles } from '../../../parts/files/incoming.svelte'
import { sendBytes, toImportSources } from '../../../parts/files/upload'
import { showColumns } from '../../../parts/list/grid-layout'
import { STEPS, type ImportStep } from './steps'
import type { Mapping } from './types'

/** Short enough that the call is not reported as slow. */
const WAIT_MS = 300
/** The ledger's name for columns with opt-outs. */
const OPT_OUT = 'opt_out'
/** The pause in typing after which the preview is updated. */
const TYPING_MS = 250

export class ImportSession {
  state = $state.raw() as ImportState
  step = $state<ImportStep>('source')
  table = $state.raw<ImportTable>()
  mapping = $state.raw<Mapping>()
  faults = $state.raw<readonly ImportMappingFault[]>([])
  /** The first rows as they would be imported. */
  sample = $state.raw<readonly ImportMappedRow[]>([])
  rehearsal = $state.raw<ImportRehearsal>()
  failure = $state.raw<Failure>()
  /** How many contacts the paste added before its refused rows came here. */
  added = $state(0)
  /** The core's error for the target that was chosen last. */
  aimFault = $state<string>()
  /** Increases when rows change buckets, so that grids read them again. */
  turn = $state(0)
  /** Whether the user tried to go on although something is missing, which is then pointed out. */
  isAsked = $state(false)
  #following: Promise<void> | undefined
  #shownGeneration = -1
  /** The generation that was rehearsed. */
  #rehearsedGeneration = -1
  /** The failure that ended `follow`, so that only this one is cleared later. */
  #followFailure: Failure | undefined
  #requestTurn = 0
  #appliedTurn = 0
  /** Identifies the last navigation of the user, which cancels earlier ones. */
  #goTurn = 0
  #pendingActs: Promise<unknown> = Promise.resolve()
  /** Resolves to whether the last mapping was stored. */
  #pendingSave: Promise<boolean> = Promise.resolve(true)
  #hasUnsavedMapping = false
  /** Counts changes of the mapping, so that a response to an older request does not overwrite a newer mapping. */
  #mappingTurn = 0
  #aimTurn = 0
  readonly #saveSoon = debounce(() => void this.#saveMapping(), TYPING_MS)

  constructor(first: ImportState) {
    this.state = first
    this.step = stepOf(first)
    // The program ended after accepting the import and before showing the result.
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

  /** Loads what the current step shows, until no operation is running. Callers share one loop. */
  follow(): Promise<void> {
    this.#shownGeneration = -1
    return (this.#following ??= this.#followToEnd())
  }

  async #followToEnd(): Promise<void> {
    try {
      for (;;) {
        if (this.#shownGeneration !== this.state.generation) await this.#loadStep()
        else if (this.isBusy || this.state.stage === 'uploading') await this.#loadState(WAIT_MS)
        else break
      }
      if (this.failure === this.#followFailure) this.failure = undefined
    } catch (error) {
      this.failure = this.#followFailure = toFailure(error)
    } finally {
      this.#following = undefined
    }
  }

  /** Loads the current state, because another page may have changed the import or the list. */
  async checkState(): Promise<void> {
    await this.#runGuarded(() => this.#loadState(0))
    await this.follow()
  }

  #loadState(wait: number): Promise<void> {
    const { import: id, generation } = this.state
    return this.#applyState(() => call('import_state', { import: id, generation, wait_ms: wait }))
  }

  /** Applies a response. If the response to a later request arrived earlier, it is unclear which is current, so the
   *  state is loaded again. */
  async #applyState(ask: () => Promise<ImportState>): Promise<void> {
    const turn = ++this.#requestTurn
    const state = await ask()
    if (turn < this.#appliedTurn) return this.#loadState(0)
    this.#appliedTurn = turn
    if (!this.isAccepted && state.accepted !== null) {
      this.#showColumns(state.accepted)
      askAboutLost(state.accepted.lost_opt_outs)
    }
    this.state = state
    // Only the last step shows the result, and the others can no longer change anything.
    if (this.isAccepted) this.step = 'accept'
  }

  /** Makes the list open with the columns that were filled; new custom fields are shown anyway. */
  #showColumns({ list, ledger }: NonNullable<ImportState['accepted']>): void {
    const taken = ledger.entries.filter(({ outcome }) => outcome === 'taken')
    const fields = new Set(taken.flatMap((entry) => entry.fields).filter((field) => field !== OPT_OUT))
    showColumns(list, [...fields]).catch(() => undefined)
  }

  /** Loads what the step needs of this generation. */
  async #loadStep(): Promise<void> {
    const { generation, stage } = this.state
    this.#shownGeneration = generation
    try {
      await this.#read(stage, () => this.state.generation === generation)
    } catch (error) {
      // The data may no longer exist because the import has advanced.
      await this.#loadState(0)
      if (this.state.generation === generation) throw error
    }
  }

  async #read(stage: ImportState['stage'], isPresent: () => boolean): Promise<void> {
    const isRead = stage === 'mapping' || stage === 'rehearsing' || stage === 'rehearsed'
    if (isRead && this.step !== 'source' && !this.#hasUnsavedMapping) {
      const mappingTurn = this.#mappingTurn
      const table = await call('import_columns', this.#importKey)
      if (mappingTurn === this.#mappingTurn) this.#adopt(table)
    }
    if (stage === 'rehearsed') {
      const rehearsal = await call('import_rehearsal', this.#importKey)
      if (!isPresent()) return
      this.rehearsal = rehearsal
      this.#rehearsedGeneration = this.state.generation
      this.turn += 1
    } else if (stage === 'mapping') this.rehearsal = undefined
  }

  get #importKey(): { import: number } {
    return { import: this.state.import }
  }

  #adopt(table: ImportTable): void {
    this.table = table
    this.mapping = table.mapping
    this.faults = table.faults
  }

  /** Runs a call whose response is the new state of the import. */
  async #act(act: () => Promise<ImportState>): Promise<boolean> {
    const isDone = await this.#runTracked(() => this.#applyState(act))
    if (isDone) await this.follow()
    return isDone
  }

  /** Runs an action that later navigation waits for. */
  #runTracked(act: () => Promise<void>): Promise<boolean> {
    const done = this.#runGuarded(act)
    this.#pendingActs = Promise.all([this.#pendingActs, done])
    return done
  }

  async #runGuarded(act: () => Promise<void>): Promise<boolean> {
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
  async add(given: IncomingFiles): Promise<void> {
    this.isAsked = false
    const sources = toImportSources(given, m.import_pasted())
    const isDone = await this.#runTracked(() =>
      this.#applyState(() => call('import_add', { ...this.#importKey, sources })),
    )
    if (isDone) await this.send(given.files)
  }

  /** Sends the bytes of the files that the import waits for. */
  async send(files: readonly File[]): Promise<void> {
    void this.follow()
    const isGone = (file: number): boolean => !this.state.files.some((one) => one.file === file)
    await this.#runGuarded(() => sendBytes(this.state, files, () => this.#loadState(0), isGone))
    await this.follow()
  }

  remove(file: number): Promise<boolean> {
    return this.#act(() => call('import_remove_file', { ...this.#importKey, file }))
  }

  read(file: number, settings: ImportSettings): Promise<boolean> {
    return this.#act(() => call('import_source', { ...this.#importKey, file, settings }))
  }

  /** Chooses which sheets, or files of an archive, are imported. */
  takeParts(file: number, parts: string[]): Promise<boolean> {
    return this.#act(() => call('import_parts', { ...this.#importKey, file, parts }))
  }

  /** Reads again after reading was cancelled. */
  readAgain(): Promise<boolean> {
    return this.#act(() => call('import_read', this.#importKey))
  }

  /** Sets the target. If the core refuses it, the import has none until the user chooses another. */
  async aim(target: ImportTarget | null): Promise<boolean> {
    const to = (where: ImportTarget | null) =>
      this.#act(() => call('import_target', { ...this.#importKey, target: where }))
    const turn = ++this.#aimTurn
    this.aimFault = undefined
    if (isSame(target, this.state.target)) return true
    const isDone = await to(target)
    const { failure } = this
    if (isDone || turn !== this.#aimTurn || failure?.code !== 'invalid') return isDone
    await to(null)
    this.aimFault = failure.faults[0]?.message ?? failure.message
    return false
  }

  // ── Columns ──

  changeMapping(mapping: Mapping): void {
    this.#mappingTurn += 1
    this.mapping = mapping
    this.#hasUnsavedMapping = true
    this.#saveSoon()
  }

  async #saveMapping(): Promise<boolean> {
    this.#saveSoon.cancel()
    const { mapping } = this
    if (mapping === undefined || !this.#hasUnsavedMapping) return this.#pendingSave
    this.#hasUnsavedMapping = false
    this.#pendingSave = this.#saveAfter(this.#pendingSave, mapping)
    return this.#pendingSave
  }

  /** Stores mappings one after the other, so that the last one is stored last. */
  async #saveAfter(before: Promise<boolean>, mapping: Mapping): Promise<boolean> {
    await before
    const isKept = await this.#runGuarded(async () => {
      const { faults, sample } = await call('import_map', { ...this.#importKey, mapping })
      if (this.mapping === mapping) {
        this.faults = faults
        this.sample = sample
      }
      await this.#loadState(0)
    })
    // The next change tries again.
    if (!isKept) this.#hasUnsavedMapping = true
    return isKept
  }

  useProfile(name: string): Promise<boolean> {
    return this.#runTracked(async () => {
      this.#mappingTurn += 1
      this.#hasUnsavedMapping = false
      await this.#pendingSave
      this.#adopt(await call('import_profile_use', { ...this.#importKey, name }))
      await this.#loadState(0)
    })
  }

  // ── The rehearsal and the act ──

  /** Rehearses, unless there is a current rehearsal. */
  async rehearse(): Promise<void> {
    const isKept = await this.#saveMapping()
    if (!isKept || this.faults.length > 0) return
    if (this.state.stage === 'rehearsed' && !this.state.is_stale) return this.follow()
    await this.#act(() => call('import_rehearse', this.#importKey))
  }

  mend(row: number, cells: { column: number; text: string }[]): Promise<boolean> {
    return this.#act(() => call('import_mend', { ...this.#importKey, row, cells }))
  }

  async accept(typed_count: number | null): Promise<void> {
    const isBegun = await this.#act(() => call('import_accept', { ...this.#importKey, typed_count }))
    // The list changed in the meantime, so the rehearsal is out of date.
    if (!isBegun && this.failure?.code === 'conflict') await this.rehearse()
  }

  async cancel(): Promise<void> {
    this.#goTurn += 1
    await this.#runGuarded(async () => void (await call('import_cancel', this.#importKey)))
    await this.follow()
  }

  discard(): Promise<boolean> {
    return this.#runGuarded(async () => void (await call('import_discard', this.#importKey)))
  }

  // ── Steps ──

  /** The reason why the user cannot go on from the current step; undefined if they can. */
  get obstacle(): 'files' | 'broken' | 'busy' | 'target' | 'columns' | undefined {
    const { files, progress, stage, target } = this.state
    if (stage === 'empty') return 'files'
    if (progress !== null || stage === 'uploading') return 'busy'
    if (files.some(({ broken, settings }) => broken !== null && !settings.takes_part)) return 'broken'
    if (target === null) return 'target'
    if (this.step === 'mapping' && this.faults.length > 0) return 'columns'
    return undefined
  }

  /** Goes to a step as soon as the files are read. Returns false if an earlier step is unfinished, undefined if the
   *  user has gone elsewhere since. */
  async go(to: ImportStep): Promise<boolean | undefined> {
    if (this.isAccepted) return undefined
    const turn = ++this.#goTurn
    if (STEPS.indexOf(to) > STEPS.indexOf(this.step)) {
      await this.#saveMapping()
      await this.#pendingActs
      if (turn === this.#goTurn && this.obstacle === 'busy') {
        this.isAsked = true
        await this.follow()
      }
      if (turn !== this.#goTurn) return undefined
      this.isAsked = this.obstacle !== undefined
      if (this.isAsked) return false
    }
    this.isAsked = false
    const from = this.step
    this.step = to
    const { stage, is_stale, generation } = this.state
    const isRehearsed = stage === 'rehearsed' && !is_stale && generation === this.#rehearsedGeneration
    // The confirmation uses the rehearsal that is in view.
    if (from === 'rehearsal' && to === 'accept' && isRehearsed && this.rehearsal !== undefined) return true
    this.#shownGeneration = -1
    // The earlier rehearsal is out of date.
    if (stage !== 'rehearsed') this.rehearsal = undefined
    if (to === 'rehearsal' || to === 'accept') await this.rehearse()
    else await this.follow()
    return true
  }
}

function isSame(one: ImportTarget | null, other: ImportTarget | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Returns the step at which a resumed import continues. */
function stepOf({ stage, target, files }: ImportState): ImportStep {
  if (stage === 'rehearsing' || stage === 'rehearsed') return 'rehearsal'
  if (stage === 'accepting' || stage === 'accepted') return 'accept'
  // Restarting the program reads the stored files again; that alone should not lead back to the first step.
  const isRead = files.every(
    ({ found, broken, settings }) => found !== null && (!broken || settings.takes_part),
  )
  const isKnown = stage === 'mapping' || (stage === 'reading' && isRead)
  return isKnown && target !== null ? 'mapping' : 'source'
}
