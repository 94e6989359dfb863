import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { config, Driver, item, unreachable } from './endpoint-driver.ts'

const ringing = config({ staysOpen: true })
const call = { kind: 'call.ringing', body: '{"event":"call.ringing"}', headers: {} } as const

const fails = (driver: Driver) =>
  driver.tell({ type: 'dialFailed', token: driver.last('dial').token, report: unreachable })

describe('a socket at which calls ring', () => {
  test('is dialled before there is anything to send, and a call uses it', () => {
    const driver = new Driver(ringing)
    driver.tell({ type: 'stayReady' })
    assert.deepEqual(
      driver.of('dial').map(({ isUrgent }) => isUrgent),
      [false],
    )
    driver.open()
    driver.tell({ type: 'direct', item: call }, 'asker')
    assert.equal(driver.of('dial').length, 1)
    assert.equal(driver.of('frame').length, 1)
  })

  test('stays open while nothing is sent, and its owner stays', () => {
    const driver = new Driver(ringing)
    driver.tell({ type: 'stayReady' })
    const token = driver.open()
    driver.nowMs = 600_000
    driver.tell({ type: 'idleDue', token })
    assert.equal(driver.of('closeSocket').length, 0)
    assert.equal(driver.last('setTimer').delayMs, 20_000)
    assert.equal(driver.actor.idleAfterMs(driver.state), undefined)
  })

  test('is closed when it is idle and no calls ring there any more', () => {
    const driver = new Driver(ringing)
    driver.tell({ type: 'stayReady' })
    const token = driver.open()
    driver.nowMs = 600_000
    driver.reloaded({ ...ringing, staysOpen: false, configVersion: 2 })
    driver.tell({ type: 'idleDue', token })
    assert.equal(driver.of('closeSocket').length, 1)
    assert.equal(driver.of('dial').length, 1)
  })

  test('another endpoint is dialled only for something to send', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'stayReady' })
    assert.equal(driver.of('dial').length, 0)
    const off = new Driver(config({ staysOpen: true, enabled: false }))
    off.tell({ type: 'stayReady' })
    assert.equal(off.of('dial').length, 0)
  })

  test('a receiver that is away is dialled ever later, no failure is counted, and a call dials at once', () => {
    const driver = new Driver(ringing)
    const pauses: number[] = []
    driver.tell({ type: 'stayReady' })
    for (let tries = 0; tries < 8; tries += 1) {
      fails(driver)
      const pause = driver
        .of('setTimer')
        .filter(({ name }) => name === 'ahead')
        .at(-1)
      pauses.push(pause?.delayMs ?? 0)
      driver.tell({ type: 'cooledDown' })
      driver.tell({ type: 'stayReady' })
      assert.equal(driver.of('dial').length, tries + 1, 'a hint does not shorten the pause')
      driver.tell({ type: 'dialAhead' })
    }
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    assert.equal(driver.records().length, 0)
    assert.equal(driver.state.concurrency.failures, 0)
    fails(driver)
    driver.tell({ type: 'direct', item: call }, 'asker')
    assert.equal(driver.last('dial').isUrgent, true)
  })

  test('a receiver that refuses deliveries is dialled every second, and every two before it is switched off', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: Array.from({ length: 30 }, () => item()) })
    const pauses: number[] = []
    while (driver.state.concurrency.failures < 19) {
      fails(driver)
      pauses.push(driver.last('setTimer').delayMs)
      driver.tell({ type: 'cooledDown' })
    }
    assert.deepEqual(pauses, [...Array(15).fill(1_000), 2_000, 2_000, 2_000, 2_000])
  })

  test('a receiver that closes what nothing was sent on is not dialled in a loop; one that got an event is', () => {
    const driver = new Driver(ringing)
    driver.tell({ type: 'stayReady' })
    driver.nowMs = 60_000
    driver.tell({ type: 'socketClosed', token: driver.open(), code: 1000 })
    driver.tell({ type: 'cooledDown' })
    assert.equal(driver.of('dial').length, 1)
    driver.tell({ type: 'dialAhead' })
    const token = driver.open()
    driver.tell({ type: 'deliver', items: [item()] })
    driver.readAll()
    driver.nowMs = 120_000
    driver.tell({ type: 'socketClosed', token, code: 1000 })
    assert.equal(driver.of('dial').length, 3)
  })

  test('a delivery that comes while it is dialled ahead is written when it is open', () => {
    const driver = new Driver(ringing)
    driver.tell({ type: 'stayReady' })
    driver.tell({ type: 'deliver', items: [item()] })
    assert.equal(driver.of('dial').length, 1)
    driver.open()
    assert.equal(driver.of('frame').length, 1)
  })
})
