// Which of the frame's own things are open: palette, guide, key sheet, settings, what the program is.

class Shell {
  palette = $state<'all' | 'commands'>()
  guide = $state(false)
  keys = $state(false)
  settings = $state(false)
  about = $state(false)
  /** The menu of accounts is wanted, wherever the focus is. */
  switching = $state(false)

  /** What only shows something, and holds nothing that was begun. */
  closeSheets(): void {
    this.palette = undefined
    this.guide = false
    this.keys = false
    this.settings = false
    this.about = false
  }
}

export const shell = new Shell()
