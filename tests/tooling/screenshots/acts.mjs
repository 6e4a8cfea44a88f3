// Acts on a page with which many pictures begin.
export const dialog = (tab) => tab.locator('dialog[open]')
export const first = (tab) => tab.locator('main tbody tr').first()
export const named = (tab, name) => tab.locator('main tbody tr', { hasText: name }).first()

/** Returns a cell of the grid, by its row in view and the heading of its column. */
export async function cell(tab, row, title) {
  const heads = tab.locator('main [role=columnheader]', { has: tab.getByText(title, { exact: true }) })
  const at = await heads.first().getAttribute('aria-colindex')
  return tab.locator(`main .line:not([hidden])[aria-rowindex="${row + 1}"] [aria-colindex="${at}"]`)
}

export const submit = (tab) => dialog(tab).locator('button.primary').last().click()

/** Runs a command by its title, from the palette. */
export async function command(tab, title) {
  await tab.keyboard.press('Control+Shift+p')
  await dialog(tab).locator('input').fill(title)
  await tab.locator('[role=option][aria-selected=true]', { hasText: title }).waitFor()
  await tab.keyboard.press('Enter')
}

export async function select(tab, ...names) {
  await named(tab, names[0]).click()
  for (const name of names.slice(1)) await named(tab, name).click({ modifiers: ['Control'] })
}

/** Searches for something that does not exist, and waits until the screen says so. */
export async function findNothing(tab, text = 'nothing is called that') {
  await tab.locator('main input[type=search]').fill(text)
  await tab.locator('main h2', { hasText: /No (matching|results)/ }).waitFor()
}
