// Formats settings and JSON of the server as text.

/** Returns a setting's value as one line of text, in the form in which it is typed. */
export function formatSetting(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(formatSetting).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Indents JSON; returns any other text unchanged. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
