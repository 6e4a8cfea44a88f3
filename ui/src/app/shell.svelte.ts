// Which parts of the frame are open: palette, key sheet, settings, About.

class Shell {
  palette = $state<'all' | 'commands'>()
  keys = $state(false)
  settings = $state(false)
  about = $state(false)
  /** Whether the menu of accounts should open. */
  switching = $state(false)

  /** Closes the sheets that only show something and hold no unfinished input. */
  closeSheets(): void {
    this.palette = undefined
    this.keys = false
    this.settings = false
    this.about = false
  }
}

export const shell = new Shell()
