// QR codes: the squares of a text, and their conversion to a picture.
import { encode } from 'uqr'

/** The standard requires four white squares on every side. */
const QUIET = 4
export const PIXELS = [256, 512, 1024, 2048] as const
export type Pixels = (typeof PIXELS)[number]

/** Returns rows of squares with their white margin; true is dark. Tolerates up to 15 % damage. */
export function encodeSquares(text: string): boolean[][] {
  return encode(text, { ecc: 'M', border: QUIET }).data
}

/** Returns a path with one rectangle for each run of dark squares. */
export function toPath(squares: readonly (readonly boolean[])[]): string {
  let path = ''
  for (const [y, row] of squares.entries()) {
    for (let x = 0; x < row.length; x += 1) {
      if (row[x] !== true) continue
      let run = 1
      while (row[x + run] === true) run += 1
      path += `M${x} ${y}h${run}v1h-${run}z`
      x += run
    }
  }
  return path
}

/** Returns a picture that is sharp at every size. */
export function toSvg(text: string, pixels: number): string {
  const squares = encodeSquares(text)
  const size = squares.length
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}" ` +
    `shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/>` +
    `<path d="${toPath(squares)}"/></svg>\n`
  )
}

interface Brush {
  fillStyle: string | CanvasGradient | CanvasPattern
  fillRect(x: number, y: number, width: number, height: number): void
}

/** Paints whole pixels only, so that no edge is grey; the remaining pixels widen the margin. */
export function paintSquares(brush: Brush, squares: readonly (readonly boolean[])[], pixels: number): void {
  const side = Math.floor(pixels / squares.length)
  const edge = Math.floor((pixels - side * squares.length) / 2)
  brush.fillStyle = '#fff'
  brush.fillRect(0, 0, pixels, pixels)
  brush.fillStyle = '#000'
  for (const [y, row] of squares.entries())
    for (const [x, dark] of row.entries())
      if (dark) brush.fillRect(edge + x * side, edge + y * side, side, side)
}

export async function toPng(text: string, pixels: number): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = pixels
  canvas.height = pixels
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('The page cannot draw pictures.')
  paintSquares(context, encodeSquares(text), pixels)
  return new Promise((done, failed) =>
    canvas.toBlob(
      (blob) => (blob === null ? failed(new Error('The picture could not be made.')) : done(blob)),
      'image/png',
    ),
  )
}

/** Returns a file name that every system accepts. */
export function toFileName(title: string): string {
  const name = title
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  return name === '' ? 'qr' : `qr-${name}`
}
