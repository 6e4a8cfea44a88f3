// Delays an action until the user stops typing.

export interface Debounced {
  (): void
  cancel(): void
}

export function debounce(act: () => void, ms: number): Debounced {
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(act, ms)
  }
  return Object.assign(later, { cancel: () => clearTimeout(timer) })
}
