// What the real window offers when its account, its data folder or its page is lost.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { mkdir, open as openFile, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { begin, pressButton } from '../support/journeys.mjs'
import { desktop, ownFolder, picture, roost, soon, until } from '../support/places.mjs'
import { start, startScreen } from '../support/processes.mjs'
import { openWindow, windowEnvironment } from '../support/window/open.mjs'

let screen
let folder
let open

before(async () => (screen = await startScreen('1280x800')))
after(() => screen?.stop())
beforeEach(async () => {
  folder = await ownFolder()
  open = undefined
  await mkdir(join(folder.path, 'account'))
})
afterEach(async () => {
  await open?.close()
  await folder.remove()
})

const place = () => ({ display: screen.display, folder: folder.path })
const inFolder = (name) => join(folder.path, 'account', name)
const account = () => inFolder('shop.roost')

/** Leaves an account with a list and an opt-out, and a copy of it. */
async function leaveAccountWithCopy() {
  open = await openWindow(place())
  await begin(open)
  await open.call('list_create', { name: 'Newsletter' })
  const args = ['account', 'backup', '--db', account()]
  const made = spawnSync(roost(), args, { env: windowEnvironment(place()), encoding: 'utf8' })
  assert.equal(made.status, 0, made.stderr)
  await open.close()
  open = undefined
  // The driver kills the window, but after a usual end no log is left. Reading the account folds it.
  const checked = spawnSync(roost(), ['account', 'check', '--db', account()], {
    env: windowEnvironment(place()),
  })
  assert.equal(checked.status, 0)
  for (const suffix of ['-wal', '-shm']) await rm(account() + suffix, { force: true })
}

async function damage() {
  const file = await openFile(account(), 'r+')
  await file.write(Buffer.alloc(16_384, 'x'), 0, 16_384, 8_192)
  await file.close()
}

const LOSSES = {
  damaged: damage,
  empty: () => truncate(account()),
  missing: () => rm(account()),
}

for (const [loss, lose] of Object.entries(LOSSES)) {
  test(`an account that is ${loss} offers its newest copy first and goes back to it`, async () => {
    await leaveAccountWithCopy()
    await lose()
    open = await openWindow(place())
    await until('the copy is offered', () => open.count('[data-testid=newest-copy] button'))
    assert.equal(await open.count(`[data-testid=account-fault][data-loss=${loss}]`), 1)
    assert.match(
      await open.text('[data-testid=newest-copy] p'),
      /^Shop · shop\.roost\.saved-.*: lists 1, contacts 0/,
    )
    await open.screenshot(await picture(`window-account-${loss}`))
    await open.click('[data-testid=newest-copy] button')
    await until(
      'the account is open',
      async () => {
        assert.deepEqual(await open.texts('.fault'), [])
        return open.count('#sidebar')
      },
      30_000,
    )
    await soon(async () => assert.equal((await open.call('overview_get')).counts.lists, 1))
    const aside = (await readdir(join(folder.path, 'account'))).filter((name) => name.includes('.damaged-'))
    assert.equal(aside.length > 0, loss === 'damaged', String(aside))
  })
}

test('an empty account replaces a damaged one only after a question', async () => {
  await leaveAccountWithCopy()
  await damage()
  open = await openWindow(place())
  await until('the copy is offered', () => open.count('[data-testid=newest-copy] button'))
  await pressButton(open, 'Start with an empty account…')
  await until('it is asked', () => open.count('dialog[open]'))
  await open.screenshot(await picture('window-start-empty'))
  await pressButton(open, 'Cancel')
  await soon(async () => assert.equal((await open.call('account_list')).status, 'failed'))
  await pressButton(open, 'Start with an empty account…')
  await until('it is asked again', () => open.count('dialog[open]'))
  await pressButton(open, 'Start empty')
  await until('the empty account is open', () => open.count('#sidebar'), 30_000)
  const { current, accounts } = await open.call('account_list')
  assert.equal(current.file, 'shop-2.roost')
  assert.deepEqual(accounts.map(({ file, state }) => [file, state]).toSorted(), [
    ['shop-2.roost', 'open'],
    ['shop.roost', 'missing'],
  ])
})

test('damaged files of the program are set aside and named in the window', async () => {
  await writeFile(inFolder('accounts.json'), '{"accounts": [{"path": 5}], "open": 7')
  await writeFile(inFolder('preferences.json'), '{')
  open = await openWindow(place())
  const toasts = () => open.texts('[data-testid=toast] .text')
  await until('both are named', async () => (await toasts()).length === 2)
  assert.match((await toasts()).join(), /accounts\.json\.damaged.*preferences\.json\.damaged/s)
  await open.screenshot(await picture('window-set-aside'))
})

test('a data folder that is a file is named', async () => {
  await rm(join(folder.path, 'account'), { recursive: true })
  await writeFile(join(folder.path, 'account'), '')
  open = await openWindow(place())
  await until('it is shown', async () =>
    /data folder/.test((await open.text('[data-testid=account-fault] h1')) ?? ''),
  )
  assert.ok((await open.text('.cause')).includes(join(folder.path, 'account')))
  await open.screenshot(await picture('window-folder-is-file'))
})

/** Returns the processes that draw the page of this test's window. */
function findWebProcesses() {
  const belongs = (pid) => {
    try {
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8')
      return (
        name.startsWith('WebKitWebProc') && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder.path)
      )
    } catch {
      return false
    }
  }
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && belongs(name))
}

test('a page whose process is killed is loaded again', async () => {
  let stderr = ''
  const window = start(desktop(), [], {
    env: windowEnvironment(place()),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  window.child.stderr.on('data', (written) => (stderr += String(written)))
  const listTitles = () =>
    spawnSync('xdotool', ['search', '--onlyvisible', '--name', '.', 'getwindowname', '%@'], {
      env: { ...process.env, DISPLAY: screen.display },
      encoding: 'utf8',
    }).stdout
  try {
    // The page gives the window a title once it is shown.
    await soon(() =>
      assert.ok(
        /Welcome|Home|Roost/.test(listTitles()) && findWebProcesses().length === 1,
        `windows: ${listTitles()}; processes of the page: ${findWebProcesses()}; stderr: ${stderr}`,
      ),
    )
    const [first] = findWebProcesses()
    process.kill(Number(first), 'SIGKILL')
    await until('another process draws it', () => findWebProcesses().some((pid) => pid !== first), 30_000)
    await soon(() => assert.match(stderr, /the page is loaded again/))
  } finally {
    await window.stop()
  }
})
