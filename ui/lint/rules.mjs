// The rules for imports: which folder may import which, no cycles, and one file for Tauri.
import { posix } from 'node:path'

/** The folders from which each folder of src/ may import, besides itself; gen/ contains the compiled messages. */
const MAY_REACH = {
  app: ['screens', 'parts', 'kit', 'api', 'gen', 'lib'],
  screens: ['parts', 'grid', 'kit', 'api', 'gen', 'lib'],
  parts: ['grid', 'kit', 'api', 'gen', 'lib'],
  grid: ['kit', 'api', 'gen', 'lib'],
  kit: ['gen', 'lib'],
  api: ['gen', 'lib'],
  gen: ['lib'],
  lib: [],
}
const ENTRY = 'src/main.ts'
const TAURI_DOOR = 'src/api/transport.tauri.ts'
const IMPORT =
  /(?:^|[;\s])(?:import|export)\b[^'";]*?from\s*['"]([^'"]+)['"]|(?:^|[;\s])import\s*\(?\s*['"]([^'"]+)['"]/g

/** Returns the module names that a source text imports, statically and dynamically. */
export function importsOf(source) {
  const code = source.replace(/<!--[\s\S]*?-->/g, '').replace(/\/\*[\s\S]*?\*\//g, '')
  return [...code.matchAll(IMPORT)].map((match) => match[1] ?? match[2])
}

/** Returns every breach in `files`, a map of path (src/…) to source text. */
export function faultsIn(files) {
  const faults = []
  const graph = new Map()
  for (const [path, source] of files) {
    const reached = []
    for (const name of importsOf(source)) {
      if (name.startsWith('@tauri-apps/') && path !== TAURI_DOOR) {
        faults.push(`${path}: only ${TAURI_DOOR} may import ${name}`)
      }
      if (!name.startsWith('.')) continue
      const target = resolve(path, name, files)
      if (target === undefined) {
        faults.push(`${path}: ${name} leads to no file of src/`)
        continue
      }
      reached.push(target)
      const fault = layerFault(path, target)
      if (fault !== undefined) faults.push(`${path}: ${fault}`)
    }
    graph.set(path, reached)
  }
  return [...faults, ...cyclesIn(graph)]
}

function resolve(from, name, files) {
  const base = posix.join(posix.dirname(from), name)
  return [base, `${base}.ts`, `${base}/index.ts`].find((path) => files.has(path))
}

function layerFault(from, to) {
  if (from === ENTRY) return undefined
  const [, fromLayer, fromScreen] = from.split('/')
  const [, toLayer, toScreen] = to.split('/')
  const reach = MAY_REACH[fromLayer]
  if (reach === undefined)
    return `src/${fromLayer} is no folder of the plan; add it to lint/rules.mjs with its place`
  if (fromLayer === 'screens' && toLayer === 'screens' && fromScreen !== toScreen) {
    return `a screen never imports another (${to}); move the piece to src/parts`
  }
  if (fromLayer === toLayer || reach.includes(toLayer)) return undefined
  return `src/${fromLayer} may not import from src/${toLayer} (${to})`
}

function cyclesIn(graph) {
  const faults = []
  const done = new Set()
  const visit = (path, trail) => {
    const at = trail.indexOf(path)
    if (at !== -1) {
      faults.push(`import cycle: ${[...trail.slice(at), path].join(' -> ')}`)
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return faults
}
