// The native menus: they keep one order on every screen, and disable what a screen does not offer.
import { afterEach, describe, expect, it } from 'vitest'
import type { MenuPart } from '../api/transport'
import { commands, type Command } from '../lib/commands/registry.svelte'
import { createFrameCommands } from './commands/frame-commands'
import { createMenuBar } from './menus'

const command = (id: string, more: Partial<Command> = {}): Command => ({
  id,
  title: id,
  section: 'Contacts',
  run: () => undefined,
  ...more,
})
const CONTACTS = [
  'add',
  'open',
  'copy',
  'paste_cells',
  'delete',
  'find',
  'replace',
  'move',
  'opt_out',
  'export',
]
const contacts = (can: boolean): Command[] =>
  [...CONTACTS, ...Array.from({ length: 40 }, (_, n) => `more_${String(n)}`)].map((verb) =>
    command(`contacts.${verb}`, { when: () => can }),
  )

const added: (() => void)[] = []
const add = (...all: readonly Command[]): number => added.push(commands.add(all))
afterEach(() => {
  for (const remove of added.splice(0)) remove()
})

const titles = (bar: readonly MenuPart[]): string[] => bar.map(({ title }) => title)
const entry = (bar: readonly MenuPart[], menu: string, title: RegExp): MenuPart['items'][number] =>
  bar.find((part) => part.title === menu)?.items.find((item) => item !== undefined && title.test(item.title))

describe('the menu bar', () => {
  it('has the same menus on a screen with many commands and on one with none', () => {
    add(...createFrameCommands())
    const before = createMenuBar()
    add(...contacts(true))
    expect(titles(before)).toEqual(['File', 'Edit', 'View', 'Go to', 'Help'])
    expect(titles(createMenuBar())).toEqual(['File', 'Edit', 'View', 'Go to', 'List', 'Help'])
    for (const { title, items } of createMenuBar()) {
      expect(items.filter(Boolean).length, title).toBeLessThanOrEqual(15)
      expect([items[0], items.at(-1)], title).not.toContain(undefined)
    }
    const file = (bar: readonly MenuPart[]): unknown => bar[0]?.items.map((item) => item?.title)
    expect(file(createMenuBar())).toEqual(file(before))
  })

  it('has keys beside its titles, never in them', () => {
    add(...createFrameCommands())
    expect(entry(createMenuBar(), 'View', /^Detail panel/)).toMatchObject({
      title: 'Detail panel',
      accelerator: 'CmdOrCtrl+\\',
      keys: 'Ctrl+\\',
    })
    expect(entry(createMenuBar(), 'Edit', /^Undo/)).toMatchObject({
      title: 'Undo',
      accelerator: 'CmdOrCtrl+Z',
    })
    expect(entry(createMenuBar(), 'View', /^Zoom in|larger/i)?.accelerator).toBe('CmdOrCtrl+=')
    expect(entry(createMenuBar(), 'File', /^Switch account/)?.keys).toBe('Ctrl+Shift+K')
    for (const [title, keys] of [
      [/^Cut/, 'Ctrl+X'],
      [/^Copy/, 'Ctrl+C'],
      [/^Paste$/, 'Ctrl+V'],
      [/^Find/, 'Ctrl+F'],
      [/^Replace|^Find and replace/, 'Ctrl+H'],
    ] as const)
      expect(entry(createMenuBar(), 'Edit', title), String(title)).toMatchObject({ keys, isEnabled: false })
    add(command('contacts.delete', { keys: ['mod+backspace'] }))
    expect(entry(createMenuBar(), 'Edit', /^contacts\.delete/)).toMatchObject({
      title: 'contacts.delete',
      accelerator: 'CmdOrCtrl+Backspace',
    })
    expect(entry(createMenuBar(), 'Go to', /^Sync/)?.accelerator).toBe('CmdOrCtrl+7')
    expect(entry(createMenuBar(), 'Help', /^Guide/)?.accelerator).toBe('Shift+F1')
  })

  it('lets the system bind a key only if text fields do not need it', () => {
    add(...createFrameCommands(), command('links.qr', { keys: ['q'], whileTyping: true }))
    add(
      command('links.copy', { keys: ['mod+c'] }),
      command('links.all', { keys: ['mod+l'], whileTyping: true }),
    )
    const isForPage = (menu: string, title: RegExp): unknown =>
      entry(createMenuBar(), menu, title)?.isKeyForPage
    for (const [menu, title] of [
      ['Edit', /^Undo/],
      ['Edit', /^Redo/],
      ['Edit', /^links\.copy/],
      ['Home', /^links\.qr/],
    ] as const)
      expect(isForPage(menu, title), String(title)).toBe(true)
    expect(isForPage('Home', /^links\.all/)).toBe(false)
    expect(isForPage('Go to', /^Sync/)).toBe(false)
  })

  it('shows no plain letter as a key once such keys are switched off', () => {
    add(command('links.qr', { keys: ['q', 'mod+shift+q'] }))
    expect(entry(createMenuBar(), 'Home', /^links\.qr/)?.accelerator).toBe('Q')
    commands.plainKeys = false
    expect(entry(createMenuBar(), 'Home', /^links\.qr/)?.accelerator).toBe('CmdOrCtrl+Shift+Q')
    commands.plainKeys = true
  })

  it('greys what cannot run, and what the screen does not know', () => {
    add(...createFrameCommands())
    for (const title of [/^Cut/, /^Copy/, /^Delete/, /^Find/])
      expect(entry(createMenuBar(), 'Edit', title)?.isEnabled, String(title)).toBe(false)
    add(...contacts(false))
    expect(entry(createMenuBar(), 'List', /contacts\.move/)?.isEnabled).toBe(false)
    add(...contacts(true))
    expect(entry(createMenuBar(), 'Edit', /contacts\.copy/)).toMatchObject({
      id: 'contacts.copy',
      isEnabled: true,
    })
    expect(entry(createMenuBar(), 'List', /contacts\.move/)?.isEnabled).toBe(true)
    // No command is in two menus.
    const ids = createMenuBar().flatMap(({ items }) => items.flatMap((item) => (item?.id ? [item.id] : [])))
    expect(new Set(ids).size).toBe(ids.length)
  })
})
