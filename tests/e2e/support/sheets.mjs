// Tables as spreadsheets put them on the clipboard, with all their markup.

const plain = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const quoted = (text) => (/["\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Returns the plain-text format that each program adds to the HTML. */
export const tabbed = (rows) => rows.map((row) => `${row.map(quoted).join('\t')}\r\n`).join('')

/** Parses the plain-text format. */
export function cellsOf(text) {
  const rows = []
  let row = []
  for (const [, whole, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/g)) {
    row.push(whole === undefined ? bare : whole.replaceAll('""', '"'))
    if (end === '\t') continue
    rows.push(row)
    row = []
    if (end === '') break
  }
  // A line end at the very end begins no other row.
  return rows.at(-1)?.join('') === '' ? rows.slice(0, -1) : rows
}

/** Imitates LibreOffice Calc: fonts, heights, `sdnum`, and the note of a cell inside it. The title is one merged
 *  cell. */
export function fromLibreOffice(title, rows) {
  const width = rows[0].length
  const cell = (text, at) =>
    `\t\t<td${at === 0 ? ' height="17"' : ''} align="left" sdnum="1033;0;@"><font face="Arial" color="#000000">${plain(text).replaceAll('\n', '<br>')}</font></td>\n`
  const line = (row) => `\t<tr>\n${row.map(cell).join('')}\t</tr>\n`
  return `<!DOCTYPE html>

<html>
<head>
\t
\t<meta http-equiv="content-type" content="text/html; charset=utf-8"/>
\t<title></title>
\t<meta name="generator" content="LibreOffice 7.4.7.2 (Linux)"/>
\t<style type="text/css">
\t\tbody,div,table,thead,tbody,tfoot,tr,th,td,p { font-family:"Liberation Sans"; font-size:x-small }
\t\ta.comment-indicator:hover + comment { background:#ffd; position:absolute; display:block; border:1px solid black; padding:0.5em;  }
\t\ta.comment-indicator { background:red; display:inline-block; border:1px solid black; width:0.5em; height:0.5em;  }
\t\tcomment { display:none;  }
\t</style>
\t
</head>

<body>
<table cellspacing="0" border="0">
\t<colgroup span="${width}" width="85"></colgroup>
\t<tr>
\t\t<td colspan=${width} height="17" align="center" valign=middle><b><a class="comment-indicator"></a><comment>Seen by the office</comment>${plain(title)}</b></td>
\t\t</tr>
${rows.map(line).join('')}</table>
<!-- ************************************************************************** -->
</body>

</html>
`
}

/** Imitates Excel: its own classes, a style sheet in a comment, and source lines wrapped within texts. */
export function fromExcel(title, rows) {
  const width = rows[0].length
  const cell = (text, at) =>
    `  <td${at === 0 ? ' height=20' : ''} class=xl6${5 + (at % 3)} style='${at === 0 ? 'height:15.0pt;' : ''}border-top:none;border-left:none'>${plain(
      text,
    )
      .replaceAll('\n', '<br>\r\n    ')
      .replaceAll(/ (?=\S+ \S+$)/g, '\r\n  ')}</td>\r\n`
  const line = (row) => ` <tr height=20 style='height:15.0pt'>\r\n${row.map(cell).join('')} </tr>\r\n`
  return `<html xmlns:v="urn:schemas-microsoft-com:vml"\r
xmlns:o="urn:schemas-microsoft-com:office:office"\r
xmlns:x="urn:schemas-microsoft-com:office:excel"\r
xmlns="http://www.w3.org/TR/REC-html40">\r
\r
<head>\r
<meta http-equiv=Content-Type content="text/html; charset=utf-8">\r
<meta name=ProgId content=Excel.Sheet>\r
<meta name=Generator content="Microsoft Excel 15">\r
<style>\r
<!--table\r
	{mso-displayed-decimal-separator:"\\.";\r
	mso-displayed-thousand-separator:"\\,";}\r
@page\r
	{margin:.75in .7in .75in .7in;}\r
td\r
	{padding-top:1px;color:black;font-size:11.0pt;font-family:Calibri, sans-serif;mso-number-format:General;white-space:nowrap;mso-rotate:0;}\r
.xl65\r
	{mso-number-format:"\\@";border:.5pt solid windowtext;}\r
-->\r
</style>\r
</head>\r
\r
<body link="#0563C1" vlink="#954F72">\r
\r
<table border=0 cellpadding=0 cellspacing=0 width=${width * 64} style='border-collapse:\r
 collapse;width:${width * 48}pt'>\r
<!--StartFragment-->\r
 <col width=64 span=${width} style='width:48pt'>\r
 <tr height=20 style='height:15.0pt'>\r
  <td colspan=${width} height=20 class=xl66 width=${width * 64} style='height:15.0pt;width:${width * 48}pt'>${plain(title)}</td>\r
 </tr>\r
${rows.map(line).join('')}<!--EndFragment-->\r
</table>\r
\r
</body>\r
\r
</html>\r
`
}

/** Imitates Google Sheets: one line without breaks, and each value repeated in an attribute. */
export function fromGoogle(title, rows) {
  const style =
    'overflow:hidden;padding:2px 3px 2px 3px;vertical-align:bottom;wrap-strategy:4;white-space:normal;word-wrap:break-word;'
  const value = (text) =>
    JSON.stringify({ 1: 2, 2: text })
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll('<', '&lt;')
  const cell = (text) =>
    `<td style="${style}" data-sheets-value="${value(text)}">${plain(text).replaceAll('\n', '<br/>')}</td>`
  const line = (row) => `<tr style="height:21px;">${row.map(cell).join('')}</tr>`
  const width = rows[0].length
  const head =
    title === undefined
      ? ''
      : `<tr style="height:21px;"><td style="${style}text-align:center;" rowspan="1" colspan="${width}">${plain(title)}</td></tr>`
  return `<meta charset='utf-8'><google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" cellpadding="0" dir="ltr" border="1" style="table-layout:fixed;font-size:10pt;font-family:Arial;width:0px;border-collapse:collapse;border:none" data-sheets-root="1" data-sheets-baot="1"><colgroup>${'<col width="100"/>'.repeat(width)}</colgroup><tbody>${head}${rows.map(line).join('')}</tbody></table>`
}

/** Replaces the content of the next copy in a page. */
const copyInstead = (tab, { html, text }) =>
  tab.evaluate(
    (forms) =>
      document.addEventListener(
        'copy',
        (event) => {
          event.preventDefault()
          event.stopImmediatePropagation()
          for (const [kind, data] of Object.entries(forms)) event.clipboardData.setData(kind, data)
        },
        { capture: true, once: true },
      ),
    { 'text/plain': text, ...(html === undefined ? {} : { 'text/html': html }) },
  )

/** Copies in another page of the browser, so that the next paste gets these formats unchanged. */
export async function copyElsewhere(tab, forms) {
  if (tab.kind === 'window') {
    // The window has only one page, so that page acts as the other program.
    await copyInstead(tab, forms)
    return tab.keyboard.press('Control+c')
  }
  const other = await tab.context().newPage()
  await other.setContent('<textarea>something</textarea>')
  await copyInstead(other, forms)
  await other.locator('textarea').selectText()
  await other.keyboard.press('Control+c')
  await other.close()
  await tab.bringToFront()
}

/** Returns what a paste would deliver, in both formats. */
export async function readClipboard(tab) {
  await tab.evaluate(() =>
    document.addEventListener(
      'paste',
      (event) => {
        event.preventDefault()
        event.stopImmediatePropagation()
        const [html, text] = ['text/html', 'text/plain'].map((kind) => event.clipboardData.getData(kind))
        window.clipboardRead = { html, text }
      },
      { capture: true, once: true },
    ),
  )
  await tab.keyboard.press('Control+v')
  return tab.evaluate(() => window.clipboardRead)
}

/** Common spellings of British numbers, all from the range reserved for fiction. */
const SPELLINGS = [
  (last) => `+44 7700 900${last}`,
  (last) => `07700 900${last}`,
  (last) => `0044 (0)7700-900${last}`,
  (last) => `+447700900${last}`,
  (last) => `447700900${last}`,
  (last) => `(07700) 900 ${last}`,
  (last) => `07700-900-${last}`,
  (last) => `7700900${last}`,
  (last) => `+44 (0)7700 900${last}`,
  (last) => `'07700.900.${last}`,
]

/** Returns British numbers in alternating spellings. */
export const britishNumbers = (count) =>
  Array.from({ length: count }, (_, n) => SPELLINGS[n % SPELLINGS.length](String(n).padStart(3, '0')))

/** Pastes rows outside of any field. */
export const pasteRows = (page, rows) =>
  page.run(
    `const data = new DataTransfer()
     data.setData('text/plain', arguments[0])
     document.body.dispatchEvent(
       new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))`,
    rows.join('\n'),
  )
