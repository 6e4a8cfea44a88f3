// Opens a web address in the browser of the system.
import { call } from '../../api/call'

export async function openInBrowser(url: string): Promise<void> {
  try {
    await call('desktop_browse', { url })
  } catch {
    window.open(url, '_blank', 'noopener,noreferrer')
  }
}
