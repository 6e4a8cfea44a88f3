// What the window holds (memory, handles, threads, elements), how long its acts take, and the rule that nothing grows.
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const KIB_PER_MIB = 1_024

/** Returns the processes of the window that started in this folder: the program, and those of the engine. */
function findProcesses(folder) {
  const found = { program: [], engine: [] }
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
      const kind = name.startsWith('roost-desktop')
        ? 'program'
        : /^WebKit(?:Web|Network)Pr/.test(name) && 'engine'
      if (kind && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder)) found[kind].push(pid)
    } catch {
      // It ended meanwhile.
    }
  }
  return found
}

/** Adds up a number of /proc/PID/status. */
function sumStatus(pids, name) {
  const line = new RegExp(`^${name}:\\s+(\\d+)`, 'm')
  return pids.reduce((sum, pid) => sum + Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]), 0)
}
const sumMib = (pids, name) => Math.round(sumStatus(pids, name) / KIB_PER_MIB)
const countHandles = (pids) => pids.reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0)

export function readProcesses(folder) {
  const { program, engine } = findProcesses(folder)
  // The engine has one process for the page and one for the network. A second page would be a leak.
  assert.deepEqual([program.length, engine.length], [1, 2], JSON.stringify({ program, engine }))
  return {
    memory_mib: sumMib(program, 'VmRSS'),
    mapped_mib: sumMib(program, 'RssFile'),
    handles: countHandles(program),
    threads: sumStatus(program, 'Threads'),
    engine_mib: sumMib(engine, 'VmRSS'),
    engine_mapped_mib: sumMib(engine, 'RssFile'),
    engine_handles: countHandles(engine),
  }
}

export function median(figures) {
  const sorted = figures.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)]
}

/** Begins a table with a line for each sample. Each is written at once, so that a test that fails leaves its curve. */
export function beginCurve(path, columns) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${columns.join()}\n`)
  const samples = []
  return {
    samples,
    add(sample) {
      samples.push(sample)
      appendFileSync(path, `${columns.map((column) => sample[column]).join()}\n`)
    },
  }
}

const most = (figures) => Math.max(...figures)

/**
 * What may not grow, with the growth that is allowed besides a tenth.
 *
 * Mapped files, mostly the code of both, take half of the memory and would hide growth of the rest. Memory of the
 * engine rises by tens of MiB between two collections of its garbage. Of times, the median counts, because the longest
 * of a few is that of the busiest moment of the machine.
 */
const FLAT = [
  { what: 'MiB of the program', figure: (one) => one.memory_mib - one.mapped_mib, of: most, grace: 5 },
  { what: 'handles of the program', figure: (one) => one.handles, of: most, grace: 8 },
  { what: 'threads of the program', figure: (one) => one.threads, of: most, grace: 4 },
  { what: 'MiB of the engine', figure: (one) => one.engine_mib - one.engine_mapped_mib, of: most, grace: 20 },
  { what: 'handles of the engine', figure: (one) => one.engine_handles, of: most, grace: 8 },
  { what: 'elements', figure: (one) => one.elements, of: most, grace: 50 },
  { what: 'µs until a list is shown', figure: (one) => one.list_micros, of: median, grace: 100_000 },
  { what: 'µs until a cell is shown', figure: (one) => one.cell_micros, of: median, grace: 20_000 },
  { what: 'µs until the service is read', figure: (one) => one.pull_micros, of: median, grace: 100_000 },
]

/** Compares the last third with the one before, as the mixed load of the server does. */
export function assertFlat(samples) {
  const third = Math.floor(samples.length / 3)
  assert.ok(third > 0, `${samples.length} samples are too few to compare`)
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)]
  const grown = FLAT.flatMap(({ what, figure, of, grace }) => {
    const [before, after] = [middle, last].map((part) => of(part.map(figure)))
    return after <= before * 1.1 + grace
      ? []
      : [`${after} ${what} in the last third, ${before} in the one before`]
  })
  assert.deepEqual(grown, [])
}
