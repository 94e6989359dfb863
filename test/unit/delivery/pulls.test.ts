import assert from 'node:assert/strict'
import { failure } from '../../../src/delivery/attempt.ts'
import type { QueuedItem } from '../../../src/delivery/endpoint.ts'
import { reportOf } from '../../../src/delivery/endpoint-work.ts'
import { type DeliveryId, idFloor } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { config, Driver, failed, https, item, ok } from './endpoint-driver.ts'

const items = (count: number) => Array.from({ length: count }, () => item())

/** The id of a delivery that was written at this time. */
const idAt = (atMs: number) => `${idFloor(atMs).slice(0, -12)}000000000001` as DeliveryId

/** It uses up no attempt. */
const ourFault = reportOf(failure('DNS_UNAVAILABLE'))

describe('what an endpoint reads from the store', () => {
  test('a full queue leaves further deliveries in the store and pulls them when it runs low', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(1_500) })
    assert.equal(driver.state.inStore.first, true)
    for (let round = 0; round < 200 && driver.of('pull').length === 0; round += 1) driver.answerAll(ok)
    assert.equal(driver.of('pull').length, 1)
    const late = item()
    driver.tell({ type: 'deliver', items: [late] })
    assert.equal(driver.state.known.has(late.deliveryId), false)
    driver.pulled([late])
    assert.equal(driver.state.known.has(late.deliveryId), true)
  })

  test('a row that was read before its result was written is not sent again', () => {
    const driver = new Driver(https())
    const due = item({ attemptNumber: 2 })
    driver.tell({ type: 'wake' })
    const reading = driver.last('pull').token
    driver.tell({ type: 'deliver', items: [due] })
    driver.answerAll(ok)
    driver.tell({ type: 'recorded', deliveryIds: [due.deliveryId], enabled: true })
    driver.tell({ type: 'pulled', token: reading, items: [due], more: { first: false, retries: false } })
    assert.equal(driver.of('post').length, 1)
    assert.ok(driver.last('pull').token > reading, 'the row is read again')
  })

  test('an event that was long on its way is sent only if the store still has it to send', () => {
    const driver = new Driver(https())
    const late = item({ deliveryId: idAt(driver.at().getTime() - 3_000) })
    driver.tell({ type: 'deliver', items: [late] })
    assert.equal(driver.of('post').length, 0)
    driver.pulled([])
    assert.equal(driver.of('post').length, 0)
    driver.tell({ type: 'deliver', items: [late] })
    driver.pulled([late])
    assert.equal(driver.of('post').length, 1)
  })

  test('a wake during a pull is not lost: the store is asked once more', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'wake' })
    driver.tell({ type: 'wake' })
    assert.equal(driver.of('pull').length, 1)
    driver.pulled([])
    assert.equal(driver.of('pull').length, 2)
    driver.pulled([])
    assert.equal(driver.of('pull').length, 2)
  })

  test('turned off and on during a pull it asks the store again', () => {
    const endpoint = https()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'wake' })
    driver.reloaded({ ...endpoint, enabled: false, configVersion: 2 })
    driver.reloaded({ ...endpoint, configVersion: 3 })
    driver.pulled([])
    assert.equal(driver.of('pull').length, 2)
  })

  test('turned off and on before the owner reads either, it sends nothing that waits, and asks the store', () => {
    for (const endpoint of [https(), config()]) {
      const driver = new Driver(endpoint)
      const busy = item()
      driver.tell({ type: 'deliver', items: [busy, item({ key: busy.key })] })
      driver.tell({ type: 'configChanged' })
      driver.reloaded({ ...endpoint, configVersion: 3, turnedOnVersion: 3 })
      driver.answerAll(ok)
      assert.deepEqual(
        [driver.of('post').length + driver.of('frame').length, driver.of('pull').length],
        [endpoint.transport === 'https' ? 1 : 0, 1],
      )
      assert.equal(driver.state.socket.phase, 'idle')
      assert.equal(driver.state.first.size, 0)
    }
  })

  test('turned on after it was loaded it sends nothing of what it found then, and asks the store', () => {
    const endpoint = https()
    const off = { ...endpoint, enabled: false }
    const driver = new Driver(off, {
      items: [item(), item({ attemptNumber: 2 })],
      more: { first: false, retries: false },
    })
    assert.equal(driver.state.known.size, 0)
    assert.notEqual(driver.actor.idleAfterMs(driver.state), undefined)
    driver.reloaded({ ...endpoint, configVersion: 2 })
    assert.deepEqual([driver.of('post').length, driver.of('pull').length], [0, 1])
  })

  test('changed while an attempt is held back, the attempt waits for the new configuration; a call does not', () => {
    const endpoint = https()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'deliver', items: [item()] })
    const direct = {
      kind: 'call.ringing',
      body: '{}',
      headers: {},
      askedAtMs: driver.at().getTime(),
    } as const
    driver.tell({ type: 'direct', item: direct }, 'reply-1')
    const [queued, call] = driver.of('post')
    driver.tell({ type: 'configChanged' })
    const insteadOf = (effect: typeof queued) => effect && driver.actor.insteadOf?.(effect, driver.state)
    assert.equal(insteadOf(queued)?.type, 'posted')
    assert.equal(insteadOf(call), undefined)
    driver.reloaded(endpoint)
    assert.equal(insteadOf(queued), undefined)
    driver.reloaded({ ...endpoint, configVersion: 2, secret: 'whsec_BBBB' })
    driver.tell(insteadOf(call) ?? assert.fail())
    assert.deepEqual(
      [driver.last('post').item, driver.last('post').config.secret, driver.of('reply').length],
      [direct, 'whsec_BBBB', 0],
    )
    const again = driver.last('post')
    driver.reloaded({ ...endpoint, configVersion: 3, enabled: false })
    driver.tell(insteadOf(again) ?? assert.fail())
    const { value } = driver.last('reply')
    assert.deepEqual(value, {
      type: 'failed',
      code: 'ENDPOINT_OFF',
      message: 'the endpoint is switched off',
    })
  })

  test('a dial that is held back is not overtaken by its haste', () => {
    const { actor } = new Driver(https())
    assert.ok(actor.isGuarded({ type: 'hurryDial', token: 1 }))
  })

  test('what arrives during a pull follows what the pull brings, and waits for no further one', () => {
    const driver = new Driver(https())
    const { key } = item()
    const [older, newer] = [item({ key }), item({ key })]
    driver.tell({ type: 'wake' })
    driver.tell({ type: 'deliver', items: [newer, older] })
    assert.equal(driver.of('post').length, 0)
    driver.pulled([older])
    driver.answerAll(ok)
    driver.answerAll(ok)
    assert.deepEqual(
      driver.records().map((record) => record.item.deliveryId),
      [older.deliveryId, newer.deliveryId],
    )
    assert.equal(driver.of('pull').length, 1)
  })

  test('what arrives during a pull stays in the store while that holds older ones', () => {
    const driver = new Driver(https())
    const late = item()
    driver.tell({ type: 'wake' })
    driver.tell({ type: 'deliver', items: [late] })
    driver.pulled(items(3), { first: true })
    assert.equal(driver.state.known.has(late.deliveryId), false)
    assert.equal(driver.of('pull').length, 2)
  })

  test('told to read anew it forgets what waits, also what was under way and had no attempt', () => {
    const driver = new Driver(https())
    const { key } = item()
    const [first, second, other] = [item({ key }), item({ key }), item()]
    driver.tell({ type: 'deliver', items: [first, second] })
    driver.tell({ type: 'wake', isAnew: true })
    // Of the second the row is gone; what comes after it is read while the first is still under way.
    driver.pulled([other])
    driver.answerAll(ourFault)
    driver.tell({ type: 'rested' })
    assert.deepEqual(driver.last('pull').exclude, [])
    driver.pulled([])
    const posted = driver.of('post').map((post) => (post.item as QueuedItem).deliveryId)
    assert.deepEqual(posted, [first.deliveryId, other.deliveryId])
    assert.equal(driver.state.known.size, 0)
  })

  test('told to read anew it sends what the store still has, in its order', () => {
    const driver = new Driver(https())
    const { key } = item()
    const [first, second] = [item({ key }), item({ key })]
    driver.tell({ type: 'deliver', items: [first] })
    driver.tell({ type: 'wake', isAnew: true })
    driver.pulled([second])
    driver.answerAll(ourFault)
    driver.pulled([first, second])
    driver.tell({ type: 'rested' })
    driver.answerAll(ok)
    driver.answerAll(ok)
    assert.deepEqual(
      driver.records().map((record) => record.item.deliveryId),
      [first.deliveryId, second.deliveryId],
    )
  })

  test('a retry that was handed over twice, and the second time when its attempt is over, is sent once', () => {
    const driver = new Driver(https())
    const due = () => ({ dueAtMs: driver.at().getTime() })
    const retry = item({ attemptNumber: 2, ...due() })
    driver.tell({ type: 'deliver', items: [retry] })
    driver.answerAll(failed)
    driver.tell({ type: 'recorded', deliveryIds: [retry.deliveryId], enabled: true })
    driver.tell({ type: 'deliver', items: [retry] })
    assert.deepEqual([driver.of('post').length, driver.of('pull').length], [1, 1], 'the store is asked')
    driver.pulled([])
    driver.nowMs += 1_000
    driver.tell({ type: 'deliver', items: [{ ...retry, attemptNumber: 3, ...due() }] })
    assert.equal(driver.of('post').length, 2)
  })

  test('an event that a pull brought, and that is handed over during it or after it, is sent once', () => {
    const driver = new Driver(https())
    const { key, eventId: after } = item()
    const [during, late] = [item({ key, after }), item()]
    driver.tell({ type: 'wake' })
    driver.tell({ type: 'deliver', items: [during] })
    driver.pulled([during, late])
    assert.equal(driver.of('pull').length, 1)
    driver.answerAll(ok)
    driver.tell({ type: 'recorded', deliveryIds: [during.deliveryId, late.deliveryId], enabled: true })
    driver.tell({ type: 'deliver', items: [late] })
    assert.deepEqual([driver.of('post').length, driver.of('pull').length], [2, 2])
    driver.pulled([])
    assert.equal(driver.of('post').length, 2)
  })

  test('a frame that comes back from a lost socket is read anew, where its row may be gone', () => {
    const endpoint = config()
    const driver = new Driver(endpoint)
    const [gone, kept] = [item(), item()]
    driver.tell({ type: 'deliver', items: [gone, kept] })
    driver.open()
    driver.writeAll()
    driver.tell({ type: 'wake', isAnew: true })
    driver.pulled([])
    driver.reloaded({ ...endpoint, configVersion: 2, secret: 'whsec_BBBB' })
    driver.pulled([kept])
    driver.effects = driver.effects.filter(({ type }) => type !== 'frame')
    driver.open()
    assert.deepEqual(
      driver.of('frame').map(({ item: one }) => one),
      [kept],
    )
  })
})
