import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { judgeUrl } from '../../../../src/delivery/address-rule.ts'
import { type Connected, type Connector, observed } from '../../../../src/delivery/outbound/connect.ts'
import type { Deadline } from '../../../../src/delivery/outbound/deadline.ts'
import { limitDials } from '../../../../src/delivery/outbound/dial-limits.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

const targetOf = (host: string) => {
  const verdict = judgeUrl(`https://${host}/events`, 'any')
  return verdict.type === 'ok' ? verdict.target : assert.fail()
}

const connected = (): Connected => ({ type: 'connected', socket: new Socket(), timings: {} })
const failedWith = (code: 'CONNECT_TIMEOUT' | 'CONNECT_REFUSED'): Connected => ({
  type: 'failed',
  code,
  timings: {},
})
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** `ends` says when and how a dial to a host ends; undefined leaves it under way until `release`. */
function setUp(ends: (host: string) => { afterMs: number; as: Connected } | undefined = () => undefined) {
  const clock = new SimulatedClock()
  const begun: { host: string; at: number; release(as?: Connected): void }[] = []
  const connect: Connector = ({ authority: host }) =>
    new Promise((resolve) => {
      begun.push({ host, at: clock.mono(), release: (as = connected()) => resolve(as) })
      const end = ends(host)
      if (end) clock.after(end.afterMs, () => resolve(end.as))
    })
  // As for HTTPS, whose dials are counted.
  const limited = observed(limitDials(connect, clock), () => {})
  const dial = (host: string, { urgency, cut }: { urgency?: AbortSignal; cut?: AbortController } = {}) => {
    const { signal } = cut ?? new AbortController()
    const deadline: Deadline = {
      signal,
      isOver: false,
      onOver: undefined,
      isInterrupted: () => false,
      shorten: () => undefined,
      clear: () => undefined,
    }
    return limited(targetOf(host), deadline, urgency)
  }
  const hosts = () => begun.map(({ host }) => host)
  return { clock, begun, dial, hosts }
}

const urgent = AbortSignal.abort('urgent')
const names = (count: number, prefix = 'h') => Array.from({ length: count }, (_, n) => `${prefix}${n}.test`)

describe('dials', () => {
  test('begin at 200 a second and twenty more, however many are asked for', async () => {
    const { clock, begun, dial } = setUp(() => ({ afterMs: 1, as: connected() }))
    for (const host of names(900)) void dial(host)
    await clock.advance(0)
    assert.equal(begun.length, 20)
    await clock.advance(2_000)
    assert.ok(begun.length >= 415 && begun.length <= 420, `${begun.length}`)
    await clock.advance(3_000)
    assert.equal(begun.length, 900)
  })

  test('are fifty at once; a host that does not answer keeps its place for a second and no longer', async () => {
    const { clock, hosts, dial } = setUp((host) =>
      host.startsWith('good') ? { afterMs: 1, as: connected() } : undefined,
    )
    for (const host of names(60, 'dead')) void dial(host)
    void dial('good.test')
    await clock.advance(900)
    assert.equal(hosts().length, 50)
    await clock.advance(300)
    assert.equal(hosts().length, 61)
  })

  test('to one receiver are ten at once, and another on the same machine does not wait for them', async () => {
    const { clock, begun, hosts, dial } = setUp()
    for (let count = 0; count < 15; count += 1) void dial('10.0.0.1:9000')
    void dial('10.0.0.1:9001')
    await clock.advance(5_000)
    assert.equal(hosts().filter((host) => host === '10.0.0.1:9000').length, 10)
    assert.ok(hosts().includes('10.0.0.1:9001'))
    begun[0]?.release()
    await clock.advance(10)
    assert.equal(hosts().filter((host) => host === '10.0.0.1:9000').length, 11)
  })

  test('to many hosts take turns, whatever waits for one of them', async () => {
    const { clock, hosts, dial } = setUp(() => ({ afterMs: 1, as: connected() }))
    for (let count = 0; count < 2_000; count += 1) void dial('busy.test')
    await clock.advance(0)
    for (const host of names(10)) void dial(host)
    await clock.advance(150)
    assert.equal(hosts().filter((host) => host !== 'busy.test').length, 10)
    await clock.advance(10_500)
    assert.equal(hosts().length, 2_010)
  })

  test('that are urgent wait for no rate, but for their host', async () => {
    const { clock, hosts, dial } = setUp()
    for (const host of names(100)) void dial(host)
    for (let count = 0; count < 12; count += 1) void dial('calls.test', { urgency: urgent })
    await clock.advance(0)
    assert.equal(hosts().filter((host) => host === 'calls.test').length, 10)
  })

  test('that become urgent while they wait begin at once', async () => {
    const { clock, hosts, dial } = setUp()
    for (const host of names(100)) void dial(host)
    const hurry = new AbortController()
    void dial('calls.test', { urgency: hurry.signal })
    await clock.advance(0)
    assert.ok(!hosts().includes('calls.test'))
    hurry.abort('urgent')
    await settled()
    assert.ok(hosts().includes('calls.test'))
  })

  test('to hosts that failed come after all others', async () => {
    const { clock, hosts, dial } = setUp((host) => ({
      afterMs: 1,
      as: host.startsWith('dead') ? failedWith('CONNECT_REFUSED') : connected(),
    }))
    for (const host of names(20, 'dead')) void dial(host)
    await clock.advance(1_000)
    for (const host of names(20, 'dead')) void dial(host)
    for (const host of names(20, 'dead')) void dial(host)
    for (const host of names(15, 'good')) void dial(host)
    await clock.advance(80)
    assert.equal(hosts().filter((host) => host.startsWith('good')).length, 15)
    await clock.advance(2_000)
    assert.equal(hosts().length, 75)
  })

  test('whose time runs out while they wait are our fault, and so is what is left of it then', async () => {
    const { clock, begun, dial } = setUp()
    for (let count = 0; count < 10; count += 1) void dial('slow.test')
    const cut = new AbortController()
    const waiting = dial('slow.test', { cut })
    await clock.advance(2_000)
    const late = dial('slow.test')
    await clock.advance(2_000)
    cut.abort('expired')
    assert.deepEqual(await waiting, { type: 'failed', code: 'OVERLOADED', timings: {} })
    begun[0]?.release()
    await settled()
    begun.at(-1)?.release(failedWith('CONNECT_TIMEOUT'))
    assert.deepEqual(await late, { type: 'failed', code: 'OVERLOADED', timings: {} })
    begun[1]?.release(failedWith('CONNECT_TIMEOUT'))
  })
})
