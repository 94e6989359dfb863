// npm start as a newcomer sees it. Needs /proc, to find processes that are left behind.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DevFile } from '../../src/platform/config/dev-file.ts'
import { after, describe, test } from '../support/harness.ts'
import { lastingPort } from './processes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-start-'))
const readyMs = 150_000
const goneMs = 40_000
const started: ChildProcess[] = []

after(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

/** The processes that name this folder in their environment or command line. */
function processes(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => isOurs(pid)).map(Number)
}

function isOurs(pid: string): boolean {
  if (Number(pid) === process.pid) return false
  try {
    const [environment, command] = ['environ', 'cmdline'].map((name) =>
      readFileSync(`/proc/${pid}/${name}`, 'utf8'),
    )
    return `${environment}${command}`.includes(dataDir)
  } catch {
    return false
  }
}

async function until(what: string, ms: number, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + ms
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen in time`)
    await sleep(50)
  }
}

interface Ports {
  readonly PORT: string
  readonly SIM_PORT: string
}

/** Begins a start. Resolves when it is up, or has ended. */
async function begin(ports: Ports): Promise<{ child: ChildProcess; printed: () => string }> {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...env } = process.env
  const child = spawn(process.execPath, ['src/dev/start.js'], {
    cwd: root,
    env: { ...env, ...ports, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      text += chunk
    })
  await until(
    `a start (${text})`,
    readyMs,
    () => text.includes('Switchboard is up') || child.exitCode !== null,
  )
  return { child, printed: () => text }
}

async function start() {
  const ports = { PORT: String(await lastingPort()), SIM_PORT: String(await lastingPort()) }
  const { child, printed } = await begin(ports)
  assert.equal(child.exitCode, null, printed())
  const dev: DevFile = JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8'))
  return { dev, ports, child, printed }
}

const send = (dev: DevFile) =>
  fetch(`${dev.apiUrl}/api/v1/messages/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${dev.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+15557000001', template: { name: 'hello_world', language: 'en_US' } }),
  })

describe('npm start', () => {
  test('serves, tells how to begin, refuses a second start, and leaves nothing behind after Ctrl-C', async () => {
    const { dev, ports, child, printed } = await start()
    assert.equal((await send(dev)).status, 202)
    assert.ok(printed().includes(dev.apiKey))
    assert.equal(statSync(join(dataDir, 'dev.json')).mode & 0o777, 0o600)
    assert.deepEqual(Object.keys(dev), [
      ...[
        'apiUrl',
        'consoleUrl',
        'simulatorUrl',
        'databaseUrl',
        'redisUrl',
        'workspaceId',
        'apiKey',
        'operator',
      ],
      ...['numbers', 'provider'],
    ])
    assert.equal(dev.numbers.length, 2)
    const commands = processes().map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    assert.ok(commands.length >= 6)
    // A loader of TypeScript is as long to start as the rest.
    assert.deepEqual(
      commands.filter((command) => command.includes('tsx')),
      [],
    )
    const log = join(dataDir, 'log', 'gateway.log')
    const logged = readFileSync(log, 'utf8')
    const second = await begin(ports)
    assert.equal(second.child.exitCode, 1, second.printed())
    assert.match(second.printed(), /already runs in this folder/)
    assert.ok(readFileSync(log, 'utf8').startsWith(logged), 'the log of the first start was emptied')
    child.kill('SIGINT')
    await until('the end of every process', goneMs, () => processes().length === 0)
    // Node reports the exit a moment after the process has gone.
    await until('the exit code', goneMs, () => child.exitCode !== null)
    assert.equal(child.exitCode, 0)
  })

  test('goes on with the same workspace and key, and dies with everything when it is killed', async () => {
    const before: DevFile = JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8'))
    const { dev, child } = await start()
    assert.equal(dev.apiKey, before.apiKey)
    assert.equal(dev.workspaceId, before.workspaceId)
    assert.equal((await send(dev)).status, 202)
    child.kill('SIGKILL')
    await until('the end of every process', goneMs, () => processes().length === 0)
  })
})
