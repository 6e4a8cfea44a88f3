// Many requests to refresh, few refreshes.

/** Runs `act` at once; asked again while it runs, it runs exactly once more when it is done. */
export function coalesce(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let again = false
  const run = async (): Promise<void> => {
    do {
      again = false
      await act()
    } while (again)
  }
  return () => {
    if (running !== undefined) again = true
    else running = run().finally(() => (running = undefined))
    return running
  }
}
