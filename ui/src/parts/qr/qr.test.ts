// An independent decoder reads the QR codes back.
import jsQR from 'jsqr'
import { describe, expect, it } from 'vitest'
import { toFileName, paintSquares, toPath, encodeSquares, toSvg } from './qr'

/** Paints into grey values, as a canvas would, and decodes them. */
function read(text: string, pixels: number): string | undefined {
  const image = new Uint8ClampedArray(pixels * pixels * 4)
  let shade = 0
  paintSquares(
    {
      set fillStyle(style: string) {
        shade = style === '#fff' ? 255 : 0
      },
      fillRect(left, top, width, height) {
        for (let y = top; y < top + height; y += 1)
          for (let x = left; x < left + width; x += 1) {
            const at = (y * pixels + x) * 4
            image.fill(shade, at, at + 3)
            image[at + 3] = 255
          }
      },
    },
    encodeSquares(text),
    pixels,
  )
  return jsQR(image, pixels, pixels)?.data
}

describe('a QR code', () => {
  it.each([256, 512])('of %i pixels says the address it was made of', (pixels) => {
    const address = 'https://sl.example/Ab3dE9'
    expect(read(address, pixels)).toBe(address)
  })

  it('holds letters of any script', () =>
    expect(read('https://sl.example/ü-ß', 512)).toBe('https://sl.example/ü-ß'))

  it('has a white edge of four squares', () => {
    const squares = encodeSquares('https://sl.example/Ab3dE9')
    expect(squares.slice(0, 4).flat()).not.toContain(true)
    expect(squares.flatMap((row) => row.slice(-4))).not.toContain(true)
  })
})

describe('the picture as SVG', () => {
  it('draws runs of squares as one piece', () => {
    expect(toPath([[false, true, true, false, true]])).toBe('M1 0h2v1h-2zM4 0h1v1h-1z')
  })

  it('covers exactly the dark squares', () => {
    const squares = encodeSquares('https://sl.example/Ab3dE9')
    const dark = squares.flat().filter(Boolean).length
    const drawn = [...toPath(squares).matchAll(/h(\d+)v1/g)].reduce((sum, [, run]) => sum + Number(run), 0)
    expect(drawn).toBe(dark)
  })

  it('has the size that was chosen and nothing that a page could run', () => {
    const svg = toSvg('https://sl.example/Ab3dE9', 512)
    expect(svg).toContain('width="512" height="512"')
    expect(svg).not.toContain('script')
  })
})

it('file names keep letters and lose what a system could stumble over', () => {
  expect(toFileName('Spring sale: 20 % / now!')).toBe('qr-Spring-sale-20-now')
  expect(toFileName('قائمة')).toBe('qr-قائمة')
  expect(toFileName('../..')).toBe('qr')
})
