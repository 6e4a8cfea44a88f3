// Combines many requests to refresh into a few refreshes.

/** Runs `act` at once. Requests while it runs lead to exactly one more run afterwards. */
export function coalesce(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let again = false
  const run = async (): Promise<void> => {
    try {
      do {
        again = false
        await act()
      } while (again)
    } finally {
      // Reset synchronously: a request after the last check of `again` must start a new run.
      running = undefined
    }
  }
  return () => {
    if (running !== undefined) again = true
    else running = run()
    return running
  }
}
