// What a screen reader gets while the user walks through the grid: from the browser's accessibility tree and the live
// regions.
import assert from 'node:assert/strict'
import { until } from './places.mjs'

const CELL = `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))`

/** Listens to a page; all values come from the accessibility tree, not from the elements. */
export async function listener(page) {
  const { tab } = page
  const cdp = await tab.context().newCDPSession(tab)
  await cdp.send('Accessibility.enable')

  async function node(expression) {
    const { result } = await cdp.send('Runtime.evaluate', { expression })
    if (result.objectId === undefined) throw new Error(`nothing is at ${expression}`)
    const { nodes } = await cdp.send('Accessibility.getPartialAXTree', {
      objectId: result.objectId,
      fetchRelatives: false,
    })
    const [{ role, name, value, description, properties = [] }] = nodes
    const of = (property) => properties.find(({ name: called }) => called === property)?.value.value
    return {
      role: role.value,
      name: name?.value ?? '',
      value: value?.value ?? '',
      description: description?.value ?? '',
      of,
    }
  }
  const number = async (expression, attribute) =>
    Number(await tab.evaluate(`${expression}.getAttribute('${attribute}')`))

  const heard = {
    /** Waits until the focused cell has these properties; only the given ones are compared. */
    at: (wanted) =>
      until(`the cell is heard as ${JSON.stringify(wanted)}`, async () => {
        const cell = await heard.cell()
        assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((part) => [part, cell[part]])), wanted)
        return true
      }),
    /** Returns the focused cell: its value, its heading, its position, its states and those of its row. */
    async cell() {
      const cell = await node(CELL)
      const column = await number(CELL, 'aria-colindex')
      const heading = await node(
        `document.activeElement.querySelector('[role=columnheader][aria-colindex="${column}"]')`,
      )
      const row = `${CELL}.closest('[role=row]')`
      const header = await node(`${row}.querySelector('[role=rowheader]')`)
      const at = await number(row, 'aria-rowindex')
      const rows = await number('document.activeElement', 'aria-rowcount')
      return {
        role: cell.role,
        value: cell.name,
        heading: heading.name,
        // The row of headings counts as a row too.
        row: `${at - 1} of ${rows - 1}`,
        column: `${column} of ${await number('document.activeElement', 'aria-colcount')}`,
        number: header.name,
        isSelected: cell.of('selected') === true,
        isInvalid: cell.of('invalid') === 'true',
        states: cell.description,
        rowStates: header.description,
      }
    },
    /** Returns the focused element, such as the editor's field. */
    async field() {
      const { role, name, value, description, of } = await node('document.activeElement')
      return { role, name, value, description, isInvalid: of('invalid') === 'true' }
    },
    grid: () => node(`document.querySelector('[role=grid]')`),
    /** Waits until the grid's live region says this. */
    says: (text) =>
      until(`the grid says “${text}”`, async () => {
        const live = await node(`document.querySelector('.roost-grid .live')`)
        if (live.role !== 'status' || live.of('live') !== 'polite') throw new Error(`it is ${live.role}`)
        const shown = (await page.text('.roost-grid .live')).replace(/\u00a0$/, '')
        if (shown !== text) throw new Error(`it says “${shown}”`)
        return true
      }),
    /** Waits until the page's live region says this. */
    announces: (text) =>
      until(`the page says “${text}”`, async () => {
        const shown = await page.text('[data-testid=announcement]')
        if (!shown.startsWith(text)) throw new Error(`it says “${shown}”`)
        return true
      }),
  }
  return heard
}
