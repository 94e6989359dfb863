// What every ownership directory must answer, whatever its implementation.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ownership } from '../../../src/platform/actors/ownership.ts'
import { after, before, describe, test } from '../../support/harness.ts'

/** A directory under test. Each name is a node; its session starts when it first joins. */
export interface OwnershipWorld {
  join(name: string): Promise<Ownership>
  /** The node's session runs out, as if its process had stopped. */
  expire(name: string): Promise<void>
  declareDead(name: string): Promise<void>
  epochOf(id: string): Promise<number | undefined>
  close(): Promise<void>
}

export function ownershipSuite(name: string, open: () => Promise<OwnershipWorld>): void {
  describe(`ownership in ${name}`, () => {
    let world: OwnershipWorld
    let a: Ownership
    let b: Ownership
    before(async () => {
      world = await open()
      a = await world.join('a')
      b = await world.join('b')
    })
    after(() => world.close())

    test('an unowned actor goes to the first who claims it, again and again', async () => {
      assert.deepEqual(await a.claim('call', 'first'), { type: 'mine' })
      assert.deepEqual(await a.claim('call', 'first'), { type: 'mine' })
    })

    test('of claims at the same moment exactly one wins, and the others learn who', async () => {
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? a : b).claim('call', 'raced')),
      )
      const [winner, loser] = claims[0]?.type === 'mine' ? [a, b] : [b, a]
      assert.equal(claims.filter(({ type }) => type === 'mine').length, 10)
      const theirs = await loser.claim('call', 'raced')
      assert.equal(theirs.type === 'theirs' && theirs.owner.sid, winner.sid)
    })

    test('the owner is named with the address where it is reached', async () => {
      await a.claim('endpoint', 'named')
      const claim = await b.claim('endpoint', 'named')
      assert.deepEqual(claim, {
        type: 'theirs',
        owner: { nodeId: 'node-a', sid: 'sid-a', address: 'http://a' },
      })
    })

    test('a call and an endpoint of the same id are two actors', async () => {
      await a.claim('call', 'same')
      assert.deepEqual(await b.claim('endpoint', 'same'), { type: 'mine' })
    })

    test('what is given back is free; what another owns cannot be given back', async () => {
      await a.claim('call', 'returned')
      await b.release('call', ['returned'])
      assert.equal((await b.claim('call', 'returned')).type, 'theirs')
      await a.release('call', ['returned', 'never-claimed'])
      assert.deepEqual(await b.claim('call', 'returned'), { type: 'mine' })
    })

    test('only the owner records an epoch, and it never falls', async () => {
      await a.claim('call', 'counted')
      assert.equal(await world.epochOf('counted'), 0)
      a.recordEpoch('call', 'counted', 7)
      a.recordEpoch('call', 'counted', 5)
      b.recordEpoch('call', 'counted', 9)
      // recordEpoch() is not awaited, so the epoch may arrive late. That 9 never arrives needs more waiting.
      const deadline = performance.now() + 5_000
      while ((await world.epochOf('counted')) === 0 && performance.now() < deadline) await sleep(20)
      await sleep(100)
      assert.equal(await world.epochOf('counted'), 7)
    })

    test('the actors of a session that ran out can be taken, without a word about its death', async () => {
      const gone = await world.join('gone')
      await gone.claim('call', 'orphan')
      assert.equal((await a.claim('call', 'orphan')).type, 'theirs')
      await world.expire('gone')
      assert.deepEqual(await a.claim('call', 'orphan'), { type: 'mine' })
    })

    test('a takeover from a session that is known to be dead names it, once', async () => {
      const dead = await world.join('dead')
      await dead.claim('call', 'buried')
      await world.declareDead('dead')
      assert.deepEqual(await a.claim('call', 'buried'), { type: 'mine', deadSid: 'sid-dead' })
      assert.deepEqual(await a.claim('call', 'buried'), { type: 'mine' })
    })

    test('a session that ran out cannot claim, and can once it is back', async () => {
      const lost = await world.join('lost')
      await world.expire('lost')
      assert.deepEqual(await lost.claim('call', 'denied'), { type: 'unavailable' })
      await world.join('lost')
      assert.deepEqual(await lost.claim('call', 'denied'), { type: 'mine' })
    })

    test('a session that comes back after it was declared dead is not named as dead any more', async () => {
      const back = await world.join('back')
      await back.claim('call', 'revived')
      await world.declareDead('back')
      await world.join('back')
      assert.equal((await a.claim('call', 'revived')).type, 'theirs')
      await world.expire('back')
      assert.deepEqual(await a.claim('call', 'revived'), { type: 'mine' })
    })
  })
}
