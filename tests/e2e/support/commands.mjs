// Calls the console's commands as its page does, to create what a test needs beforehand.

/** Returns a function that runs a command of this server by name; its `text` is for commands whose response is
 *  bytes. */
export function caller({ url, console_url }) {
  // The window runs commands itself.
  if (typeof console_url === 'object') return console_url.call
  const token = decodeURIComponent(/#token=(.*)$/.exec(console_url)[1])
  const ask = async (name, payload) => {
    const response = await fetch(`${url}/__console/call/${name}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-roost-origin': 'test',
      },
      body: JSON.stringify(payload),
    })
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`)
    return response
  }
  const call = async (name, payload = {}) => (await ask(name, payload)).json()
  call.text = async (name, payload) => (await ask(name, payload)).text()
  return call
}

/** Adds the custom fields with which an account of the server begins. A new account of the window has none. */
export async function addFields(call, count = 3) {
  const { fields } = await call('custom_field_all', {})
  for (let n = fields.length + 1; n <= count; n += 1) await call('custom_field_add', { label: `Field ${n}` })
}

/** Opens a view of a list's contacts and waits until its rows are found. */
export async function openView(call, list, filter = null) {
  let state = await call('grid_open', { list, filter, text: null, sort: [] })
  const { view, generation } = state
  while (state.is_building) state = await call('grid_state', { view, generation, wait_ms: 1_000 })
  return { ...state, view }
}

/** Deletes contacts of a list, as another page would. */
export async function deleteContacts(call, list, uids) {
  const { view } = await openView(call, list)
  const places = await Promise.all(uids.map((uid) => call('grid_locate', { view, uid })))
  const rows = places.map(({ row }) => [row, row + 1]).toSorted(([one], [other]) => one - other)
  await call('grid_delete', { view, generation: null, rows })
  await call('grid_close', { view })
}

/** Waits until the page has stored a value under a key. */
export function keeps(tab, key) {
  if (tab.kind === 'window') return tab.waitForKept(key)
  return tab.waitForResponse(
    (answer) =>
      answer.url().endsWith('/ui_state_put') && answer.request().postDataJSON().key === key && answer.ok(),
  )
}
