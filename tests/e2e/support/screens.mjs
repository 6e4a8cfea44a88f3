// Every screen by its place.
import { until } from './places.mjs'

/** Returns the place of every screen of an account that has a list with a contact. */
export const PLACES = (list, contact) => [
  'overview',
  'lists',
  `lists/${list}`,
  `lists/${list}/${contact}`,
  `lists/${list}/readiness`,
  `lists/${list}/clean`,
  `lists/${list}/clean/mending`,
  'fields',
  'optouts',
  'links',
  'senders',
  'sync/connection',
  'sync/changes',
  'sync/conflicts',
  'sync/plan',
  'sync/runs',
  'server',
  'activity',
  'trash',
  'accounts',
  'import',
  'import/past',
  'search',
]
const SETTLED = `
  return document.querySelector('main :is(h1, h2), [data-testid=search]') !== null &&
    document.querySelector('main [aria-busy=true]') === null`

/** Opens the page anew at a place, so that nothing of the last place is there. */
export async function goTo(page, place) {
  await page.run("history.replaceState(null, '', '#/' + arguments[0])", place)
  await page.tab.reload()
  await until(`${place} is shown`, () => page.run(SETTLED))
  await page.rest()
  await until(`${place} is loaded`, () => page.run(SETTLED))
}
