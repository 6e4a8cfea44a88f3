// Addresses as people tell them apart: without the part that all of them begin with.

export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

/** What all short addresses of a server have in common, and the code that differs. */
export function partsOf(url: string): { common: string; code: string } {
  const shown = withoutScheme(url)
  const end = shown.lastIndexOf('/')
  return end <= 0 ? { common: '', code: shown } : { common: shown.slice(0, end), code: shown.slice(end) }
}
