import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { config, Driver, https, item, unreachable } from './endpoint-driver.ts'

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

  test('a frame that was read is recorded as delivered once the receiver had its time to refuse the signature', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.readAll()
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

  test('no more than 256 KiB go unconfirmed, the last quarter for calls, and a pong opens the way again', () => {
    const driver = new Driver(config())
    const sent = () => driver.of('frame').length
    const body = 'x'.repeat(32 * 1024)
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.readAll()
    driver.tell({ type: 'settleDue', token })
    driver.tell({ type: 'deliver', items: Array.from({ length: 12 }, () => item({ body })) })
    assert.equal(sent(), 1 + 6)
    for (let count = 0; count < 10; count += 1)
      driver.tell({ type: 'direct', item: { ...call, body } }, 'asker')
    assert.equal(sent(), 1 + 8)
    driver.writeAll()
    assert.equal(sent(), 1 + 8)
    // The calls precede the deliveries that waited longer.
    driver.pongAll()
    assert.equal(driver.of('frame').filter(({ item }) => item.kind === 'call.ringing').length, 10)
    driver.readAll()
    assert.equal(driver.of('reply').length, 10)
    assert.equal(sent(), 1 + 12 + 10)
  })

  test('bytes are counted as they go over the wire', () => {
    const driver = new Driver(config())
    const body = '語'.repeat(16 * 1024)
    driver.tell({ type: 'deliver', items: Array.from({ length: 10 }, () => item({ body: body + body })) })
    driver.open()
    assert.equal(driver.of('frame').length, 192 / 96)
  })

  test('a ping covers no frame that the socket has not taken', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(3) })
    const token = driver.open()
    driver.tell({ type: 'pingDue', token })
    driver.tell({ type: 'pong', token, ping: driver.last('ping').ping })
    const open = driver.state.socket
    assert(open.phase === 'open')
    assert.equal(open.unconfirmedBytes, 3 * item().body.length)
    driver.readAll()
    assert.equal(open.unconfirmedBytes, 0)
  })

  test('a pong that answers no ping gains the receiver no time', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.tell({ type: 'pingDue', token })
    for (const ping of [0, 2 ** 32 - 1]) assert.deepEqual(driver.tell({ type: 'pong', token, ping }), [])
  })

  test('a call on a socket that takes nothing fails after its five seconds, as does one that finds no room', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    for (const body of ['x'.repeat(256 * 1024), call.body]) {
      driver.tell({ type: 'direct', item: { ...call, body } }, 'asker')
    }
    const timers = driver.of('setTimer').filter(({ name }) => name.startsWith('direct:'))
    const codes = timers.map(({ message }) => {
      const [reply] = driver.of('reply', driver.tell(message)) as unknown as { value: { code: string } }[]
      return reply?.value.code
    })
    assert.deepEqual(codes, ['BACKPRESSURE', 'BACKPRESSURE'])
    // The frame is written too late: the caller must not get a second reply.
    const frame = driver.of('frame').at(-1)?.frame ?? 0
    assert.deepEqual(driver.of('reply', driver.tell({ type: 'frameDone', token, frame, written: true })), [])
  })

  test('every frame without a pong has failed for backpressure when the pong stays out', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(2) })
    const token = driver.open()
    driver.tell({ type: 'frameDone', token, frame: driver.of('frame')[0]?.frame ?? 0, written: true })
    driver.nowMs = 5_000
    driver.tell({ type: 'pongLate', token })
    assert.deepEqual(
      driver.records().map(({ report }) => report.outcome),
      [
        { type: 'timedOut', code: 'BACKPRESSURE' },
        { type: 'timedOut', code: 'BACKPRESSURE' },
      ],
    )
  })

  test('the first frame reports its dial, the next that it found the socket open; each at its own time', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(2) })
    const { token } = driver.last('dial')
    driver.nowMs = 120
    const opening = {
      startedAtMs: driver.at().getTime() - 120,
      timings: { connectMs: 30, tlsMs: 40, firstByteMs: 45 },
      remoteAddress: '93.184.215.14',
    }
    driver.tell({ type: 'dialled', token, opening })
    driver.nowMs = 125
    driver.readAll()
    driver.nowMs = 2_120
    driver.tell({ type: 'settleDue', token })
    const seen = driver.records().map(({ startedAt, report }) => ({
      at: startedAt.getTime() - opening.startedAtMs,
      ms: report.durationMs,
      timings: report.timings,
      reused: report.reusedConnection,
      from: report.remoteAddress,
    }))
    assert.deepEqual(seen, [
      { at: 0, ms: 125, timings: opening.timings, reused: false, from: opening.remoteAddress },
      { at: 120, ms: 5, timings: {}, reused: true, from: opening.remoteAddress },
    ])
  })

  test('a receiver that answers no ping is cut off', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.tell({ type: 'pingDue', token })
    driver.tell({ type: 'pongLate', token })
    assert.deepEqual(driver.last('cutSocket'), { type: 'cutSocket', token })
  })

  test('a pong that is late because this process stood still gets its time again', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    const token = driver.open()
    driver.writeAll()
    driver.nowMs = 30_000
    driver.tell({ type: 'pongLate', token })
    assert.equal(driver.of('cutSocket').length, 0)
    assert.deepEqual(driver.last('setTimer').message, { type: 'pongLate', token })
    driver.nowMs = 40_000
    driver.tell({ type: 'pongLate', token })
    assert.equal(driver.of('cutSocket').length, 1)
  })

  test('a dial or a request that was held back while the endpoint was changed is not made', () => {
    const old = config()
    const driver = new Driver(old)
    driver.tell({ type: 'deliver', items: items(1) })
    const held = driver.last('dial')
    assert.equal(driver.actor.insteadOf?.(held, driver.state), undefined)
    driver.reloaded({ ...old, configVersion: 2, secret: 'whsec_BBBB' })
    assert.equal(driver.actor.insteadOf?.(held, driver.state)?.type, 'dialFailed')
    driver.tell({
      type: 'dialled',
      token: held.token,
      opening: { startedAtMs: 0, timings: {}, remoteAddress: null },
    })
    assert.deepEqual(driver.last('closeSocket').token, held.token)

    const posting = new Driver(https())
    posting.tell({ type: 'deliver', items: items(1) })
    const post = posting.last('post')
    assert.equal(posting.actor.insteadOf?.(post, posting.state), undefined)
    posting.reloaded({ ...post.config, configVersion: 2, secret: 'whsec_BBBB' })
    const instead = posting.actor.insteadOf?.(post, posting.state)
    posting.tell(instead ?? assert.fail())
    posting.tell({ type: 'rested' })
    assert.equal(posting.last('post').config.secret, 'whsec_BBBB')
    assert.equal(posting.records().length, 0)
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
    driver.reloaded({ ...endpoint, configVersion: 2 })
    assert.equal(driver.of('closeSocket').length, 0)
    driver.reloaded({ ...endpoint, configVersion: 3, secret: 'whsec_BBBB' })
    assert.equal(driver.of('closeSocket').length, 1)
  })

  test('a deleted endpoint is told nothing more', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    driver.open()
    driver.reloaded(null)
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
