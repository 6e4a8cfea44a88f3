// Which of the frame's own things are open: palette, key sheet, settings.

class Shell {
  palette = $state<'all' | 'commands'>()
  keys = $state(false)
  settings = $state(false)
  /** The menu of accounts is wanted, wherever the focus is. */
  switching = $state(false)
}

export const shell = new Shell()
