import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { Driver, failed, https, item, ok } from './endpoint-driver.ts'

const items = (count: number) => Array.from({ length: count }, () => item())

describe('an endpoint over HTTPS', () => {
  test('events of one key are attempted one after the other, those of others beside them', () => {
    const driver = new Driver(https())
    const key = item().key
    const [first, second] = [item({ key }), item({ key })]
    const other = item()
    driver.tell({ type: 'deliver', items: [first, second, other] })
    assert.deepEqual(
      driver.of('post').map((effect) => effect.item),
      [first, other],
    )
    driver.tell({ type: 'posted', token: driver.of('post')[0]?.token ?? 0, report: failed })
    driver.answerAll(ok)
    driver.answerAll(ok)
    assert.deepEqual(driver.last('post').item, second)
  })

  test('a delivery that is told again while it is under way is attempted once', () => {
    const driver = new Driver(https())
    const one = item()
    driver.tell({ type: 'deliver', items: [one] })
    driver.tell({ type: 'deliver', items: [one] })
    driver.answerAll(ok)
    driver.tell({ type: 'deliver', items: [one] })
    assert.equal(driver.of('post').length, 1)
    driver.tell({ type: 'recorded', deliveryIds: [one.deliveryId], enabled: true })
    driver.tell({ type: 'deliver', items: [one] })
    // The store has it no more.
    driver.pulled([])
    assert.equal(driver.of('post').length, 1)
  })

  test('the number under way grows while it answers fast and falls to one while it fails', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(200) })
    const before = driver.state.posts.size
    for (let round = 0; round < 5; round += 1) driver.answerAll(ok)
    const grown = driver.state.posts.size
    assert.ok(grown > before)
    for (let left = grown; left > 1; left -= 1) {
      const [token = 0] = driver.state.posts.keys()
      driver.tell({ type: 'posted', token, report: failed })
    }
    assert.equal(driver.state.posts.size, 1)
  })

  test('twenty failures in a row are never exceeded, however many events wait', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(500) })
    for (let round = 0; round < 60; round += 1) driver.failAll()
    assert.equal(driver.of('post').length, 20)
    assert.equal(driver.records().filter((record) => record.counts === 'failure').length, 20)
  })

  test('of what is under way when the receiver breaks down sixteen are counted, and no attempt follows the twentieth', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(1_000) })
    for (let round = 0; round < 100 && driver.state.concurrency.cap < 30; round += 1) {
      driver.answerAll(ok)
      driver.tell({ type: 'deliver', items: items(100) })
    }
    driver.tell({ type: 'deliver', items: items(10).map((one) => ({ ...one, attemptNumber: 2 })) })
    const underWay = driver.state.posts.size
    assert.ok(underWay >= 40, `${underWay}`)
    const before = driver.of('post').length
    driver.failAll()
    const failed = () => driver.records().filter(({ counts }) => counts === 'failure').length
    assert.equal(failed(), 16)
    const rest = driver.records().filter(({ counts }) => counts === 'nothing')
    assert.deepEqual(
      [rest.length, new Set(rest.map(({ verdict }) => verdict.type))],
      [underWay - 16, new Set(['retry'])],
    )
    for (let round = 0; round < 10; round += 1) driver.failAll()
    assert.deepEqual([failed(), driver.of('post').length - before, driver.state.posts.size], [20, 4, 0])
  })

  test('failures that the store had counted before begin no streak of their own', () => {
    const endpoint = https()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'deliver', items: items(1_000) })
    for (let round = 0; round < 100 && driver.state.concurrency.cap < 24; round += 1) {
      driver.answerAll(ok)
      driver.tell({ type: 'deliver', items: items(100) })
    }
    driver.reloaded({ ...endpoint, configVersion: 2, consecutiveFailures: 3 })
    driver.failAll()
    assert.equal(driver.state.concurrency.failures, 16)
  })

  test('pauses longer and longer in a streak of failures, in which calls go out', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(100) })
    const pauses: [number, number][] = []
    while (driver.state.concurrency.failures < 19) {
      driver.answerAll(failed)
      if (!driver.state.isResting) continue
      pauses.push([driver.state.concurrency.failures, driver.last('setTimer').delayMs])
      assert.equal(driver.of('post', driver.tell({ type: 'deliver', items: [item()] })).length, 0)
      const call = { kind: 'call.ringing', body: '{}', headers: {} } as const
      assert.equal(driver.of('post', driver.tell({ type: 'direct', item: call }, 'asker')).length, 1)
      driver.answerAll(ok)
      driver.tell({ type: 'rested' })
    }
    assert.deepEqual(pauses, [
      [9, 15],
      [10, 31],
      [11, 62],
      [12, 125],
      [13, 250],
      [14, 500],
      [15, 1_000],
      [16, 2_000],
      [17, 2_000],
      [18, 2_000],
      [19, 2_000],
    ])
  })

  test('a success ends the pauses', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(100) })
    while (driver.state.concurrency.failures < 16) driver.failAll()
    driver.answerAll(ok)
    driver.answerAll(failed)
    assert.equal(driver.state.isResting, false)
    assert.ok(driver.state.posts.size > 0)
  })

  test('retries do not take the places of first attempts', () => {
    const driver = new Driver(https())
    const retries = Array.from({ length: 50 }, () => item({ attemptNumber: 2 }))
    driver.tell({ type: 'deliver', items: retries })
    const started = driver.of('post').length
    driver.tell({ type: 'deliver', items: items(3) })
    const fresh = driver.of('post').slice(started)
    assert.ok(started <= 2)
    assert.equal(fresh.length, 3)
  })

  test('a call passes a full queue and is not counted among the failures', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(100) })
    driver.answerAll(failed)
    const call = { kind: 'call.ringing', body: '{}', headers: {} } as const
    const effects = driver.tell({ type: 'direct', item: call }, 'asker')
    assert.equal(driver.of('post', effects).length, 1)
    const token = driver.of('post', effects)[0]?.token ?? 0
    const failures = driver.state.concurrency.failures
    const [reply] = driver.of('reply', driver.tell({ type: 'posted', token, report: failed }))
    assert.deepEqual(reply?.value, { type: 'failed', code: 'HTTP_500', message: 'the endpoint answered 500' })
    assert.equal(driver.state.concurrency.failures, failures)
  })

  test('switched off by a committed result it starts nothing more', () => {
    const endpoint = https()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'deliver', items: items(50) })
    const started = driver.of('post').length
    driver.tell({ type: 'recorded', deliveryIds: [], enabled: false })
    driver.answerAll(ok)
    assert.equal(driver.of('post').length, started)
    driver.reloaded({ ...endpoint, enabled: false, configVersion: 2 })
    driver.tell({ type: 'deliver', items: items(5) })
    assert.equal(driver.of('post').length, started)
    const [reply] = driver.of(
      'reply',
      driver.tell({ type: 'direct', item: { kind: 'call.ringing', body: '{}', headers: {} } }, 'asker'),
    )
    assert.equal((reply as { value: { code: string } }).value.code, 'ENDPOINT_OFF')
  })

  test('a result that was written before it was turned on again does not switch it off', () => {
    const endpoint = https({ configVersion: 6 })
    const driver = new Driver(endpoint)
    driver.tell({ type: 'recorded', deliveryIds: [], enabled: false })
    driver.tell({ type: 'deliver', items: items(2) })
    assert.equal(driver.of('post').length, 0, 'nothing begins before it is known')
    driver.reloaded(endpoint)
    assert.equal(driver.of('post').length, 2)
  })

  test('leaving, it finishes what is under way and then passivates', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(30) })
    driver.tell({ type: 'leave' })
    assert.equal(driver.of('passivate').length, 0)
    driver.answerAll(ok)
    const ids = driver.records().map((record) => record.item.deliveryId)
    driver.tell({ type: 'recorded', deliveryIds: ids, enabled: true })
    assert.equal(driver.of('passivate').length, 1)
    assert.equal(driver.of('post').length, ids.length)
  })
})
