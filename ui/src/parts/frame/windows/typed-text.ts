// Text that was typed into a form or a dialog, and is still there. A field that was emptied, filled by the program or
// removed holds nothing to lose.
type TextField = HTMLInputElement | HTMLTextAreaElement

const typed = new Map<TextField, string>()

/** Remembers what is typed, until the returned function is called. */
export function watchTyping(): () => void {
  addEventListener('input', handleInput)
  return () => {
    removeEventListener('input', handleInput)
    typed.clear()
  }
}

function handleInput({ target }: Event): void {
  for (const field of typed.keys()) if (!field.isConnected) typed.delete(field)
  const isText =
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && isForText(target))
  if (isText && target.closest('form, dialog') !== null) typed.set(target, target.value)
}

const isForText = ({ type }: HTMLInputElement): boolean => !/^(?:checkbox|radio|file|search)$/.test(type)

export function hasTypedText(): boolean {
  return [...typed].some(([field, text]) => text !== '' && field.isConnected && field.value === text)
}
