// Texts without a pause, and a gateway that is killed again and again: what was answered 200 arrives at both receivers.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Json, ok } from './clients.ts'
import { calm, timing } from './crashes.ts'
import type { Inbox } from './inbox.ts'
import { openScene, type Scene } from './scene.ts'

const RATE = 100
const SECONDS = 8
const KILLS = 3

/** Texts at a steady rate, which the simulator repeats until it is answered; gives how many there were. */
async function load({ stack }: Scene): Promise<number> {
  const { sent } = await ok(
    stack.sim.post('/load', {
      kind: 'texts',
      to: stack.numbers[0].phoneNumberId,
      from: '15557000600',
      handsets: 50,
      rate: RATE,
      seconds: SECONDS,
    }),
  )
  return sent
}

async function killAgainAndAgain({ stack }: Scene): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    // At another instant of the work each time.
    await sleep(1_000 + randomInt(1_000))
    await stack.gateway(0).process.kill()
    await stack.restartGateway(0)
  }
}

/** How often each message came, by its id. */
function timesOf(inbox: Inbox): Map<string, number> {
  const times = new Map<string, number>()
  for (const { body } of inbox.received)
    if (body.event === 'message.received')
      times.set(body.data.messageId, (times.get(body.data.messageId) ?? 0) + 1)
  return times
}

test('what was answered 200 arrives at both receivers, however often the gateway is killed', async (t) => {
  const scene = await openScene({ env: timing })
  try {
    const [sent] = await Promise.all([load(scene), killAgainAndAgain(scene)])
    await calm(scene)
    const { data: webhooks } = await ok(scene.stack.sim.get('/webhooks?limit=10000'))
    assert.equal(webhooks.length, sent)
    for (const { outcome } of webhooks as Json[]) assert.equal(outcome, 'delivered')
    const repeats = webhooks.filter(({ attemptCount }: Json) => attemptCount > 1).length
    for (const [name, inbox] of [
      ['https', scene.https.inbox],
      ['socket', scene.socket.inbox],
    ] as const) {
      const times = timesOf(inbox)
      assert.equal(times.size, sent, name)
      const copies = inbox.received.length - times.size
      t.diagnostic(`${name}: ${sent} texts, ${copies} copies; ${repeats} webhooks were repeated`)
    }
    const stored = await scene.stack.sql`select state, count(*)::int from deliveries group by state`
    assert.deepEqual(
      stored.map(({ state, count }) => [state, count]),
      [['DELIVERED', sent * 2]],
    )
    assert.equal(scene.https.forged, 0)
  } catch (error) {
    for (const line of scene.stack.logs().split('\n')) t.diagnostic(line)
    throw error
  } finally {
    await scene.close()
  }
})
