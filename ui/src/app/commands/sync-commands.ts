// The sync commands that work on every screen.
import { m } from '../../gen/words'
import type { Command } from '../../lib/commands/registry.svelte'
import { href, router } from '../../lib/router.svelte'
import { syncState, type PullOptions } from '../../parts/frame/sync-state.svelte'

export function createSyncCommands(): Command[] {
  const section = m.sync_title()
  const isConnected = (): boolean => syncState.value?.is_connected === true
  const isIdle = (): boolean => isConnected() && syncState.value?.work === null
  return [
    {
      id: 'sync.pull',
      title: m.sync_pull_command(),
      section,
      keys: ['f5'],
      whileTyping: true,
      when: isIdle,
      run: () => pull(),
    },
    {
      id: 'sync.pullFull',
      title: m.sync_pull_full(),
      section,
      when: isIdle,
      run: () => pull({ full: true }),
    },
    {
      id: 'sync.review',
      title: m.sync_review(),
      section,
      keys: ['mod+s'],
      whileTyping: true,
      run: () => router.go(href('sync', 'changes')),
    },
    {
      id: 'sync.conflicts',
      title: m.sync_conflicts_command(),
      section,
      when: () => (syncState.value?.conflicts ?? 0) > 0,
      run: () => router.go(href('sync', 'conflicts')),
    },
    {
      id: 'sync.plan',
      title: m.sync_plan_command(),
      section,
      keys: ['mod+shift+s'],
      whileTyping: true,
      when: isConnected,
      run: () => router.go(`${href('sync', 'plan')}?make=1`),
    },
    {
      id: 'sync.push',
      title: m.sync_push_command(),
      section,
      when: () => isConnected() && syncState.value?.read_only === false,
      run: () => router.go(`${href('sync', 'plan')}?push=1`),
    },
    {
      id: 'sync.runs',
      title: m.sync_runs_command(),
      section,
      when: isConnected,
      run: () => router.go(href('sync', 'runs')),
    },
    {
      id: 'sync.connection',
      title: m.sync_connection_command(),
      section,
      run: () => router.go(href('sync', 'connection')),
    },
    {
      id: 'sync.stop',
      title: m.sync_stop_command(),
      section,
      when: () => syncState.value?.work?.is_ending === false,
      run: () => syncState.stop(),
    },
  ]
}

/** Starts a pull. The dialog that asks for the key is loaded on demand. */
async function pull(options?: PullOptions): Promise<void> {
  const { startPull } = await import('../../screens/sync/bar/key-unlock.svelte')
  await startPull(options)
}
