// Where a file of tests about the sync plays: a browser for all of them, and for each an account and a service of its own.
import { join } from 'node:path'
import { after, afterEach, before, beforeEach } from 'node:test'
import { caller } from './commands.mjs'
import { startBrowser, startServer } from './console.mjs'
import { ownFolder } from './places.mjs'
import { startService } from './service.mjs'

/** What it answers is filled before each test and ended after it; the options are the service's. */
export function pairForEach(...options) {
  const pair = {
    browser: undefined,
    folder: undefined,
    service: undefined,
    /** The account's server, and a way to run its commands. */
    here: undefined,
    call: undefined,
    /** Starts it; a key is sealed beside the account, which therefore is a file. */
    async begin() {
      const db = join(pair.folder, 'account.roost')
      pair.here = await startServer(pair.folder, '--console', '--limits', 'off', '--db', db)
      pair.call = caller(pair.here)
    },
  }
  let own
  before(async () => (pair.browser = await startBrowser()))
  after(() => pair.browser?.close())
  beforeEach(async () => {
    own = await ownFolder()
    pair.folder = own.path
    const service = startService(pair.folder, ...options).then((started) => (pair.service = started))
    await Promise.all([service, pair.begin()])
  })
  afterEach(async () => {
    for (const context of pair.browser.contexts()) await context.close()
    await Promise.all([pair.here?.stop(), pair.service?.cut()])
    pair.here = pair.service = undefined
    await own.remove()
  })
  return pair
}
