import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { config, Driver, item, unreachable } from './endpoint-driver.ts'

const call = { kind: 'call.ringing', body: '{"event":"call.ringing"}', headers: {} } as const
const items = (count: number) => Array.from({ length: count }, () => item())

describe('an endpoint over a socket', () => {
  test('the first event dials, and later ones use the same socket', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(2) })
    driver.open()
    driver.tell({ type: 'deliver', items: items(1) })
    assert.equal(driver.of('dial').length, 1)
    assert.equal(driver.of('frame').length, 3)
  })

  test('a failed dial is one failed attempt; the others wait for the next dial', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(3) })
    driver.tell({ type: 'dialFailed', token: driver.last('dial').token, report: unreachable })
    assert.equal(driver.records().length, 1)
    assert.equal(driver.of('dial').length, 1)
    driver.tell({ type: 'cooledDown' })
    assert.equal(driver.of('dial').length, 2)
  })

  test('a ringing call dials at once, even while the endpoint cools down', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    driver.tell({ type: 'dialFailed', token: driver.last('dial').token, report: unreachable })
    driver.tell({ type: 'direct', item: call }, 'asker')
    assert.equal(driver.of('dial').length, 2)
  })

  test('a call is written before deliveries that wait', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(3) })
    driver.tell({ type: 'direct', item: call }, 'asker')
    driver.open()
    assert.equal(driver.of('frame')[0]?.item.body, call.body)
  })

  test('a call that gets no socket in time fails', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'direct', item: call }, 'asker')
    const timer = driver.of('setTimer').find((effect) => effect.name.startsWith('direct:'))
    assert.equal(timer?.delayMs, 5_000)
    const effects = driver.tell(timer?.message ?? { type: 'wake' })
    const [reply] = driver.of('reply', effects) as unknown as { value: { code: string } }[]
    assert.equal(reply?.value.code, 'TIMEOUT')
  })

  test('an accepted frame is recorded as delivered once the receiver had its time to refuse the signature', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.writeAll()
    assert.equal(driver.records().length, 0)
    driver.nowMs = 2_000
    driver.tell({ type: 'settleDue', token })
    assert.deepEqual(
      driver.records().map((record) => record.verdict.type),
      ['delivered'],
    )
  })

  test('a close with 1008 soon after the upgrade makes failures of the frames sent', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(2) })
    const token = driver.open()
    driver.writeAll()
    driver.nowMs = 300
    driver.tell({ type: 'socketClosed', token, code: 1008 })
    const outcomes = driver.records().map((record) => record.report.outcome)
    assert.equal(outcomes.length, 2)
    for (const outcome of outcomes)
      assert.deepEqual(outcome, { type: 'unreachable', code: 'SOCKET_REJECTED_SIGNATURE' })
  })

  test('a close for another reason fails what was not written and keeps what was', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(2) })
    const token = driver.open()
    const [first] = driver.of('frame')
    driver.tell({ type: 'frameDone', token, frame: first?.frame ?? 0, written: true })
    driver.nowMs = 300
    driver.tell({ type: 'socketClosed', token, code: 1006 })
    assert.deepEqual(
      driver.records().map((record) => record.verdict.type),
      ['delivered', 'retry'],
    )
  })

  test('no more than 256 KiB go unconfirmed, and a pong opens the way again', () => {
    const driver = new Driver(config())
    const body = 'x'.repeat(20_000)
    driver.tell({ type: 'deliver', items: Array.from({ length: 30 }, () => item({ body })) })
    const token = driver.open()
    const before = driver.of('frame').length
    assert.ok(before * body.length <= 256 * 1024 + body.length)
    assert.ok(before < 30)
    driver.tell({ type: 'pong', token, ping: driver.last('ping').ping })
    assert.ok(driver.of('frame').length > before)
  })

  test('a receiver that answers no ping is cut off', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.tell({ type: 'pingDue', token })
    driver.tell({ type: 'pongLate', token })
    assert.deepEqual(driver.last('cutSocket'), { type: 'cutSocket', token })
  })

  test('without events the socket is closed with 1000 after the idle time, not before', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.nowMs = 100_000
    driver.tell({ type: 'deliver', items: items(1) })
    driver.nowMs = 180_000
    driver.tell({ type: 'idleDue', token })
    assert.equal(driver.of('closeSocket').length, 0)
    driver.nowMs = 280_000
    driver.tell({ type: 'idleDue', token })
    assert.deepEqual(driver.last('closeSocket'), { type: 'closeSocket', token, code: 1000, reason: 'idle' })
  })

  test('a rotated secret drops the socket, a new name does not', () => {
    const endpoint = config()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'deliver', items: items(1) })
    driver.open()
    driver.tell({ type: 'reloaded', config: { ...endpoint, configVersion: 2 } })
    assert.equal(driver.of('closeSocket').length, 0)
    driver.tell({ type: 'reloaded', config: { ...endpoint, configVersion: 3, secret: 'whsec_BBBB' } })
    assert.equal(driver.of('closeSocket').length, 1)
  })

  test('a deleted endpoint is told nothing more', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    driver.open()
    driver.tell({ type: 'reloaded', config: null })
    const frames = driver.of('frame').length
    driver.tell({ type: 'deliver', items: items(1) })
    assert.equal(driver.of('frame').length, frames)
    assert.equal(driver.of('closeSocket').length, 1)
  })

  test('while failures run in a row one frame at a time is written', () => {
    const driver = new Driver(config({ consecutiveFailures: 3 }))
    driver.tell({ type: 'deliver', items: items(5) })
    driver.open()
    assert.equal(driver.of('frame').length, 1)
  })
})
