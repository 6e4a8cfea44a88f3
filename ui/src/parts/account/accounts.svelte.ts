// The accounts that this program knows, which one is open, and the actions on them.
import { call } from '../../api/call'
import type { Failure } from '../../api/errors'
import { createLoad } from '../../api/loader.svelte'
import type { Commands } from '../../api/generated'
import { unsaved } from '../contact/unsaved.svelte'

export type AccountsAnswer = Commands['account_list']['response']
export type KnownAccount = AccountsAnswer['accounts'][number]
export type InitialContents = Commands['account_create']['request']['contents']
export type WayBack = Commands['account_way_back']['response']
export type SoundCopy = WayBack['copies'][number]
export type Colour = Commands['account_create']['request']['colour']

class AccountsState {
  value = $state.raw<AccountsAnswer>()
  failure = $state.raw<Failure>()

  /** Loads the accounts; the old ones stay in view until the response arrives. */
  readonly load = createLoad(this, async () => {
    this.value = await call('account_list', {})
  })

  /** Loads the accounts again after an action, even after a failed one, whose error goes to the caller. */
  async #runAndReload<T>(act: Promise<T>): Promise<T> {
    try {
      return await act
    } finally {
      await this.load()
    }
  }

  /** Creates and opens an account. Unsaved text of the open account would be lost, so it asks first. Returns whether
   *  another account is open now. */
  async create(
    name: string,
    colour: Colour,
    country: string | null,
    contents: InitialContents,
  ): Promise<boolean> {
    if (!(await unsaved.mayLeave('switch'))) return false
    await this.#runAndReload(call('account_create', { name, colour, country, contents }))
    return true
  }
  async open(path: string): Promise<boolean> {
    if (!(await unsaved.mayLeave('switch'))) return false
    await this.#runAndReload(call('account_open', { path }))
    return true
  }
  /** Returns what is wrong with an account file that cannot be used, and its undamaged copies. */
  findWayBack = (path: string) => call('account_way_back', { path })
  /** Restores a copy of such an account and opens it. */
  async restore(path: string, copy: string): Promise<boolean> {
    if (!(await unsaved.mayLeave('switch'))) return false
    await this.#runAndReload(call('account_restore', { path, copy }))
    return true
  }
  startEmpty = (path: string) => this.#runAndReload(call('account_start_empty', { path }))
  retry = () => this.#runAndReload(call('account_retry', {}))
  async close(): Promise<boolean> {
    if (!(await unsaved.mayLeave('switch'))) return false
    await this.#runAndReload(call('account_close', {}))
    return true
  }
  rename = (name: string) => this.#runAndReload(call('account_rename', { name }))
  recolour = (colour: Colour) => this.#runAndReload(call('account_recolour', { colour }))
  setCountry = (country: string) => this.#runAndReload(call('account_set_country', { country }))
  duplicate = (path: string, name: string) => this.#runAndReload(call('account_duplicate', { path, name }))
  forget = (path: string) => this.#runAndReload(call('account_forget', { path }))
  reveal = (path: string) => call('account_reveal', { path })

  /** Returns the path that the user chose in a dialog, if any. */
  async pick(): Promise<string | undefined> {
    return (await call('account_pick', {})).path ?? undefined
  }
}

export const accounts = new AccountsState()
