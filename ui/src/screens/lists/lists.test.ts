// The lists screen without a core: the rule of a name, the page in view, the dialog.
import { flushSync, mount, unmount } from 'svelte'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../api/call'
import { Failure } from '../../api/errors'
import { ListsPage } from './lists-page.svelte'
import { nameFault } from './name-rule'
import NewList from './NewList.svelte'

vi.mock('../../api/call', () => ({ call: vi.fn(), clientId: 'me', transport: {} }))
const asked = vi.mocked(call)
const answer = { total_items: 60, total_pages: 3, items: [] }

beforeEach(() => asked.mockReset().mockResolvedValue(answer as never))

describe('name of a list', () => {
  it('has 1 to 120 characters and is not blank', () => {
    expect(nameFault('a')).toBeUndefined()
    expect(nameFault('🐦'.repeat(120))).toBeUndefined()
    expect(nameFault('é'.repeat(121))).toBe('Shorten the name by 1 character.')
    expect(nameFault('')).toBe('Give the list a name.')
    expect(nameFault(' \t')).toBe('Give the list a name.')
  })
})

describe('page of lists', () => {
  const last = (): unknown => asked.mock.lastCall?.[1]

  it('begins with the latest', async () => {
    await new ListsPage().load()
    expect(last()).toEqual({
      page_number: 1,
      page_size: 25,
      sort_by: 'updated_at',
      sort_order: 'DESC',
      name: null,
    })
  })

  it('turns the order round at the second click and goes back to the first page', async () => {
    const page = new ListsPage()
    page.goTo(3)
    page.sortBy('name')
    page.sortBy('name')
    await page.load()
    expect(last()).toMatchObject({ page_number: 1, sort_by: 'name', sort_order: 'DESC' })
  })

  it('steps back when its page is gone', async () => {
    const page = new ListsPage()
    page.goTo(9)
    await page.load()
    expect(page.query.page_number).toBe(3)
    expect(page.shown?.answer).toEqual(answer)
  })

  it('shows no order before its rows are there', async () => {
    const page = new ListsPage()
    await page.load()
    page.sortBy('name')
    expect(page.shown?.query.sort_by).toBe('updated_at')
    await page.load()
    expect(page.shown?.query.sort_by).toBe('name')
  })

  it('keeps what it showed when a refresh fails, and tells why', async () => {
    const page = new ListsPage()
    await page.load()
    asked.mockRejectedValueOnce(new Failure('unreachable', 'gone'))
    await page.load()
    expect(page.shown?.answer).toEqual(answer)
    expect(page.failure?.code).toBe('unreachable')
    await page.load()
    expect(page.failure).toBeUndefined()
  })

  it('shows a new list among the latest, whatever was filtered before', async () => {
    const page = new ListsPage()
    page.filterBy('zzz')
    await page.create('Newsletter')
    expect(asked).toHaveBeenCalledWith('list_create', { name: 'Newsletter' })
    expect(last()).toMatchObject({ name: null, page_number: 1, sort_by: 'updated_at' })
  })
})

describe('dialog of a new list', () => {
  function open(oncreate: (name: string) => Promise<void>) {
    const dialog = mount(NewList, { target: document.body, props: { oncreate, onclose: vi.fn() } })
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
      fault: () => document.querySelector('dialog [role=alert]')?.textContent,
      close: () => unmount(dialog),
    }
  }

  it('objects to nothing before the first try, then says what is missing', async () => {
    const create = vi.fn(() => Promise.resolve())
    const dialog = open(create)
    expect(dialog.fault()).toBe('')
    dialog.submit()
    expect(dialog.fault()).toBe('Give the list a name.')
    dialog.type('Newsletter')
    expect(dialog.fault()).toBe('')
    dialog.submit()
    expect(create).toHaveBeenCalledExactlyOnceWith('Newsletter')
    await dialog.close()
  })

  it('shows what the core objected to until the name is changed', async () => {
    const dialog = open(() =>
      Promise.reject(
        new Failure('invalid', 'no', [{ path: 'name', message: 'List name already exists', rejected: 'a' }]),
      ),
    )
    dialog.type('a')
    dialog.submit()
    await vi.waitFor(() => expect(dialog.fault()).toBe('List name already exists'))
    dialog.type('ab')
    expect(dialog.fault()).toBe('')
    await dialog.close()
  })
})
