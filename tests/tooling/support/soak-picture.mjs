// Draws the curves of `make soak` as one picture: a column of charts for the server, one for the window.
// Usage: soak-picture.mjs SERVER.csv WINDOW.csv PICTURE.svg; a table that is not there, or has no line yet,
// leaves its column out
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'

const WIDTH = 460
const HEIGHT = 96
const GAP = 48
const MARGIN = 24
const TOP = 84

const micros = 1 / 1_000
const mebibyte = 1 / 1_024 / 1_024
/** The charts of each table: the title with the unit, the columns with their names, and the factor to the unit. */
const SERVER = [
  { title: 'Resident memory, MiB', of: { memory_mib: 'all', mapped_mib: 'mapped files' } },
  { title: 'File handles and threads', of: { handles: 'handles', threads: 'threads' } },
  { title: 'Time of 99 % of the answers, ms', of: { p99_micros: '' }, factor: micros },
  { title: 'Answers between two samples', of: { answers: '' } },
  { title: 'Journal, MiB', of: { journal_bytes: '' }, factor: mebibyte },
]
const WINDOW = [
  { title: 'Resident memory, MiB', of: { memory_mib: 'program', engine_mib: 'engine' } },
  { title: 'File handles', of: { handles: 'program', engine_handles: 'engine' } },
  {
    title: 'Time until a list or a cell is shown, ms',
    of: { list_micros: 'list', cell_micros: 'cell' },
    factor: micros,
  },
  { title: 'Time of a pull, ms', of: { pull_micros: '' }, factor: micros },
  { title: 'Elements of the page', of: { elements: '' } },
  { title: 'Account, MiB', of: { account_bytes: '' }, factor: mebibyte },
]

const STYLE = `
  svg { color-scheme: light dark; font: 12px system-ui, sans-serif; background: Canvas }
  text { fill: CanvasText } .small { font-size: 11px } .head { font-size: 16px; font-weight: 600 }
  .frame, .third { stroke: CanvasText; stroke-opacity: .25; fill: none } .third { stroke-dasharray: 3 2 }
  polyline { fill: none; stroke-width: 1.5 }
  .first { stroke: #2f7d6b } .second { stroke: #c2542d } text.first { fill: #2f7d6b; stroke: none } text.second { fill: #c2542d; stroke: none }`

function readTable(path) {
  if (!existsSync(path)) return []
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  const columns = head.split(',')
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, at) => [columns[at], Number(cell)])),
  )
}

const write = (figure) =>
  figure.toLocaleString('en-GB', { maximumFractionDigits: figure < 10 ? 1 : 0, minimumFractionDigits: 0 })
const median = (figures) => figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)]

function drawChart({ title, of, factor = 1 }, rows, x, y) {
  const end = Math.max(rows.at(-1).second, 1)
  const lines = Object.entries(of).map(([column, name]) => ({
    name,
    figures: rows.map((row) => row[column] * factor),
  }))
  // From zero, so that a chart does not make a ripple look like growth.
  const highest = Math.max(...lines.flatMap(({ figures }) => figures))
  const most = Math.max(highest, 1e-9) * 1.1
  const place = (second, figure) =>
    `${(x + (WIDTH * second) / end).toFixed(1)},${(y + HEIGHT - (HEIGHT * figure) / most).toFixed(1)}`
  const third = Math.floor(rows.length / 3)
  const thirds = [third, 2 * third]
    .map((at) => x + (WIDTH * rows[at].second) / end)
    .map(
      (at) =>
        `<line class="third" x1="${at.toFixed(1)}" x2="${at.toFixed(1)}" y1="${y}" y2="${y + HEIGHT}"/>`,
    )
  const drawn = lines.map(({ name, figures }, at) => {
    const kind = at === 0 ? 'first' : 'second'
    const points = figures.map((figure, n) => place(rows[n].second, figure)).join(' ')
    const middles = [figures.slice(third, 2 * third), figures.slice(2 * third)].map((part) =>
      write(median(part)),
    )
    return `<polyline class="${kind}" points="${points}"/>
<text class="small ${kind}" x="${x + at * 200}" y="${y - 5}">${name} ${middles[0]} → ${middles[1]}</text>`
  })
  return `<text x="${x}" y="${y - 21}">${title}</text>
<rect class="frame" x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}"/>
<text class="small" x="${x + WIDTH}" y="${y - 5}" text-anchor="end">up to ${write(highest)}</text>
${thirds.join('')}
${drawn.join('\n')}`
}

function drawColumn({ name, rows, charts }, x) {
  const minutes = Math.round(rows.at(-1).second / 60)
  const drawn = charts.map((chart, at) => drawChart(chart, rows, x, TOP + at * (HEIGHT + GAP)))
  return `<text class="head" x="${x}" y="${MARGIN + 12}">${name}, ${minutes} minutes, ${rows.length} samples</text>
${drawn.join('\n')}`
}

function drawPicture(columns) {
  const width = 2 * MARGIN + columns.length * (WIDTH + GAP) - GAP
  const height = TOP + Math.max(...columns.map(({ charts }) => charts.length)) * (HEIGHT + GAP)
  const drawn = columns.map((column, at) => drawColumn(column, MARGIN + at * (WIDTH + GAP)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>Mixed load for a long time</title>
<style>${STYLE}</style>
<rect width="${width}" height="${height}" fill="Canvas"/>
${drawn.join('\n')}
<text class="small" x="${MARGIN}" y="${height - 16}">At each line: its median in the second and in the last third, which the dashed lines part.</text>
</svg>
`
}

const [server, window, picture] = process.argv.slice(2)
const columns = [
  { name: 'Server', rows: readTable(server), charts: SERVER },
  { name: 'Window', rows: readTable(window), charts: WINDOW },
].filter(({ rows }) => rows.length > 0)
if (columns.length > 0) writeFileSync(picture, drawPicture(columns))
