// Runs the steps of a check, in parallel where possible, and prints each step's output in one piece and a table of
// times at the end. A step that exceeds its budget is reported but does not fail.
import { spawn } from 'node:child_process'
import { cpus } from 'node:os'
import process from 'node:process'

const CORES = cpus().length
/** How often a step whose output is held back reports that it is still running. */
const STILL_RUNNING_MS = 60_000

const seconds = (from) => Math.round((Date.now() - from) / 1000)
const line = (text) => process.stdout.write(`${text}\n`)

/** Runs steps. A step is `{ name, commands, needs, cores, budget, env }`: its commands run in sequence, once the
 *  steps in `needs` have passed and as many of `cores` are free. Instead of commands it may have a `check`, which
 *  runs in this process and throws what is wrong. If `isUnchanged()` holds, the step has passed already. The first
 *  failure ends everything. Returns whether all steps passed. */
export async function runSteps(steps, { cwd, env, summary = () => [] }) {
  const began = Date.now()
  const waiting = new Set(steps)
  const running = new Map()
  const passed = new Map()
  let failed = null

  const isReady = ({ needs = [] }) => needs.every((name) => passed.has(name))
  const coresInUse = () => [...running.keys()].reduce((sum, { cores = 1 }) => sum + cores, 0)
  const next = () =>
    [...waiting].find(
      (step) => isReady(step) && (running.size === 0 || coresInUse() + (step.cores ?? 1) <= CORES),
    )

  const stopAll = () => {
    for (const { group } of running.values()) endGroup(group())
  }
  const interrupted = (signal) => {
    failed ??= signal
    stopAll()
  }
  process.on('SIGINT', interrupted)
  process.on('SIGTERM', interrupted)
  const heartbeat = setInterval(() => {
    const names = [...running].map(([{ name }, { since }]) => `${name} (${seconds(since)} s)`)
    if (names.length > 0) line(`... running: ${names.join(', ')}`)
  }, STILL_RUNNING_MS)

  while (failed === null && (waiting.size > 0 || running.size > 0)) {
    for (let step = next(); step !== undefined; step = next()) {
      waiting.delete(step)
      if (step.isUnchanged?.()) {
        line(
          `\n=== ${step.name}: not run, because nothing changed since it passed (run all: make test ALL=1)`,
        )
        passed.set(step.name, 0)
      } else running.set(step, start(step, { cwd, env }))
    }
    if (running.size === 0 && waiting.size === 0) break
    if (running.size === 0)
      throw new Error(`no step can run: ${[...waiting].map(({ name }) => name).join(', ')}`)
    const { step, status, output, took } = await Promise.race([...running.values()].map(({ ended }) => ended))
    running.delete(step)
    line(`\n=== ${step.name}: ${status === 0 ? 'passed' : `failed (status ${status})`} after ${took} s`)
    process.stdout.write(output)
    if (status === 0) {
      passed.set(step.name, took)
      step.recordPass?.()
    } else failed ??= step.name
  }
  stopAll()
  await Promise.all([...running.values()].map(({ ended }) => ended))
  clearInterval(heartbeat)

  line('\n=== times')
  for (const { name, budget } of steps) {
    const took = passed.get(name)
    if (took === undefined) continue
    const over = budget !== undefined && took > budget ? `  over its budget of ${budget} s` : ''
    line(`${String(took).padStart(5)} s  ${name}${over}`)
  }
  for (const text of summary()) line(text)
  line(`${String(seconds(began)).padStart(5)} s  in total`)
  if (failed !== null) line(`failed: ${failed} (steps that were running or waiting did not finish)`)
  line(`steps: ${passed.size} passed, ${failed === null ? 0 : 1} failed`)
  return failed === null
}

function start(step, { cwd, env }) {
  const since = Date.now()
  const output = []
  let child
  line(`--- ${step.name}`)
  const run = (command) =>
    new Promise((done) => {
      output.push(Buffer.from(`$ ${command}\n`))
      // Its own group, so that its children end with it.
      child = spawn('bash', ['-c', command], {
        cwd,
        env: { ...env, ...step.env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data))
      child.on('error', (error) => {
        output.push(Buffer.from(`${error.message}\n`))
        done(1)
      })
      child.on('close', (code) => done(code ?? 1))
    })
  const all = async () => {
    let status = 0
    try {
      step.check?.()
    } catch (error) {
      output.push(Buffer.from(`${error.message}\n`))
      status = 1
    }
    for (const command of step.commands ?? []) {
      status = await run(command)
      if (status !== 0) break
    }
    return { step, status, output: Buffer.concat(output), took: seconds(since) }
  }
  return { since, group: () => child?.pid, ended: all() }
}

function endGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
