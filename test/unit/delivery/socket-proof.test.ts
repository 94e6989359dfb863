import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { config, Driver, item } from './endpoint-driver.ts'

const call = { kind: 'call.ringing', body: '{"event":"call.ringing"}', headers: {} } as const
const items = (count: number) => Array.from({ length: count }, () => item())

describe('the proof that a receiver has read a frame', () => {
  test('a frame that the socket took is not delivered before the pong that answers a ping sent after it', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.tell({ type: 'pingDue', token })
    // A lapsed guard holds the frame and its ping back, but not this one.
    const early = driver.last('ping').ping
    driver.writeAll()
    driver.nowMs = 2_000
    driver.tell({ type: 'settleDue', token })
    driver.tell({ type: 'pong', token, ping: early })
    assert.equal(driver.records().length, 0)
    driver.tell({ type: 'pong', token, ping: driver.last('frame').ping ?? 0 })
    assert.deepEqual(
      driver.records().map(({ verdict }) => verdict.type),
      ['delivered'],
    )
  })

  test('quiet sockets are pinged at common instants, whenever they were opened, no later than the interval', () => {
    const instants = [0, 7, 31, 49].map((openedAt) => {
      const driver = new Driver(config())
      driver.nowMs = openedAt
      driver.tell({ type: 'deliver', items: items(1) })
      const token = driver.open()
      driver.readAll()
      driver.tell({ type: 'settleDue', token })
      return [20_000, 40_000].map((planned) => {
        driver.tell({ type: 'pingDue', token })
        const { delayMs } = driver.of('setTimer').findLast(({ name }) => name === 'ping') ?? { delayMs: 0 }
        assert.ok(delayMs > 19_900 && delayMs <= 20_000, `${delayMs} ms`)
        const due = driver.nowMs + delayMs
        // Timers are late by some milliseconds.
        driver.nowMs = planned + 3
        return due
      })
    })
    for (const due of instants) assert.deepEqual(due, [20_000, 40_000])
  })

  test('one ping goes with the last frame of a turn, and its pong proves them all', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.readAll()
    driver.tell({ type: 'settleDue', token })
    driver.effects = []
    driver.tell({ type: 'deliver', items: items(3) })
    driver.writeAll()
    const pings = driver.of('frame').map(({ ping }) => ping)
    assert.deepEqual(pings.slice(0, 2), [undefined, undefined])
    assert.equal(driver.of('ping').length, 0)
    driver.tell({ type: 'deliver', items: items(1) })
    assert.equal(driver.last('frame').ping, undefined, 'it shares the next ping')
    driver.tell({ type: 'pong', token, ping: pings[2] ?? 0 })
    assert.equal(driver.records().length, 3)
  })

  test('what is written with a call is proved with it, by one pong', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.readAll()
    driver.tell({ type: 'settleDue', token })
    const before = driver.records().length
    driver.tell({ type: 'direct', item: call })
    driver.tell({ type: 'deliver', items: items(1) })
    const { ping } = driver.last('frame')
    assert.notEqual(ping, undefined)
    driver.tell({ type: 'deliver', items: items(1) })
    assert.equal(driver.last('frame').ping, undefined, 'one is enough')
    driver.writeAll()
    driver.tell({ type: 'pong', token, ping: ping ?? 0 })
    assert.equal(driver.records().length, before + 1)
    const { socket } = driver.state
    assert.ok(
      socket.phase === 'open' && socket.pings.length === 1,
      'the last frame waits for a ping of its own',
    )
  })

  test('a pong that overtakes the report of the write proves the frame, once', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(2) })
    const token = driver.open()
    driver.tell({ type: 'settleDue', token })
    for (const { ping } of driver.pings()) driver.tell({ type: 'pong', token, ping })
    assert.equal(driver.records().length, 1, 'only the first frame carries a ping')
    driver.readAll()
    assert.equal(driver.records().length, 2)
    const open = driver.state.socket
    assert(open.phase === 'open')
    assert.deepEqual([open.unconfirmedBytes, open.writing.size, open.pings.length], [0, 0, 0])
  })

  for (const [code, verdicts] of [
    [1006, ['retry', 'retry']],
    [1011, ['retry', 'retry']],
    [1000, ['delivered', 'retry']],
    [1001, ['delivered', 'retry']],
  ] as const) {
    test(`a close with ${code} makes ${verdicts} of a frame that was taken and one that was not`, () => {
      const driver = new Driver(config())
      driver.tell({ type: 'deliver', items: items(2) })
      const token = driver.open()
      driver.tell({ type: 'frameDone', token, frame: driver.of('frame')[0]?.frame ?? 0, written: true })
      driver.nowMs = 5_000
      driver.tell({ type: 'settleDue', token })
      driver.tell({ type: 'socketClosed', token, code })
      assert.deepEqual(
        driver.records().map(({ verdict }) => verdict.type),
        verdicts,
      )
    })
  }

  test('an abnormal close keeps what a pong had covered', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.readAll()
    driver.tell({ type: 'deliver', items: items(1) })
    driver.writeAll()
    driver.tell({ type: 'socketClosed', token, code: 1006 })
    assert.deepEqual(
      driver.records().map(({ verdict }) => verdict.type),
      ['delivered', 'retry'],
    )
  })

  test('a new socket gets four frames until its first pong, and then up to 256 while pongs come fast', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1_000) })
    const token = driver.open()
    driver.tell({ type: 'settleDue', token })
    const sent = []
    for (let trip = 0; trip < 12; trip += 1) {
      driver.writeAll()
      sent.push(driver.of('frame').length - driver.records().length)
      driver.pongAll()
    }
    assert.deepEqual(sent.slice(0, 2), [4, 16])
    assert.equal(Math.max(...sent), 256)
  })

  test('an abnormal close fails sixteen deliveries, and the others go out again in their order', () => {
    const driver = new Driver(config())
    const all = items(200)
    driver.tell({ type: 'deliver', items: all.slice(0, 100) })
    const first = driver.open()
    driver.readAll()
    driver.tell({ type: 'settleDue', token: first })
    assert.equal(driver.records().length, 100)
    driver.tell({ type: 'deliver', items: all.slice(100) })
    driver.tell({ type: 'direct', item: call }, 'asker')
    driver.writeAll()
    const before = driver.of('frame').length
    assert.equal(before, 201)
    driver.nowMs += 3_000
    driver.tell({ type: 'socketClosed', token: first, code: 1006 })
    const failed = driver.records().slice(100)
    assert.deepEqual(
      failed.map(({ item, counts }) => [item.deliveryId, counts]),
      all.slice(100, 116).map(({ deliveryId }) => [deliveryId, 'failure']),
    )
    assert.equal(driver.of('reply').length, 1)
    const second = driver.open()
    driver.readAll()
    assert.equal(driver.of('frame').length, before + 1, 'one, until it is known to be taken')
    driver.tell({ type: 'settleDue', token: second })
    driver.readAll()
    const sent = driver.of('frame').slice(before)
    assert.deepEqual(
      sent.map(({ item }) => 'deliveryId' in item && item.deliveryId),
      all.slice(116).map(({ deliveryId }) => deliveryId),
    )
  })

  test('an endless line of sockets that read nothing fails twenty attempts one by one after the first four', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(100) })
    const failures = []
    while (driver.records().length < 20) {
      const token = driver.open()
      driver.writeAll()
      driver.nowMs += 5_000
      driver.tell({ type: 'settleDue', token })
      driver.tell({ type: 'pongLate', token })
      failures.push(driver.records().length)
    }
    assert.deepEqual(failures.slice(0, 3), [4, 5, 6])
    assert(driver.records().every(({ counts }) => counts === 'failure'))
    assert.equal(driver.of('frame').length, 20)
  })

  test('a frame may be unread for ten seconds, and for hardly more than five behind which a call is', () => {
    const driver = new Driver(config())
    const pongDelays = () =>
      driver.of('setTimer').flatMap(({ name, delayMs }) => (name === 'pong' ? [delayMs] : []))
    driver.tell({ type: 'deliver', items: items(1) })
    driver.open()
    driver.writeAll()
    assert.deepEqual(pongDelays(), [10_000])
    driver.nowMs = 1_000
    for (const _ of [1, 2]) {
      driver.tell({ type: 'direct', item: call }, 'asker')
      driver.writeAll()
      driver.nowMs += 1_000
    }
    // The second call gains the receiver no time.
    assert.deepEqual(pongDelays(), [10_000, 5_250])
  })

  test('a socket that has not even taken a call in its time is given up, before the ten seconds of what is on it', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.writeAll()
    driver.nowMs = 1_000
    driver.tell({ type: 'direct', item: call }, 'asker')
    const due = driver.of('setTimer').find(({ name }) => name.startsWith('direct:'))
    driver.nowMs = 6_000
    driver.tell(due?.message ?? { type: 'wake' })
    const pong = driver.of('setTimer').findLast(({ name }) => name === 'pong')
    assert.equal(pong?.delayMs, 250)
    driver.nowMs = 6_250
    driver.tell(pong?.message ?? { type: 'wake' })
    assert.deepEqual(driver.last('cutSocket').token, token)
  })

  test('what a dropped socket took and nobody is known to have read goes out again, in its order', () => {
    const endpoint = config()
    const driver = new Driver(endpoint)
    const all = items(3)
    driver.tell({ type: 'deliver', items: all })
    driver.open()
    driver.writeAll()
    driver.reloaded({ ...endpoint, configVersion: 2, secret: 'whsec_BBBB' })
    assert.equal(driver.records().length, 0)
    driver.open()
    assert.deepEqual(
      driver.of('frame').map(({ item }) => item),
      [...all, ...all],
    )
  })

  test('a process leaves when the receiver has read its last frames', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'direct', item: call }, 'asker')
    driver.open()
    driver.writeAll()
    driver.tell({ type: 'leave' })
    assert.equal(driver.of('passivate').length, 0)
    driver.pongAll()
    assert.equal(driver.of('reply').length, 1)
    assert.equal(driver.of('passivate').length, 1)
  })

  test('a call that the socket took and nobody read fails after its five seconds, once', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'direct', item: call }, 'asker')
    const token = driver.open()
    driver.writeAll()
    driver.tell({ type: 'settleDue', token })
    assert.equal(driver.of('reply').length, 0)
    const timer = driver.of('setTimer').find(({ name }) => name.startsWith('direct:'))
    driver.tell(timer?.message ?? { type: 'wake' })
    driver.pongAll()
    const replies = driver.of('reply') as unknown as { value: { code: string } }[]
    assert.deepEqual(
      replies.map(({ value }) => value.code),
      ['BACKPRESSURE'],
    )
  })
})
