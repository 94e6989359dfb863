// Sends random requests to a gateway. The same seed makes the same requests: FUZZ_SEED repeats a run,
// FUZZ_SECONDS extends it (`FUZZ_SECONDS=600 node --import tsx --test test/e2e/fuzz.test.ts`).
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { after, before } from '../support/harness.ts'
import { ok } from './clients.ts'
import { type Dice, dice } from './fuzz-dice.ts'
import { judge, request, targets } from './fuzz-requests.ts'
import { judgeWebhook, webhook } from './fuzz-webhooks.ts'
import { exchange, halfOpen, judgeWire, wireBytes } from './fuzz-wire.ts'
import { type FuzzWorld, openFuzzWorld } from './fuzz-world.ts'
import { type Ask, send, type Told } from './hostile-client.ts'
import { type Held, heldAfterCollection } from './memory.ts'
import { eventually, scenario } from './scene.ts'

const { FUZZ_SEED, FUZZ_SECONDS } = process.env as Record<string, string | undefined>
// A run of the whole suite uses a fixed seed, so that its result depends only on the change under test. Long
// runs search with random seeds.
const seed = FUZZ_SEED ?? (FUZZ_SECONDS === undefined ? '2196734379' : String(randomInt(2 ** 32)))
const seconds = Number(FUZZ_SECONDS ?? 10)
const LANES = 12
const BATCH = 700
const MIB = 1_024 * 1_024

let world: FuzzWorld
let agent: Agent
before(async () => {
  agent = new Agent({ keepAlive: true, maxSockets: LANES })
  world = await openFuzzWorld()
})
after(() => {
  agent?.destroy()
  return world?.stack.stop()
})

/** Depends only on the seed and the number of the request. */
async function one(number: number): Promise<void> {
  const chance = dice(`${seed} ${number}`)
  const kind = chance.below(10)
  if (kind === 0) return wire(chance)
  return kind < 3 ? fromProvider(chance) : fromCaller(chance)
}

async function fromCaller(chance: Dice): Promise<void> {
  const target = chance.of(targets)
  const ask = request(chance, target, world.material)
  const told = await answerTo(ask)
  if (told) explain(`${ask.method} ${ask.path} ${ask.body}`, () => judge(target, ask.path, told))
}

async function fromProvider(chance: Dice): Promise<void> {
  const posted = webhook(chance, world.phoneNumberId)
  const told = await answerTo(posted.ask)
  if (told) explain(`webhook ${posted.ask.body}`, () => judgeWebhook(posted, told))
}

// The server reads this much of the rest of a refused body. Past it, it closes the connection while the test
// still writes, and its answer may be lost.
const DROPPED_BYTES = 64 * 1_024

async function answerTo(ask: Ask): Promise<Told | undefined> {
  try {
    return await send(world.origin, ask, agent)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPIPE' && code !== 'ECONNRESET') throw error
    if (((ask.body as Buffer | undefined)?.length ?? 0) > DROPPED_BYTES) return undefined
    // The server closed the kept-alive connection just as the agent reused it.
    return send(world.origin, ask)
  }
}

async function wire(chance: Dice): Promise<void> {
  const bytes = wireBytes(chance, world.stack.key)
  const received = await exchange(chance, world.origin, bytes)
  explain(`bytes ${JSON.stringify(bytes.toString('latin1'))}`, () => judgeWire(bytes, received))
}

function explain(what: string, judged: () => void): void {
  try {
    judged()
  } catch (error) {
    throw new Error(`${what.slice(0, 1_500)}: ${error instanceof Error ? error.message : error}`)
  }
}

let next = 0

/** Collects several faults before it fails. */
async function batch(): Promise<void> {
  const end = next + BATCH
  const wrong: string[] = []
  const lane = async () => {
    while (next < end && wrong.length < 10) {
      const number = next++
      await one(number).catch((error) => wrong.push(`request ${number}: ${error.message}`))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  assert.equal(wrong.length, 0, `FUZZ_SEED=${seed}\n${wrong.join('\n')}`)
}

const gateway = () => world.stack.gateway(0).process
const held = () => heldAfterCollection(gateway().logFile)

const openFiles = async (): Promise<number> => {
  const { text } = await send(world.stack.gateway(0).internalOrigin, { path: '/metrics' })
  return Number(/^process_open_fds (\d+)$/m.exec(text)?.[1] ?? 0)
}

scenario(
  'whatever chance makes of requests is answered as documented, and leaves no memory behind',
  () => world.stack,
  async (t) => {
    const filesAtFirst = await openFiles()
    const silent = await halfOpen(world.origin, 100)
    t.after(() => silent.close())
    const startedAt = performance.now()
    // Warm-up: creates what is kept afterwards, such as compiled code, pools and caches. They fill more and more slowly.
    for (let left = 4; left > 0; left -= 1) await batch()
    const [warm, warmUntil] = [await held(), next]
    // Enough batches for a leak to show, even on a busy machine.
    while (next < warmUntil + 4 * BATCH || performance.now() - startedAt < seconds * 1_000) await batch()
    const allowedBytes = 2 * MIB + 300 * (next - warmUntil)
    let last: Held = warm
    const report = () => `FUZZ_SEED=${seed}, ${next - warmUntil} requests: ${JSON.stringify({ warm, last })}`
    await eventually('what the requests needed is given back', async () => {
      last = await held()
      const grown = [last.heapBytes - warm.heapBytes, last.externalBytes - warm.externalBytes]
      return grown.every((bytes) => bytes < allowedBytes)
    }).catch((cause) => assert.fail(`${cause.message}: ${report()}`))
    assert.ok(last.residentBytes - warm.residentBytes < 200 * MIB, report())
    await eventually('who says nothing is hung up on', async () => silent.left() === 0)
    // Pools have grown meanwhile, and some connections are kept for the next request.
    await eventually('no connection stays open', async () => (await openFiles()) < filesAtFirst + 40)
    t.diagnostic(report())
    t.diagnostic(`FUZZ_SEED=${seed}: ${next} requests in ${Math.round(performance.now() - startedAt)} ms`)
  },
)

scenario(
  'afterwards the gateway is the same process, is ready, sends, and has met nothing unforeseen',
  () => world.stack,
  async () => {
    const { stack, origin } = world
    const { text: metrics } = await send(stack.gateway(0).internalOrigin, { path: '/metrics' })
    const methods = new Set(metrics.match(/(?<=method=")[^"]*/g))
    // A series for every method that a caller invents would be unlimited.
    assert.deepEqual([...methods].sort(), ['DELETE', 'GET', 'PATCH', 'POST', 'PUT', 'none'])
    assert.ok(gateway().isRunning)
    for (const path of ['/healthz', '/readyz']) assert.equal((await send(origin, { path })).status, 200, path)
    const template = { name: 'hello_world', language: 'en_US' }
    const { id } = await ok(stack.api.post('/messages/chat', { to: '+15557999999', template }), 202)
    await eventually('it is delivered', async () => {
      return (await ok(stack.api.get(`/messages/chat/${id}`))).status === 'DELIVERED'
    })
    const faults = gateway()
      .lines()
      .filter(
        ({ level, event, status, code }) =>
          level === 'error' ||
          level === 'fatal' ||
          (event === 'request.served' && Number(status) >= 500 && code !== 'PROVIDER_ERROR'),
      )
    assert.deepEqual(faults.slice(0, 5), [])
    // Lines that the gateway did not log are Node's own reports of an error or a leak.
    const foreign = readFileSync(gateway().logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{') && !/^(Debugger|For help, see)/.test(line))
    assert.deepEqual(foreign, [])
  },
)
