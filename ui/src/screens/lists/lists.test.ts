// The screen of lists without a core: the rule for names, the page in view, the dialog that asks for a name.
import { flushSync, mount, unmount } from 'svelte'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../api/call'
import { Failure } from '../../api/errors'
import { findNameFault } from '../../parts/list/name-rule'
import NameDialog from './dialogs/NameDialog.svelte'
import { ListsPage } from './lists-page.svelte'

vi.mock('../../api/call', () => ({ call: vi.fn(), onSlowCall: vi.fn(), transport: {} }))
const asked = vi.mocked(call)
const row = (uid: string) => ({ uid, name: uid, contact_count: 0, alias: null, note: null, pinned_at: null })
const answer = (...uids: string[]) => ({ total_items: 60, total_pages: 3, items: uids.map(row) })

beforeEach(() => asked.mockReset().mockResolvedValue(answer() as never))

describe('name of a list', () => {
  it('has 1 to 120 characters and is not blank', () => {
    expect(findNameFault('a')).toBeUndefined()
    expect(findNameFault('🐦'.repeat(120))).toBeUndefined()
    expect(findNameFault('é'.repeat(121))).toBe('Shorten the name by 1 character.')
    expect(findNameFault('')).toBe('Give the list a name.')
    expect(findNameFault(' \t')).toBe('Give the list a name.')
  })
})

describe('page of lists', () => {
  const last = (): unknown => asked.mock.lastCall?.[1]

  it('begins with the latest', async () => {
    await new ListsPage().load()
    expect(last()).toMatchObject({ page_number: 1, sort_by: 'updated_at', sort_order: 'DESC', name: null })
  })

  it('steps back when its page no longer exists', async () => {
    const page = new ListsPage()
    await page.goTo(9)
    expect(page.query.page_number).toBe(3)
  })

  it('keeps what it showed when a refresh fails, and says why', async () => {
    const page = new ListsPage()
    await page.load()
    asked.mockRejectedValueOnce(new Failure('unreachable', 'gone'))
    await page.load()
    expect(page.items).toEqual([])
    expect(page.failure?.code).toBe('unreachable')
    await page.load()
    expect(page.failure).toBeUndefined()
  })

  it('shows a new list among the latest, whatever was filtered before', async () => {
    const page = new ListsPage()
    await page.narrow({ name: 'zzz' })
    await page.show('a')
    expect(last()).toMatchObject({ name: null, page_number: 1, sort_by: 'updated_at' })
    expect([...page.selected]).toEqual(['a'])
  })

  it('knows the chosen lists of pages that are no longer in view', async () => {
    const page = new ListsPage()
    asked.mockResolvedValueOnce(answer('a', 'b') as never)
    await page.load()
    page.selected = new Set(['b'])
    asked.mockResolvedValueOnce(answer('c') as never)
    await page.goTo(2)
    expect(page.chosen.map(({ uid }) => uid)).toEqual(['b'])
    page.forget('b')
    expect(page.chosen).toEqual([])
  })
})

describe('dialog that asks for a name', () => {
  function open(onname: (name: string) => Promise<void>) {
    const props = { title: 'New list', act: 'Create list', onname, onclose: vi.fn() }
    const dialog = mount(NameDialog, { target: document.body, props })
    flushSync()
    const input = document.querySelector<HTMLInputElement>('dialog input')
    const form = document.querySelector<HTMLFormElement>('dialog form')
    if (input === null || form === null) throw new Error('the dialog is not there')
    return {
      type(text: string): void {
        input.value = text
        input.dispatchEvent(new Event('input', { bubbles: true }))
        flushSync()
      },
      submit(): void {
        form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }))
        flushSync()
      },
      fault: () => document.querySelector('dialog .fault')?.textContent,
      /** Returns whether the button is enabled again, because the last attempt has ended. */
      ready: () => document.querySelector<HTMLButtonElement>('dialog [type=submit]')?.disabled === false,
      closed: props.onclose,
      close: () => unmount(dialog),
    }
  }

  it('objects to nothing before the first try, then says what is missing', async () => {
    const create = vi.fn(() => Promise.resolve())
    const dialog = open(create)
    expect(dialog.fault()).toBe('')
    dialog.submit()
    await vi.waitFor(() => expect(dialog.fault()).toBe('Give the list a name.'))
    dialog.type('Newsletter')
    expect(dialog.fault()).toBe('')
    await vi.waitFor(() => expect(dialog.ready()).toBe(true))
    dialog.submit()
    await vi.waitFor(() => expect(dialog.closed).toHaveBeenCalledOnce())
    expect(create).toHaveBeenCalledExactlyOnceWith('Newsletter')
    await dialog.close()
  })

  it('shows what the core objected to until the name is changed', async () => {
    const faults = [{ path: 'name', message: 'List name already exists', rejected: 'a' }]
    const dialog = open(() => Promise.reject(new Failure('invalid', 'no', faults)))
    dialog.type('a')
    dialog.submit()
    await vi.waitFor(() => expect(dialog.fault()).toBe('List name already exists'))
    dialog.type('ab')
    expect(dialog.fault()).toBe('')
    await dialog.close()
  })
})
