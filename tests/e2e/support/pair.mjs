// Where a file of tests about the sync plays: a console for each of them, and a service of its own.
import { afterEach, beforeEach } from 'node:test'
import { consoleForEach } from './console.mjs'
import { startService } from './service.mjs'

/** A console, and the service that is filled before each test and ended after it; the options are the service's. */
export function pairForEach(...options) {
  // Before its folder is gone.
  afterEach(async () => {
    await pair.service?.cut()
    pair.service = undefined
  })
  // A key is sealed beside the account, which therefore is a file.
  const pair = consoleForEach({ isFile: true })
  beforeEach(async () => (pair.service = await startService(pair.folder, ...options)))
  return pair
}
