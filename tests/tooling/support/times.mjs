// Reports the slowest tests of a run and why tests failed, from the JUnit files of the test runners.
import { existsSync, readFileSync } from 'node:fs'

const CASE = /<testcase\s([^>]*?)\/?>/g
const attribute = (text, name) => new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text)?.[1]
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const plain = (text) => text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name) => ENTITIES[name])

/** Returns the tests of one file, as `{ name, seconds }`. */
export function testsOf(xml) {
  return [...xml.matchAll(CASE)].map(([, attributes]) => ({
    name: plain(attribute(attributes, 'name') ?? ''),
    seconds: Number(attribute(attributes, 'time') ?? 0),
  }))
}

const FAILED = /<testcase\s([^>]*?[^/])>\s*<failure[^>]*>([^]*?)<\/failure>/g
/** Lines of a stack outside the project's tests. */
const OF_OTHERS = /^\s+at (?!.*\/tests\/)/
const LINES = 15

/** Returns lines that say why tests failed, because people read the end of a long output first. */
export function failures(files) {
  return Object.entries(files)
    .filter(([, path]) => existsSync(path))
    .flatMap(([kind, path]) =>
      [...readFileSync(path, 'utf8').matchAll(FAILED)].map((found) => [kind, ...found]),
    )
    .flatMap(([kind, , attributes, text]) => [
      `${kind}: ${plain(attribute(attributes, 'name') ?? '')}`,
      ...plain(text)
        .trim()
        .split('\n')
        .filter((line) => !OF_OTHERS.test(line))
        .slice(0, LINES),
    ])
}

/** Returns lines for the slowest tests of all files that exist. `files` is `{ kind: path }`. */
export function slowestTests(files, count = 10) {
  return Object.entries(files)
    .filter(([, path]) => existsSync(path))
    .flatMap(([kind, path]) => testsOf(readFileSync(path, 'utf8')).map((one) => ({ kind, ...one })))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ kind, name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${kind}: ${name}`)
}
