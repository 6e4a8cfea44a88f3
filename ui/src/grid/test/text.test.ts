// Tables on the clipboard, series, and the states of the editor.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  parseHtml,
  parseTabbed,
  planPaste,
  readClip,
  readClipText,
  writeHtml,
  writeTabbed,
} from '../engine/clip'
import { applyEditEvent, type EditState } from '../engine/edit'
import { Selection } from '../engine/selection'
import { extendSeries, toNumberSeries } from '../engine/series'

const nasty = fc.array(fc.constantFrom('a', 'é', '"', '\t', '\n', ' ', '<', '&', "'", '😀', ',', '='), {
  maxLength: 8,
})
const cell = nasty.map((parts) => parts.join(''))
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
  )
  // An empty last line cannot be distinguished from the line end before it.
  .filter((rows) => rows.at(-1)?.join('') !== '' || (rows.at(-1)?.length ?? 0) > 1)

describe('tab-separated text', () => {
  it('comes back as it went', () => {
    fc.assert(
      fc.property(table, (rows) => {
        expect(parseTabbed(writeTabbed(rows))).toEqual(rows)
        expect(parseTabbed(`${writeTabbed(rows).replaceAll('\n', '\r\n')}\r\n`)).toEqual(rows)
      }),
    )
  })

  it('keeps a stray quote as an ordinary character', () => {
    expect(parseTabbed('5" pipe\t"quoted" word\t"open')).toEqual([['5" pipe', '"quoted" word', '"open']])
    expect(parseTabbed('')).toEqual([['']])
  })
})

describe('an HTML table', () => {
  it('comes back as it went, but for line ends around', () => {
    fc.assert(
      fc.property(table, (rows) => {
        const clean = rows.map((row) =>
          row.map((text) => text.replaceAll('\t', ' ').replaceAll(/^\n+|\n+$/g, '')),
        )
        expect(parseHtml(writeHtml(clean))).toEqual(clean)
      }),
      { numRuns: 40 },
    )
  })

  it('is read as spreadsheets write it', () => {
    const html = `<html><body><!--StartFragment--><style>td{}</style><table><colgroup><col></colgroup>
      <tr><td class=xl65>One
        two</td><td colspan=2>wide</td></tr>
      <tr><td>a<br>b</td><td><p>x</p><p>y</p></td><td style="mso-number-format:'@'">007</td></tr></table></body></html>`
    expect(parseHtml(html)).toEqual([
      ['One two', 'wide', ''],
      ['a\nb', 'x\ny', '007'],
    ])
    expect(parseHtml('<b>no table</b>')).toBeUndefined()
    const styled = `<style>td { color: red }</style><table><tr><td style="x" class=a>p style="q"</td></tr></table>`
    expect(parseHtml(styled)).toEqual([['p style="q"']])
    const merged = `<table><tr><td rowspan="2">a</td><td>b</td><td rowspan=3 colspan="2">c</td></tr>
      <tr><td><a class="comment-indicator"></a><comment>a note</comment>d</td></tr><tr><td>e</td><td>f</td></tr></table>`
    expect(parseHtml(merged)).toEqual([
      ['a', 'b', 'c', ''],
      ['', 'd', '', ''],
      ['e', 'f', '', ''],
    ])
    const data = { getData: (kind: string) => (kind === 'text/html' ? '<b>x</b>' : 'x\ty') }
    expect(readClip(data)).toEqual([['x', 'y']])
  })

  // Both programs copy the same cells: in a narrow column, as a date, in a custom format, as text.
  const EXCEL = `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">
    <head><meta name=ProgId content=Excel.Sheet><style>td {mso-number-format:General;} .xl65 {mso-number-format:"\\@";}</style></head>
    <body><table border=0 cellpadding=0 style='border-collapse:collapse;width:96pt'><!--StartFragment-->
    <tr height=17><td class=xl24 align=right width=64 x:num="447700900101">4.477E+11</td><td x:num="447700900102">########</td>
    <td class=xl25 align=right x:num="45009">24/03/2023</td><td class=xl26 x:num="7700900103">07700 900103</td><td align=right x:num>12</td><td class=xl65 x:str="'007">007</td></tr>
    <!--EndFragment--></table></body></html>`
  const LIBRE = `<!DOCTYPE html><html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"/>
    <meta name="generator" content="LibreOffice 24.2.7.2 (Linux)"/></head><body><table cellspacing="0" border="0">
    <tr><td height="17" align="right" sdval="447700900101" sdnum="2057;0;0.00E+00">4,48E+11</td><td sdval="447700900102" sdnum="2057;">###</td>
    <td align="right" sdval="45009" sdnum="2057;0;DD/MM/YYYY">24/03/2023</td><td sdval="7700900103" sdnum="2057;0;00000 000000">07700 900103</td><td sdval="12" sdnum="2057;">12</td><td sdnum="2057;0;@">007</td></tr></table></body></html>`

  it.each([
    ['Excel', EXCEL, '4.477E+11\t########'],
    ['LibreOffice', LIBRE, '4,48E+11\t###'],
  ])('from %s has whole numbers where the cells show shortened ones', (_, html, shortened) => {
    const rest = '24/03/2023\t07700 900103\t12\t007'
    const clip = (text: string) => ({ getData: (kind: string) => (kind === 'text/html' ? html : text) })
    const whole = `447700900101\t447700900102\t${rest}`
    expect(readClipText(clip(`${shortened}\t${rest}\r\n`))).toBe(whole)
    expect(readClip(clip(''))).toEqual([whole.split('\t')])
    // Text that is not shortened is pasted unchanged.
    expect(readClipText(clip('any text\r\n'))).toBe('any text\r\n')
  })

  it('keeps what only looks like a shortened number', () => {
    const html = '<table><tr><td>#</td><td>12E3</td><td sdval="1.5e+300">1.5E+300</td></tr></table>'
    expect(parseHtml(html)).toEqual([['#', '12E3', '1.5e+300']])
    expect(readClipText({ getData: (kind) => (kind === 'text/html' ? '<p>x</p>' : '#\t12E3') })).toBe(
      '#\t12E3',
    )
  })
})

describe('a paste', () => {
  const columns = ['a', 'b', 'c', 'd']
  const chosen = (top: number, left: number, bottom: number, right: number): Selection => {
    const selection = new Selection()
    selection.fit({ total: 100, columns })
    selection.only({ row: top, column: left })
    selection.extend({ row: bottom - 1, column: right - 1 })
    return selection
  }

  it('of one value fills all that is chosen', () => {
    expect(planPaste([['x']], chosen(2, 1, 5, 3), columns)).toEqual({
      row: 2,
      columns: ['b', 'c'],
      rows: [['x', 'x']],
      into: [[2, 5]],
    })
  })

  it('of one row goes to many rows, and of a block to a multiple of it', () => {
    expect(planPaste([['x', 'y']], chosen(2, 0, 6, 2), columns).into).toEqual([[2, 6]])
    expect(planPaste([['x'], ['y']], chosen(0, 0, 4, 1), columns).into).toEqual([[0, 4]])
    expect(planPaste([['x'], ['y']], chosen(0, 0, 3, 1), columns).into).toBeUndefined()
  })

  it('of a block lies down from the focus on and stops at the last column', () => {
    const plan = planPaste([['x', 'y', 'z']], chosen(98, 2, 99, 3), columns)
    expect(plan).toEqual({ row: 98, columns: ['c', 'd'], rows: [['x', 'y', 'z']] })
  })

  it('goes to several ranges of rows at once', () => {
    const selection = chosen(1, 0, 3, 1)
    selection.add({ row: 7, column: 0 })
    expect(planPaste([['x']], selection, columns).into).toEqual([
      [1, 3],
      [7, 8],
    ])
  })
})

describe('a series', () => {
  it('goes on with numbers, texts with numbers and days', () => {
    expect(extendSeries(['1', '3'], 3)).toEqual(['5', '7', '9'])
    expect(extendSeries(['7'], 2)).toEqual(['8', '9'])
    expect(extendSeries(['Row 08', 'Row 09'], 2)).toEqual(['Row 10', 'Row 11'])
    expect(extendSeries(['0.1', '0.2'], 2)).toEqual(['0.3', '0.4'])
    expect(extendSeries(['+447700900998'], 1)).toEqual(['+447700900999'])
    expect(extendSeries(['A-1'], 2)).toEqual(['A-2', 'A-3'])
    expect(extendSeries(['10', '5'], 3)).toEqual(['0', '-5', '-10'])
    expect(extendSeries(['2024-02-28'], 2)).toEqual(['2024-02-29', '2024-03-01'])
    expect(extendSeries(['5', '7'], 2, true)).toEqual(['1', '3'])
    expect(extendSeries(['99999999999999999999'], 1)).toEqual(['100000000000000000000'])
  })

  it('repeats what shows no rule', () => {
    expect(extendSeries(['x', 'y'], 3)).toEqual(['x', 'y', 'x'])
    expect(extendSeries(['1', '2', '4'], 2)).toEqual(['1', '2'])
    expect(extendSeries(['x', 'y', 'z'], 2, true)).toEqual(['y', 'z'])
  })

  it('sends the core the rule of a long one', () => {
    expect(toNumberSeries(['No 007', 'No 009'])).toEqual({ start: '7', step: '2', prefix: 'No ', pad: 3 })
    expect(toNumberSeries(['x'])).toBeUndefined()
  })
})

describe('the editor', () => {
  const start = (quick: boolean): EditState | undefined =>
    applyEditEvent(undefined, { on: 'start', row: 3, column: 'a', before: 'old', quick }).state

  it('replaces by typing and changes by F2', () => {
    expect(start(true)?.text).toBe('')
    expect(start(false)?.text).toBe('old')
  })

  it('writes what changed and nothing else, and goes where the key says', () => {
    const typed = applyEditEvent(start(false), { on: 'input', text: 'new' }).state
    expect(applyEditEvent(typed, { on: 'enter', back: false }).effects).toEqual([
      { do: 'close', refocus: true },
      { do: 'write', row: 3, column: 'a', text: 'new' },
      { do: 'move', along: 'column', back: false },
    ])
    expect(applyEditEvent(start(false), { on: 'tab', back: true }).effects).toEqual([
      { do: 'close', refocus: true },
      { do: 'move', along: 'row', back: true },
    ])
    expect(applyEditEvent(typed, { on: 'escape' }).effects).toEqual([{ do: 'close', refocus: true }])
    expect(applyEditEvent(typed, { on: 'leave' }).effects).toContainEqual({
      do: 'write',
      row: 3,
      column: 'a',
      text: 'new',
    })
    expect(applyEditEvent(typed, { on: 'fill' }).effects).toContainEqual({ do: 'write-all', text: 'new' })
  })

  it('moves on with an arrow only where it was begun by typing, until F2', () => {
    expect(applyEditEvent(start(true), { on: 'arrow', to: 'down' }).state).toBeUndefined()
    expect(applyEditEvent(start(false), { on: 'arrow', to: 'down' }).state).toBeDefined()
    const switched = applyEditEvent(start(true), { on: 'switch' }).state
    expect(applyEditEvent(switched, { on: 'arrow', to: 'end' }).state).toBeDefined()
  })

  it('writes before it begins elsewhere', () => {
    const typed = applyEditEvent(start(true), { on: 'input', text: 'x' }).state
    const next = applyEditEvent(typed, { on: 'start', row: 9, column: 'b', before: '', quick: true })
    expect(next.effects).toEqual([{ do: 'write', row: 3, column: 'a', text: 'x' }])
    expect(next.state?.row).toBe(9)
  })
})
