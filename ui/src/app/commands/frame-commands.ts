// The commands that work on every screen.
import { call, transport } from '../../api/call'
import { m } from '../../gen/words'
import type { Chord } from '../../lib/commands/chords'
import { commands, type Command } from '../../lib/commands/registry.svelte'
import { frame } from '../../lib/frame.svelte'
import { language } from '../../lib/locale.svelte'
import { focusFirstRow, focusNextPane } from '../../lib/panes'
import { href, router } from '../../lib/router.svelte'
import { listInView } from '../../parts/files/incoming.svelte'
import { mayLeave } from '../../parts/frame/sending.svelte'
import { getThemeTitle, nameLanguage, preferences, SPOKEN, THEMES } from '../../parts/preferences.svelte'
import { tasks } from '../../parts/frame/tasks.svelte'
import { undoHistory } from '../../parts/frame/undo.svelte'
import { findSection } from '../places'
import { SECTIONS } from '../sections'
import { shell } from '../shell.svelte'
import { createSyncCommands } from './sync-commands'

export function createFrameCommands(): readonly Command[] {
  return [
    ...find(),
    ...edit(),
    ...createFileCommands(),
    ...createSyncCommands(),
    ...goTo(),
    ...view(),
    ...help(),
  ]
}

function find(): Command[] {
  const section = m.frame_go()
  return [
    {
      id: 'frame.palette',
      title: m.frame_command_palette(),
      section,
      keys: ['mod+k'],
      whileTyping: true,
      run: () => (shell.palette = 'all'),
    },
    {
      id: 'frame.commands',
      title: m.frame_command_commands(),
      section,
      keys: ['mod+shift+p'],
      whileTyping: true,
      run: () => (shell.palette = 'commands'),
    },
    {
      id: 'frame.search',
      title: m.frame_command_search(),
      section,
      keys: ['mod+shift+f'],
      whileTyping: true,
      run: () => router.go('#/search'),
    },
  ]
}

function edit(): Command[] {
  const section = m.frame_edit()
  return [
    {
      id: 'frame.undo',
      title: m.frame_command_undo(),
      section,
      keys: ['mod+z'],
      when: () => undoHistory.canUndo,
      run: () => undoHistory.undo(),
    },
    {
      id: 'frame.redo',
      title: m.frame_command_redo(),
      section,
      keys: ['mod+shift+z', 'mod+y'],
      when: () => undoHistory.canRedo,
      run: () => undoHistory.redo(),
    },
    {
      id: 'frame.cancel',
      title: m.frame_command_cancel(),
      section,
      keys: ['mod+.'],
      whileTyping: true,
      inDialog: true,
      when: () => tasks.running.length > 0,
      run: () => tasks.cancel(tasks.foremost?.id ?? 0),
    },
  ]
}

function createFileCommands(): Command[] {
  const section = m.frame_file()
  return [
    {
      id: 'import.open',
      title: m.import_command(),
      section,
      keys: ['mod+i'],
      whileTyping: true,
      run: () => {
        const list = listInView()
        router.go(list === undefined ? href('import') : `${href('import')}?list=${encodeURIComponent(list)}`)
      },
    },
    {
      id: 'import.past',
      title: m.import_past_command(),
      section,
      run: () => router.go(href('import', 'past')),
    },
    {
      id: 'account.safety',
      title: m.safety_command(),
      section,
      keywords: m.safety_keywords(),
      run: () => router.go('safety'),
    },
  ]
}

const DIGITS = 9

/** Returns the digit that opens a section. Only the first nine sections have one. */
function digitOf(id: string): Chord[] {
  const at = SECTIONS.findIndex((one) => one.id === id)
  return at === -1 || at >= DIGITS ? [] : [`mod+${String(at + 1)}`]
}

function goTo(): Command[] {
  const section = m.frame_go()
  return [
    ...SECTIONS.map(({ id, title }) => ({
      id: `go.${id}`,
      title: title(),
      section,
      keywords: id === 'optouts' ? m.optouts_add() : '',
      keys: digitOf(id),
      whileTyping: true,
      run: () => {
        router.go(id)
        focusFirstRow()
      },
    })),
    {
      id: 'go.accounts',
      title: m.frame_command_accounts(),
      section: m.frame_file(),
      when: () => findSection('accounts') !== undefined,
      run: () => router.go('accounts'),
    },
    {
      id: 'frame.account',
      title: m.frame_command_account(),
      section: m.frame_file(),
      keys: ['mod+shift+k'],
      whileTyping: true,
      run: () => {
        frame.sidebarShown = true
        shell.switching = true
      },
    },
    {
      id: 'frame.back',
      title: m.frame_back(),
      section,
      // Alt moves the cursor by words on a Mac.
      keys: commands.platform.mac ? ['mod+['] : ['mod+[', 'alt+left'],
      whileTyping: true,
      when: () => router.canGoBack,
      run: () => router.back(),
    },
    {
      id: 'frame.forward',
      title: m.frame_forward(),
      section,
      keys: commands.platform.mac ? ['mod+]'] : ['mod+]', 'alt+right'],
      whileTyping: true,
      when: () => router.canGoForward,
      run: () => router.forward(),
    },
  ]
}

function view(): Command[] {
  const section = m.frame_view()
  const everywhere = { whileTyping: true, inDialog: true }
  return [
    {
      id: 'view.panel',
      title: m.frame_command_panel(),
      section,
      keys: ['mod+\\'],
      whileTyping: true,
      run: () => (frame.panelShown = !frame.panelShown),
    },
    {
      id: 'view.sidebar',
      title: m.frame_command_sidebar(),
      section,
      keys: ['mod+b'],
      whileTyping: true,
      run: () => (frame.sidebarShown = !frame.sidebarShown),
    },
    {
      id: 'view.tasks',
      title: m.frame_command_tasks(),
      section,
      keys: ['mod+j'],
      whileTyping: true,
      run: () => (frame.tasksShown = !frame.tasksShown),
    },
    {
      id: 'view.pane',
      title: m.frame_command_pane(),
      section,
      keys: ['f6'],
      whileTyping: true,
      unlisted: true,
      run: () => focusNextPane(1),
    },
    {
      id: 'view.paneBack',
      title: m.frame_command_pane_back(),
      section,
      keys: ['shift+f6'],
      whileTyping: true,
      unlisted: true,
      run: () => focusNextPane(-1),
    },
    {
      id: 'view.zoomIn',
      title: m.frame_command_zoom_in(),
      section,
      keys: ['mod+plus'],
      ...everywhere,
      run: () => preferences.zoomBy(1),
    },
    {
      id: 'view.zoomOut',
      title: m.frame_command_zoom_out(),
      section,
      keys: ['mod+minus'],
      ...everywhere,
      run: () => preferences.zoomBy(-1),
    },
    {
      id: 'view.zoomUsual',
      title: m.frame_command_zoom_usual(),
      section,
      keys: ['mod+0'],
      ...everywhere,
      run: () => preferences.update({ zoom: 100 }),
    },
    ...THEMES.map((theme) => ({
      id: `view.theme.${theme}`,
      title: m.frame_command_theme({ theme: getThemeTitle(theme) }),
      section,
      when: () => preferences.value.theme !== theme,
      run: () => preferences.update({ theme }),
    })),
    ...SPOKEN.map((locale) => ({
      id: `view.language.${locale}`,
      title: m.frame_command_language({ language: nameLanguage(locale) }),
      section,
      when: () => language.current !== locale,
      run: () => preferences.update({ locale }),
    })),
    {
      id: 'view.close',
      title: m.frame_command_close(),
      section,
      keys: ['escape'],
      unlisted: true,
      when: () => frame.tasksShown || (frame.panelShown && frame.panel !== undefined),
      run: closeTopmost,
    },
  ]
}

function closeTopmost(): void {
  if (frame.tasksShown) frame.tasksShown = false
  else if (frame.panel?.onclose === undefined) frame.panelShown = false
  else frame.panel.onclose()
}

/** The parts of the guide that describe a section. */
const GUIDE_PLACES: Readonly<Record<string, string>> = {
  safety: href('guide', 'account-manager', 'back-up-the-account-and-go-back-to-a-copy'),
}

function help(): Command[] {
  return [
    {
      id: 'frame.window',
      title: m.frame_command_window(),
      section: m.frame_file(),
      keys: ['mod+shift+n'],
      whileTyping: true,
      when: () => transport.kind === 'window',
      run: () => call('desktop_new_window', {}),
    },
    {
      id: 'frame.settings',
      title: m.frame_command_settings(),
      section: m.frame_file(),
      keys: ['mod+,'],
      whileTyping: true,
      run: () => (shell.settings = true),
    },
    {
      id: 'frame.guide',
      title: m.frame_command_guide(),
      section: m.frame_help(),
      keys: ['shift+f1'],
      whileTyping: true,
      run: () => router.go(GUIDE_PLACES[router.section] ?? 'guide'),
    },
    {
      id: 'frame.keys',
      title: m.frame_command_keys(),
      section: m.frame_help(),
      keys: ['f1'],
      whileTyping: true,
      run: () => (shell.keys = true),
    },
    {
      id: 'frame.about',
      title: m.frame_command_about(),
      section: m.frame_help(),
      run: () => (shell.about = true),
    },
    {
      id: 'frame.quit',
      title: m.frame_command_quit(),
      section: m.frame_file(),
      keys: ['mod+q'],
      whileTyping: true,
      inDialog: true,
      when: () => transport.kind === 'window',
      run: async () => {
        if (await mayLeave('quit')) await transport.quit()
      },
    },
  ]
}
