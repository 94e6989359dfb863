// What every outbox must answer, whatever its implementation.
import assert from 'node:assert/strict'
import { failure } from '../../../src/delivery/attempt.ts'
import type { Pulled, PullWish } from '../../../src/delivery/endpoint.messages.ts'
import type { EndpointConfig, QueuedItem } from '../../../src/delivery/endpoint.ts'
import { reportOf } from '../../../src/delivery/endpoint-work.ts'
import type { RecordedAttempts } from '../../../src/delivery/recorder.ts'
import { type AttemptRecord, settleAttempt } from '../../../src/delivery/settle-attempt.ts'
import { type DeliveryId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

/** An endpoint without deliveries, and its outbox. */
export interface OutboxWorld {
  readonly endpoint: EndpointConfig
  emit(key: string): Promise<DeliveryId>
  pending(wish: PullWish): Promise<Pulled>
  dueRetry(id: DeliveryId, attemptNumber: number): Promise<QueuedItem | undefined>
  record(records: readonly AttemptRecord[]): Promise<RecordedAttempts>
  isOverdue(): Promise<boolean>
  replay(id: DeliveryId): Promise<void>
  enable(): Promise<void>
  disable(): Promise<void>
  state(id: DeliveryId): Promise<{ state: string; attemptCount: number }>
  counter(): Promise<{ enabled: boolean; consecutiveFailures: number }>
  /** Lets this much time pass. */
  pass(ms: number): Promise<void>
}

const delaysMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000]
const ok = reportOf({ type: 'delivered', statusCode: 204 })
const refused = reportOf({ type: 'refused', statusCode: 500 })
const all = { exclude: [], first: 100, retries: 100 }
const ids = ({ items }: Pulled) => items.map(({ deliveryId }) => deliveryId)

export function outboxSuite(name: string, open: (failures?: number) => Promise<OutboxWorld>): void {
  const settle = (world: OutboxWorld, item: QueuedItem, report = refused) =>
    settleAttempt(
      world.endpoint,
      { item, report, endedAt: new Date(), isCounted: true },
      { retryDelaysMs: delaysMs, random: () => 0 },
    )
  const first = async (world: OutboxWorld): Promise<QueuedItem> =>
    (await world.pending(all)).items[0] ?? assert.fail('nothing waits')

  describe(`the outbox in ${name}`, () => {
    test('a delivery that always fails is due after each delay, never before, and has failed after the sixth', async () => {
      const world = await open()
      const id = await world.emit(newId('conversation'))
      let item = await first(world)
      for (const [index, delayMs] of delaysMs.entries()) {
        const { retries } = await world.record([settle(world, item)])
        const timer = { deliveryId: id, endpointId: world.endpoint.id, attemptNumber: index + 2, delayMs }
        assert.deepEqual(retries, [timer])
        await world.pass(delayMs - 1_000)
        assert.deepEqual(ids(await world.pending(all)), [])
        assert.equal(await world.dueRetry(id, index + 2), undefined)
        await world.pass(1_000)
        assert.equal(await world.dueRetry(id, index + 1), undefined)
        item = (await world.dueRetry(id, index + 2)) ?? assert.fail('not due')
        assert.deepEqual(await first(world), item)
        assert.equal(item.attemptNumber, index + 2)
        assert.equal(await world.isOverdue(), false)
        await world.pass(6_000)
        assert.equal(await world.isOverdue(), true)
      }
      assert.deepEqual((await world.record([settle(world, item)])).retries, [])
      assert.deepEqual(await world.state(id), { state: 'FAILED', attemptCount: 6 })
      assert.deepEqual(ids(await world.pending(all)), [])
    })

    test('a first attempt is overdue after three seconds', async () => {
      const world = await open()
      await world.emit(newId('conversation'))
      assert.equal(await world.isOverdue(), false)
      await world.pass(4_000)
      assert.equal(await world.isOverdue(), true)
    })

    test('first attempts come in the order of writing, apart from retries and replays, and say that there are more', async () => {
      const world = await open()
      const written: DeliveryId[] = []
      for (let index = 0; index < 6; index += 1) written.push(await world.emit(newId('conversation')))
      const [a, b] = (await world.pending(all)).items
      await world.record([settle(world, a ?? assert.fail(), ok), settle(world, b ?? assert.fail())])
      await world.replay(written[0] ?? assert.fail())
      await world.pass(20_000)
      const page = await world.pending({ exclude: [written[2] ?? ''], first: 2, retries: 5 })
      assert.deepEqual(ids(page), [written[3], written[4], written[1], written[0]])
      assert.deepEqual(page.more, { first: true, retries: false })
      assert.equal(page.configVersion, 1)
      const one = await world.pending({ exclude: [], first: 0, retries: 1 })
      assert.deepEqual(ids(one), [written[1]])
      assert.deepEqual(one.more, { first: false, retries: true })
    })

    test('an attempt that was recorded is not recorded again, whatever the second report says', async () => {
      const world = await open(4)
      const id = await world.emit(newId('conversation'))
      const item = await first(world)
      await world.record([settle(world, item)])
      const again = await world.record([settle(world, item, ok)])
      assert.deepEqual(again, { retries: [], endpoints: [] })
      assert.deepEqual(await world.state(id), { state: 'RETRYING', attemptCount: 1 })
      assert.deepEqual(await world.counter(), { enabled: true, consecutiveFailures: 5 })
    })

    test('what does not count: a failed replay, a refused address', async () => {
      const world = await open(19)
      const [replayed, blocked] = [
        await world.emit(newId('conversation')),
        await world.emit(newId('conversation')),
      ]
      const [one, two] = (await world.pending(all)).items
      if (!one || !two) assert.fail('two wait')
      await world.record([
        settle(world, { ...one, replay: true }),
        settle(world, two, reportOf(failure('ADDRESS_FORBIDDEN'))),
      ])
      assert.deepEqual(await world.counter(), { enabled: true, consecutiveFailures: 19 })
      assert.deepEqual(await world.state(replayed), { state: 'FAILED', attemptCount: 1 })
      assert.deepEqual(await world.state(blocked), { state: 'BLOCKED', attemptCount: 1 })
    })

    test('a replay that fails leaves a delivered one delivered, and a failed one failed', async () => {
      const world = await open()
      const [id, refusedId] = [
        await world.emit(newId('conversation')),
        await world.emit(newId('conversation')),
      ]
      const [one, other] = (await world.pending(all)).items
      if (!one || !other) assert.fail('two wait')
      await world.record([settle(world, one, ok)])
      await world.record([settle(world, other, reportOf(failure('ADDRESS_FORBIDDEN')))])
      for (const [index, report] of [refused, reportOf(failure('ADDRESS_FORBIDDEN')), refused].entries()) {
        await world.replay(id)
        assert.equal((await world.state(id)).state, 'PENDING')
        await world.record([settle(world, await first(world), report)])
        assert.deepEqual(await world.state(id), { state: 'DELIVERED', attemptCount: index + 2 })
      }
      await world.replay(refusedId)
      await world.record([settle(world, await first(world))])
      assert.deepEqual(await world.state(refusedId), { state: 'FAILED', attemptCount: 2 })
    })

    test('a replay of a delivered one that was held is still remembered when it fails', async () => {
      const world = await open()
      const id = await world.emit(newId('conversation'))
      await world.record([settle(world, await first(world), ok)])
      await world.replay(id)
      await world.disable()
      assert.equal((await world.state(id)).state, 'HELD')
      await world.enable()
      await world.replay(id)
      await world.record([settle(world, await first(world))])
      assert.deepEqual(await world.state(id), { state: 'DELIVERED', attemptCount: 2 })
    })

    test('at the twentieth failure it is off: what failed is held, and what comes is held', async () => {
      const world = await open(18)
      const failing = [await world.emit(newId('conversation')), await world.emit(newId('conversation'))]
      const [one, two] = (await world.pending(all)).items
      const before = await world.record([settle(world, one ?? assert.fail())])
      assert.deepEqual(
        before.endpoints.map(({ enabled, failuresBefore, switchedOff }) => [
          enabled,
          failuresBefore,
          switchedOff,
        ]),
        [[true, 18, false]],
      )
      const recorded = await world.record([settle(world, two ?? assert.fail())])
      assert.deepEqual(recorded.retries, [])
      assert.deepEqual(
        recorded.endpoints.map(({ enabled, consecutiveFailures, switchedOff }) => [
          enabled,
          consecutiveFailures,
          switchedOff,
        ]),
        [[false, 20, true]],
      )
      assert.equal((await world.state(failing[1] ?? assert.fail())).state, 'HELD')
      assert.equal((await world.state(await world.emit(newId('conversation')))).state, 'HELD')
    })

    test('turned off and on while attempts are on the wire: a failure stays held, a success is delivered', async () => {
      const world = await open(5)
      const [held, delivered] = [
        await world.emit(newId('conversation')),
        await world.emit(newId('conversation')),
      ]
      const [one, two] = (await world.pending(all)).items
      await world.disable()
      await world.enable()
      const recorded = await world.record([
        settle(world, one ?? assert.fail()),
        settle(world, two ?? assert.fail(), ok),
      ])
      assert.deepEqual(recorded.retries, [])
      assert.deepEqual(await world.state(held), { state: 'HELD', attemptCount: 1 })
      assert.deepEqual(await world.state(delivered), { state: 'DELIVERED', attemptCount: 1 })
      assert.deepEqual(await world.counter(), { enabled: true, consecutiveFailures: 0 })
      assert.deepEqual(ids(await world.pending(all)), [])
    })
  })
}
