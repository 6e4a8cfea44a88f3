// For dialogs that must load before they can be confirmed: moves the focus so that Enter confirms.
import { tick } from 'svelte'

/** Moves the focus to the submit button of the surrounding form once it can be pressed, unless the user has moved
 *  the focus. */
export function useSubmitFocus(within: () => HTMLElement | undefined, isReady: () => boolean): void {
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
