// The service of an account: a second server, reached as a customer reaches it, which can be killed; its content; and
// the account's connection to it.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { caller } from './commands.mjs'
import { freePort, freshEnvironment, roost, until } from './places.mjs'
import { start } from './processes.mjs'

/** A key that every service accepts unless it requires a specific one. */
const KEY = 'key-of-the-test'
const PASSPHRASE = 'a passphrase of this test alone'

/** Starts a service with its own file and port; `cut` kills it, `begin` starts it again with the same data. */
export async function startService(folder, ...args) {
  const home = join(folder, 'service')
  await mkdir(home)
  const port = await freePort()
  const ready = join(home, 'ready.json')
  const given = ['--port', String(port), '--db', join(home, 'service.roost'), '--ready-file', ready, ...args]
  let server
  const service = {
    url: `http://127.0.0.1:${port}`,
    call: undefined,
    async begin() {
      server = start(roost(), ['serve', ...given], { env: freshEnvironment(home) })
      const died = server.ended.then(([code]) => {
        throw new Error(`the service ended with status ${code}`)
      })
      died.catch(() => undefined)
      await Promise.race([until('the service is ready', () => existsSync(ready)), died])
      service.call = caller(JSON.parse(await readFile(ready, 'utf8')))
    },
    async cut(signal = 'SIGKILL') {
      await server.stop(signal)
      await rm(ready, { force: true })
    },
  }
  await service.begin()
  return service
}

/** Sends a request to the REST interface of a service, as another program would. */
export async function rest({ url }, method, path, body, key = KEY) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const headers = { 'content-type': 'application/json', 'x-auth-key': key }
  const response = await fetch(url + path, { method, headers, ...sent })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Creates a list at the service, with contacts. */
export async function listThere(service, name, contacts, key) {
  const { uid } = await rest(service, 'POST', '/contacts/v1/lists/create', { name }, key)
  await upload(service, uid, contacts, key)
  return uid
}

/** Creates contacts or changes those with the same number, and waits until the service has them. */
export async function upload(service, list, contacts, key) {
  const sent = { list_id: list, merge_type: 'mergeByPhoneNumberInList', contacts }
  await rest(service, 'POST', '/contacts/v1/contacts', sent, key)
  await until('the service has done it', async () => {
    const items = await contactsThere(service, list, key)
    const found = new Map(items.map((one) => [one.phone_number, one]))
    return contacts.every((wanted) =>
      Object.entries(wanted).every(([field, value]) => found.get(wanted.phone_number)?.[field] === value),
    )
  })
}

export const contactsThere = async (service, list, key) =>
  (await rest(service, 'GET', `/contacts/v1/contacts/list/${list}`, undefined, key)).items

/** Connects an account to a service, with a sealed key, because a test has no keyring. */
export async function connect(
  call,
  { url },
  { key = KEY, passphrase = PASSPHRASE, calls_per_second = 9 } = {},
) {
  await call('connection_save', {
    name: 'Service',
    base_url: url,
    header: 'x-auth-key',
    read_only: false,
    plain_http: false,
    calls_per_second,
    together: null,
    paths: [],
  })
  await call('connection_key_set', { key, keep: 'sealed', passphrase })
}

/** Pulls everything and waits for the end; with `believe`, it deletes what is missing at the service. */
export async function pull(call, { believe = false } = {}) {
  await call('sync_pull', { list: null, full: true, believe })
  const { failed } = await until(
    'the service is read',
    async () => {
      const now = await call('sync_status')
      return now.work === null && now
    },
    60_000,
  )
  if (failed !== null) throw new Error(`the service could not be read: ${failed.message}`)
}

/** Sends all changes, after confirming every gate. */
export async function push(call) {
  return ended(call, await run(call))
}

/** Starts a run without waiting for its end; returns its number. */
export async function run(call) {
  const plan = await call('plan_make')
  return (await call('run_start', { plan: plan.id, typed: plan.gates.map(({ wanted }) => wanted) })).run
}

/** Waits for the end of a run, after which other work can start. */
export const ended = (call, id, patience = 60_000) =>
  until(
    'the run has ended',
    async () => {
      const shown = await call('run_get', { run: id })
      return shown.ended_at !== null && (await call('sync_status')).work === null && shown
    },
    patience,
  )

/** Finds the rows of a request at any depth. */
function rowsIn(value) {
  if (Array.isArray(value) && value.some((one) => one?.phone_number !== undefined)) return value
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(rowsIn)
}

/** Starts a service in front of another that refuses contacts by an extra rule: `refuses(row)` returns a field or
 *  nothing. */
export async function startPicky({ url }, refuses) {
  const target = new URL(url)
  const server = createServer((incoming, answer) => {
    const parts = []
    incoming.on('data', (part) => parts.push(part))
    incoming.on('end', () => {
      const body = Buffer.concat(parts)
      const faults = incoming.method === 'POST' ? faultsOf(body, refuses) : []
      if (faults.length > 0) {
        answer.writeHead(400, { 'content-type': 'application/json' })
        return answer.end(JSON.stringify(refusal(faults)))
      }
      const { 'content-length': _, ...headers } = incoming.headers
      const onward = request(
        {
          host: target.hostname,
          port: target.port,
          method: incoming.method,
          path: incoming.url,
          headers: {
            ...headers,
            host: target.host,
            ...(body.length > 0 ? { 'content-length': body.length } : {}),
          },
        },
        (back) => {
          answer.writeHead(back.statusCode, back.headers)
          back.pipe(answer)
        },
      )
      onward.on('error', () => answer.destroy())
      onward.end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function faultsOf(body, refuses) {
  let rows = []
  try {
    rows = rowsIn(JSON.parse(body.toString('utf8')))
  } catch {
    return []
  }
  return rows.flatMap((row, at) => {
    const field = refuses(row)
    const message = 'size must be between 1 and 10'
    return field === undefined
      ? []
      : [
          {
            field: `createContacts.request.conCreateRequests[${at}].${field}`,
            message,
            rejected_value: row[field],
          },
        ]
  })
}

const refusal = (validation_errors) => ({
  trace_id: '00000000feedface',
  code: 'ERR_CNT_VAL_001',
  error: 'VALIDATION_ERROR',
  message: 'Request validation failed',
  status: 400,
  timestamp: new Date().toISOString(),
  validation_errors,
})
