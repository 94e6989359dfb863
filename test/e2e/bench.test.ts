// The bench measures a real gateway: every event arrives, and its figures fit together.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { withClosing } from '../../bench/harness/closing.ts'
import { openDeployment } from '../../bench/harness/deployment.ts'
import { decode, spreadOf } from '../../bench/harness/histogram.ts'
import type { Result } from '../../bench/harness/result.ts'
import { after, describe, test } from '../support/harness.ts'
import { lastingPort } from './processes.ts'
import { eventually } from './scene.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const timeout = 1_200_000

const bench = (...args: string[]): Promise<{ code: number | string; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const options = { cwd: root, timeout, maxBuffer: 64 * 1024 * 1024 }
    execFile(
      process.execPath,
      ['--import', 'tsx', 'bench/run.ts', ...args],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? (error ? 'killed' : 0), stdout, stderr }),
    )
  })

/** The bench as receiver on another host. Gives what a deployment file says of it. */
async function remoteReceiver(port: number): Promise<{ url: string; token: string }> {
  const args = ['--import', 'tsx', 'bench/run.ts', '--receive', String(port)]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const token = /"token": "([^"]+)"/.exec(line)?.[1]
    if (token) return { url: `http://127.0.0.1:${port}`, token }
  }
  throw new Error('the receiver ended')
}

/** A gateway that only keeps what it is sent. */
async function recorder(): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString())
    response.end()
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

const started: ChildProcess[] = []
const servers: Server[] = []
after(() => {
  for (const server of servers) server.close().closeAllConnections()
  for (const child of started) child.kill('SIGKILL')
})

describe('npm run bench', () => {
  test('a receiver elsewhere is asked with its token, and its clock is known within the uncertainty', async () => {
    const receiver = await remoteReceiver(await lastingPort())
    const file = join(mkdtempSync(join(tmpdir(), 'switchboard-bench-')), 'deployment.json')
    const number = { id: '1', digits: '15550001111', transport: 'socket', contacts: ['15551230099'] }
    const facts = { appSecret: 'x', apiKey: 'x', wabaId: '1', numbers: [number] }
    writeFileSync(file, JSON.stringify({ ...facts, receiver }))
    const told: string[] = []
    await withClosing(async (closing) => {
      const say = (text: string) => void told.push(text)
      const world = await openDeployment({ target: 'http://127.0.0.1:9', file, say }, closing)
      const bounds = /([-\d.]+) ms ahead, give or take ([\d.]+) ms/.exec(told.join())
      // Both share a clock here; what is printed is rounded to a thousandth.
      assert.ok(Math.abs(Number(bounds?.[1])) <= Number(bounds?.[2]) + 0.001, told.join())
      await fetch(`${receiver.url}/hook`, { method: 'POST', body: '{"event":"x","id":"bench.00000000-1"}' })
      const arrived = await world.receiver.ask('collect', { count: 1, timeoutMs: 60_000 })
      assert.deepEqual(
        arrived.map(({ event, id }) => [event, id]),
        [['x', 'bench.00000000-1']],
      )
      const { uncertaintyNs, offsetNs } = await world.receiver.clock()
      assert.ok(Math.abs(offsetNs) <= uncertaintyNs + 1_000, `${offsetNs} ${uncertaintyNs}`)
    })
    const refused = await fetch(`${receiver.url}/control/clock`, { method: 'POST', body: 'null' })
    assert.equal(refused.status, 401)
  })

  test('statuses of a message that comes late are reported to who sent it, not to who is measured meanwhile', async () => {
    const receiver = await remoteReceiver(await lastingPort())
    const ask = (name: string, question: unknown) =>
      fetch(`${receiver.url}/control/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${receiver.token}` },
        body: JSON.stringify(question),
      })
    const [first, second] = [await recorder(), await recorder()]
    for (const { sender, url } of [
      { sender: 'first', url: first.url },
      { sender: 'second', url: second.url },
    ])
      await ask('react', { sender, statuses: { url, appSecret: 'x', wabaId: '1' } })
    const text = { body: 'bench.00000000-1' }
    const body = JSON.stringify({ to: '15551230099', text, biz_opaque_callback_data: 'msg_1' })
    await fetch(`${receiver.url}/first/v24.0/1/messages`, { method: 'POST', body })
    await eventually('both statuses came', async () => first.bodies.length === 2)
    assert.match(first.bodies.join('\n'), /"status":"sent".*\n.*"status":"delivered"/)
    for (const one of first.bodies) assert.match(one, /"biz_opaque_callback_data":"msg_1"/)
    assert.deepEqual(second.bodies, [])
  })

  test('--help tells the flags, and a wrong one is refused', async () => {
    const [help, wrong] = await Promise.all([bench('--help'), bench('--scenario', 'nothing')])
    assert.deepEqual([help.code, help.stderr], [0, ''])
    assert.match(help.stdout, /--sweep event/)
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /--scenario nothing: not one of event/)
  })

  test('a short run measures gateway and floor in the same round, its hops add up, and its tail is looked at', {
    timeout,
  }, async () => {
    const load = ['--rates', '30', '--connections', '0', '--seconds', '1', '--rounds', '1', '--rows', '10']
    const run = [
      '--scenario',
      'event',
      '--variants',
      'gateway,floor',
      '--warm-up',
      '1',
      '--json',
      '--name',
      'e2e',
    ]
    const { code, stdout, stderr } = await bench(...load, ...run, '--hops', '--tail')
    assert.equal(code, 0, stderr)
    const { version, rows, environment } = JSON.parse(stdout) as Result
    assert.equal(version, 3)
    assert.match(environment.postgres ?? '', /^\d/)
    assert.deepEqual(
      rows.map(({ variant, rounds }) => [variant, rounds.map(({ round, count }) => [round, count])]),
      [
        ['gateway', [[1, 30]]],
        ['floor', [[1, 30]]],
      ],
    )
    const [round] = rows[0]?.rounds ?? []
    assert.ok(round?.hops)
    const mean = (encoded: string) => spreadOf(decode(encoded)).mean
    const sum = Object.values(round.hops).reduce((total: number, hop: string) => total + mean(hop), 0)
    const whole = mean(round.latency)
    assert.ok(Math.abs(sum / whole - 1) < 0.05, `${sum} of ${whole}`)
    assert.ok((round.walBytes ?? 0) > 500, `${round.walBytes}`)
    // The hundredth of 30 is one. What overlapped with it depends on the machine.
    assert.deepEqual([round.tail?.slow, round.tail?.rest], [1, 29])
    assert.match(stderr, /warm-up event gateway: .*us a unit [\d-]+; not steady after 1 s\n/)
    assert.match(
      stderr,
      /within 5 %; 0 of 30 units lack marks, 0 have them out of order.*\n.*what overlapped with them/,
    )
  })
})
