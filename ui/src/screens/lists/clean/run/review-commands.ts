// The commands that every part of the cleanup has, with their keys: next, previous, accept, skip, accept all.
import type { Command } from '../../../../lib/commands/registry.svelte'

interface ReviewTitles {
  section: string
  next: string
  previous: string
  accept: string
  skip: string
  all: string
}

interface ReviewActs {
  hasSome: () => boolean
  next: () => unknown
  previous: () => unknown
  canAccept: () => boolean
  accept: () => unknown
  skip: () => unknown
  canAcceptAll: () => boolean
  all: () => unknown
}

export function createReviewCommands({ section, ...titles }: ReviewTitles, acts: ReviewActs): Command[] {
  const when = acts.hasSome
  return [
    { id: 'clean.next', title: titles.next, section, keys: ['j'], when, run: acts.next },
    { id: 'clean.previous', title: titles.previous, section, keys: ['k'], when, run: acts.previous },
    { id: 'clean.accept', title: titles.accept, section, keys: ['a'], when: acts.canAccept, run: acts.accept },
    { id: 'clean.skip', title: titles.skip, section, keys: ['s'], when, run: acts.skip },
    { id: 'clean.accept_all', title: titles.all, section, keys: ['shift+a'], when: acts.canAcceptAll, run: acts.all },
  ] // prettier-ignore
}
