// What the tests do with lists, whichever runner they run under.
export const LISTS = '/contacts/v1/lists/'
export const CREATE = '/contacts/v1/lists/create'

/**
 * @param {import('@roost/test').World} world
 * @param {string} name
 */
export async function create(world, name) {
  const answer = await world.send('POST', CREATE, { name })
  if (!answer.ok) throw new Error(`no list: ${answer.status} ${await answer.text()}`)
  return (await answer.json()).uid
}

/** @param {import('@roost/test').World} world */
export async function names(world) {
  const { items } = await (await world.send('GET', LISTS)).json()
  return items.map((item) => item.name).toSorted()
}
