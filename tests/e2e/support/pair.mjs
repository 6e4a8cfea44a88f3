// A console and its own service for each test of the sync.
import { afterEach, beforeEach } from 'node:test'
import { consoleForEach } from './console.mjs'
import { startService } from './service.mjs'

/** Provides a console and a service that starts before each test and stops after it; the options are the service's. */
export function pairForEach(...options) {
  // Stop it before its folder is removed.
  afterEach(async () => {
    await pair.service?.cut()
    pair.service = undefined
  })
  // A key is sealed beside the account, so the account must be a file.
  const pair = consoleForEach({ isFile: true })
  beforeEach(async () => (pair.service = await startService(pair.folder, ...options)))
  return pair
}
