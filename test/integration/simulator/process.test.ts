import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, describe, test } from '../../support/harness.ts'

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

async function launch(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/simulator/main.ts'], {
    env: { SIM_PORT: '0', ...env },
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  })
  started.push(child)
  assert.ok(child.stdout)
  const lines = createInterface({ input: child.stdout })
  const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(20_000) })) as [string]
  return { child, ready: JSON.parse(line) as { event: string; url: string } }
}

const exited = (child: ChildProcess) => once(child, 'exit', { signal: AbortSignal.timeout(10_000) })

describe('the simulator as a process', () => {
  test('says where it listens, answers there, and ends on SIGTERM', async () => {
    const { child, ready } = await launch({})
    assert.equal(ready.event, 'listening')
    const health = await fetch(`${ready.url}/sim/health`)
    assert.equal(health.status, 200)
    child.kill('SIGTERM')
    assert.deepEqual(await exited(child), [0, null])
  })

  test('ends when the process that holds its input is gone', async () => {
    const { child } = await launch({ SIM_EXIT_WITH_PARENT: '1' })
    child.stdin?.end()
    assert.deepEqual(await exited(child), [0, null])
  })

  test('ends when the process at the other end of its channel is gone', async () => {
    const { child } = await launch({})
    child.disconnect()
    assert.deepEqual(await exited(child), [0, null])
  })
})
