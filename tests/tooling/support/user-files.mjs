// Finds Roost's files in the user's own folders, where tests must leave nothing.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const FOLDERS = {
  XDG_DATA_HOME: '.local/share',
  XDG_CONFIG_HOME: '.config',
  XDG_CACHE_HOME: '.cache',
  XDG_STATE_HOME: '.local/state',
}

/** Returns the path, size and time of every file whose path names Roost. */
export function listUserFiles() {
  const folders = Object.entries(FOLDERS).map(
    ([variable, usual]) => process.env[variable] ?? join(homedir(), usual),
  )
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true })
        .filter((path) => /roost/i.test(path))
        .map((path) => join(folder, path)),
    )
    .toSorted()
    .map((path) => {
      const { size, mtimeMs } = statSync(path)
      return `${path} ${size} ${mtimeMs}`
    })
}
