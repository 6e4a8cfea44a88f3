// Many requests to refresh, few refreshes.

/** Runs `act` at once; asked again while it runs, it runs exactly once more when it is done. */
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
      // At once: who asks after the last look at `again` must not wait for a run that is over.
      running = undefined
    }
  }
  return () => {
    if (running !== undefined) again = true
    else running = run()
    return running
  }
}
