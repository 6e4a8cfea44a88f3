// An import of opt-outs: the parsed rows, and what they would add. Nothing is written before the user confirms.
import { call } from '../../../api/call'
import { Failure, toFailure } from '../../../api/errors'
import type {
  Channel,
  Commands,
  ImportColumns,
  ImportState as ImportStatus,
  OptOutRowStatus,
} from '../../../api/generated'
import { coalesce } from '../../../lib/coalesce'
import { sendBytes, toImportSources } from '../../../parts/files/upload'
import { OPT_OUT_CHANNELS } from '../../../parts/optout-badge/words'

export const PAGE_SIZE = 50
const WAIT_MS = 300
type ImportPreview = Commands['opt_out_import_preview']['response']
type ImportRows = Commands['opt_out_import_rows']['response']

export class ImportState {
  text = $state('')
  /** A file that the core has read, instead of the text. */
  file = $state.raw<{ import: number; name: string }>()
  channels = $state.raw<readonly Channel[]>(OPT_OUT_CHANNELS)
  status = $state<OptOutRowStatus | 'all'>('all')
  page = $state(1)
  busy = $state(false)
  preview = $state.raw<ImportPreview>()
  rows = $state.raw<ImportRows>()
  failure = $state.raw<Failure>()

  /** Reads the text; without `columns`, the core detects them. */
  async read(region: string | null, columns: ImportColumns | null = null): Promise<void> {
    this.busy = true
    try {
      const reading = { region, channels: [...this.channels], columns }
      this.preview =
        this.file === undefined
          ? await call('opt_out_import_preview', { text: this.text, ...reading })
          : await call('opt_out_import_file', { import: this.file.import, ...reading })
      this.status = 'all'
      await this.show(1)
    } catch (error) {
      this.failure = toFailure(error)
    } finally {
      this.busy = false
    }
  }

  /** Uploads a file of any kind and waits until it is read; throws the core's own message if it cannot be read. */
  async readFile(given: File): Promise<boolean> {
    this.busy = true
    try {
      this.drop()
      const sources = toImportSources({ files: [given] }, '')
      let importState = await call('import_open', { purpose: 'opt_outs', sources, target: null })
      this.file = { import: importState.import, name: given.name }
      await sendBytes(importState, [given], () => Promise.resolve())
      importState = await this.#loadPage(importState, 0)
      while (importState.progress !== null || importState.stage === 'uploading')
        importState = await this.#loadPage(importState, WAIT_MS)
      const broken = importState.files[0]?.broken
      if (broken) {
        this.failure = new Failure('invalid', broken.message)
        this.drop()
        return false
      }
      this.failure = undefined
      return true
    } catch (error) {
      this.failure = toFailure(error)
      this.drop()
      return false
    } finally {
      this.busy = false
    }
  }

  #loadPage({ import: id, generation }: ImportStatus, wait_ms: number): Promise<ImportStatus> {
    return call('import_state', { import: id, generation, wait_ms })
  }

  /** Drops the file. */
  drop(): void {
    const { file } = this
    this.file = undefined
    if (file !== undefined) void call('import_discard', { import: file.import }).catch(() => undefined)
  }

  show(page: number): Promise<void> {
    this.page = page
    return this.#refreshPage()
  }

  // One request at a time, so that the response to an older choice cannot arrive after a newer one.
  readonly #refreshPage = coalesce(async () => {
    if (this.preview === undefined) return
    try {
      this.rows = await call('opt_out_import_rows', {
        import: this.preview.import,
        status: this.status === 'all' ? null : this.status,
        page_number: this.page,
        page_size: PAGE_SIZE,
      })
      this.failure = undefined
    } catch (error) {
      this.failure = toFailure(error)
    }
  })

  forget(): void {
    this.preview = undefined
    this.rows = undefined
    this.failure = undefined
  }
}
