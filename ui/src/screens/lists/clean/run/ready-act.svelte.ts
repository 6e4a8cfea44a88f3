// A question that has to be worked out first: once it can be answered with yes, Enter does so.
import { tick } from 'svelte'

/** In the form around an element: moves the focus from where the dialog put it to the act, once that can be done. */
export function useReadyAct(within: () => HTMLElement | undefined, isReady: () => boolean): void {
  let first: Element | null | undefined
  let isDone = false
  $effect(() => {
    const place = within()
    if (place === undefined) return
    first ??= document.activeElement
    if (isDone || !isReady()) return
    isDone = true
    void move(place, first)
  })
}

async function move(place: HTMLElement, first: Element | null): Promise<void> {
  await tick()
  const { activeElement } = document
  if (activeElement === first || activeElement === document.body)
    place.closest('form')?.querySelector<HTMLElement>('[type=submit]')?.focus()
}
