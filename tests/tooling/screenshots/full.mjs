// Pictures of the full account: every screen, its panel, its dialogs, and errors at fields. None of them changes the
// account: each dialog stays unconfirmed, and the next picture starts with a new page.
import { dialog } from './acts.mjs'
import { clean } from './clean.mjs'
import { contacts } from './contacts.mjs'
import { fields, lists, optOuts } from './people.mjs'
import { links, past, senders, server } from './service.mjs'

/** Each picture: screen, state, route, and what to do there first. */
export const full = (world) => {
  const { list, link, vips, optedOut } = world
  const paper = list('Paper forms, to be checked')
  const vip = `#/lists/${list('VIP customers')}`
  const record = `${vip}/${vips[0].uid}`
  return [
    ...frame(),
    ...accounts(),
    ...lists(),
    ...contacts(vip, record, paper),
    ...clean(paper, list('Suppliers'), world.spare),
    ...fields(),
    ...optOuts(encodeURIComponent(optedOut)),
    ...links(link),
    ...senders(),
    ...server(),
    ...past(),
  ]
}

const frame = () => [
  ['home', 'full', '#/overview'],
  [
    'home',
    'scrolled',
    '#/overview',
    (tab) => tab.locator('main').evaluate((main) => main.scrollTo(0, main.scrollHeight)),
  ],
  [
    'palette',
    'full',
    '#/overview',
    async (tab) => {
      await tab.keyboard.press('Control+k')
      await dialog(tab).locator('input').fill('vip')
    },
  ],
  ['palette', 'commands', '#/lists', (tab) => tab.keyboard.press('Control+Shift+p')],
  [
    'palette',
    'empty',
    '#/overview',
    async (tab) => {
      await tab.keyboard.press('Control+k')
      await dialog(tab).locator('input').fill('nothing is called that')
    },
  ],
  ['search', 'full', '#/search?q=spring'],
  ['search', 'start', '#/search'],
  ['search', 'empty', '#/search?q=nothing%20is%20called%20that'],
  ['guide', 'page', '#/guide'],
  ['guide', 'results', '#/guide?q=opt-out'],
  ['keys', 'full', '#/lists', (tab) => tab.keyboard.press('F1')],
  ['settings', 'full', '#/overview', (tab) => tab.keyboard.press('Control+Comma')],
  ['tasks', 'empty', '#/overview', (tab) => tab.keyboard.press('Control+j')],
]

const accounts = () => [
  ['accounts', 'console', '#/accounts'],
  ['safety', 'full', '#/safety'],
  [
    'accounts',
    'rename-fault',
    '#/accounts',
    async (tab) => {
      await tab.keyboard.press('F2')
      await dialog(tab).locator('input').first().fill(' ')
      await tab.keyboard.press('Enter')
    },
  ],
]
