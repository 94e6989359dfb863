import assert from 'node:assert/strict'
import type { CallUpdate } from '../../../src/calls/apply-call-update.ts'
import { createCallHandover } from '../../../src/calls/host/handed-updates.ts'
import { personAt } from '../../../src/contract/person.ts'
import type { CallConnectUpdate, CallTerminateUpdate } from '../../../src/contract/provider-updates.ts'
import { type EndpointId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { startMs } from './driver.ts'

const endpointId = newId('endpoint') as EndpointId

const common = { phoneNumberId: 'pn', at: new Date(startMs), opaque: null }
const who = { direction: 'INBOUND', person: personAt('15551230000') } as const
const connect = (wacid = 'wacid.1'): CallConnectUpdate => ({
  ...{ type: 'callConnect', wacid, ...common, ...who },
  session: { sdpType: 'offer', sdp: 'v=0' },
})
const terminate: CallTerminateUpdate = {
  ...{ type: 'callTerminate', wacid: 'wacid.1', ...common, ...who },
  ...{ outcome: 'COMPLETED', durationSeconds: 3, error: null },
  ...{ startedAt: new Date(startMs + 1_000), endedAt: new Date(startMs + 3_000) },
}

/** A gateway that applies updates by noting them. */
function gateway(clock: SimulatedClock, sid: string) {
  const self = { nodeId: sid, sid, address: `http://${sid}` }
  const applied: CallUpdate[] = []
  const known = new Set<string>()
  const warnings: object[] = []
  const state = { isHere: false, isServing: true, fails: false }
  const asked: string[] = []
  let peer: Gateway | undefined
  let delay = () => Promise.resolve()
  const here = async (update: CallUpdate) => {
    if (state.fails) throw new Error('Postgres is away')
    applied.push(update)
    return 'applied' as const
  }
  const handover = createCallHandover({
    router: {
      lastKnown: () => peer?.self,
      async askAt({ sid: to }, { id, message, deadlineMs }) {
        assert.equal(deadlineMs, 2_000)
        asked.push(to)
        await delay()
        const sent = JSON.parse(JSON.stringify(message))
        return peer?.self.sid === to ? peer.updates.ask(id, sent) : { type: 'unavailable' }
      },
    },
    session: {
      get state() {
        return state.isServing ? 'serving' : 'draining'
      },
    },
    endpoints: { has: () => state.isHere },
    isKnown: (wacid) => known.has(wacid),
    clock,
    log: { warn: (fields) => warnings.push(fields) },
  })
  return {
    ...{ self, applied, known, warnings, state, asked, noteEndpoints: handover.noteEndpoints },
    apply: handover.through(here),
    updates: handover.asked(here),
    reaches(there: Gateway | undefined) {
      peer = there
    },
    delays(by: () => Promise<void>) {
      delay = by
    },
  }
}

interface Gateway {
  readonly self: { readonly nodeId: string; readonly sid: string; readonly address: string }
  readonly updates: ReturnType<ReturnType<typeof createCallHandover>['asked']>
}

/** The calls of two numbers ring at one endpoint, which b owns. */
function pair() {
  const clock = new SimulatedClock(startMs)
  const [a, b] = [gateway(clock, 'a'), gateway(clock, 'b')]
  b.state.isHere = true
  a.reaches(b)
  for (const number of ['pn', 'other']) {
    a.noteEndpoints(number, [endpointId])
    b.noteEndpoints(number, [endpointId])
  }
  return { a, b, clock }
}

describe('the updates of a call', () => {
  test('are applied where they come until a call of the number has rung', async () => {
    const { a, b } = pair()
    await a.apply({ ...connect(), phoneNumberId: 'new' })
    assert.deepEqual([a.applied.length, b.applied.length], [1, 0])
    a.noteEndpoints('new', [endpointId])
    await a.apply({ ...connect('wacid.2'), phoneNumberId: 'new' })
    assert.deepEqual([a.applied.length, b.applied.length], [1, 1])
  })

  test('reach the owner of the endpoint as the provider sent them', async () => {
    const { a, b } = pair()
    assert.deepEqual([await a.apply(connect()), await a.apply(terminate)], ['applied', 'applied'])
    assert.deepEqual(b.applied, [connect(), terminate])
    assert.equal(a.applied.length, 0)
  })

  test('stay where the call is known, where it was placed, and where the endpoint is', async () => {
    const { a, b } = pair()
    a.known.add('wacid.1')
    await a.apply(terminate)
    await a.apply({ ...terminate, wacid: 'wacid.2', direction: 'OUTBOUND' })
    await a.apply({
      ...common,
      ...{ type: 'callStatus', wacid: 'wacid.3', status: 'RINGING', recipient: null },
    })
    a.state.isHere = true
    await a.apply(connect('wacid.4'))
    assert.deepEqual([a.applied.length, b.applied.length, a.asked.length], [4, 0, 0])
  })

  test('are applied here while the owner does not answer; it is left alone for five seconds, for every number', async () => {
    const { a, b, clock } = pair()
    for (let time = 0; time < 10; time += 1) {
      b.state.isServing = false
      assert.equal(await a.apply(connect()), 'applied')
      b.state.isServing = true
      await a.apply({ ...connect('wacid.2'), phoneNumberId: 'other' })
      assert.deepEqual([a.asked.length, b.applied.length], [time + 1, 0])
      await clock.advance(5_000)
    }
    await a.apply(connect('wacid.3'))
    assert.deepEqual([a.applied.length, b.applied.length], [20, 1])
  })

  test('go to a new owner at once, while the former one is left alone', async () => {
    const { a, b, clock } = pair()
    const c = gateway(clock, 'c')
    c.state.isHere = true
    b.state.isServing = false
    await a.apply(connect())
    a.reaches(c)
    await a.apply(connect('wacid.2'))
    assert.deepEqual([a.asked, c.applied.length], [['b', 'c'], 1])
  })

  test('are applied here where another gateway owns the endpoint by now, or fails, and told of', async () => {
    const { a, b } = pair()
    b.state.isHere = false
    await a.apply(connect())
    a.noteEndpoints('pn', [endpointId])
    Object.assign(b.state, { isHere: true, fails: true })
    await a.apply(connect('wacid.2'))
    assert.deepEqual(b.warnings, [{ endpointId, update: 'callConnect', error: 'Error: Postgres is away' }])
    b.state.fails = false
    await a.apply(connect('wacid.3'))
    assert.equal(a.asked.length, 2, 'its place is forgotten')
    a.noteEndpoints('pn', [endpointId])
    await a.apply(connect('wacid.4'))
    assert.deepEqual([a.applied.length, b.applied.length, a.asked.length], [3, 1, 3])
  })

  test('keep their order: what follows on one that is on its way goes after it, beyond eight and where it fails', async () => {
    const { a, b, clock } = pair()
    const open: (() => void)[] = []
    a.delays(() => new Promise<void>((resolve) => open.push(resolve)))
    const all = Array.from({ length: 8 }, (_, n) => a.apply(connect(`wacid.${n}`)))
    all.push(a.apply({ ...terminate, wacid: 'wacid.7' }))
    assert.deepEqual([a.applied.length, open.length], [0, 9])
    // The owner leaves, and is left alone at once: neither the first nor what comes later overtakes.
    a.reaches(undefined)
    open[8]?.()
    await clock.advance(0)
    all.push(a.apply({ ...terminate, wacid: 'wacid.7', outcome: 'FAILED' }))
    await clock.advance(0)
    assert.equal(a.applied.length, 0)
    for (const resolve of open) resolve()
    await Promise.all(all)
    const last = a.applied.filter(({ wacid }) => wacid === 'wacid.7')
    assert.deepEqual(
      last.map((update) => ('outcome' in update ? update.outcome : 'connect')),
      ['connect', 'COMPLETED', 'FAILED'],
    )
    assert.equal(b.applied.length, 0)
  })

  test('leave a gateway alone that answers nothing, not one that answered others meanwhile', async () => {
    const { a, b } = pair()
    const open: (() => void)[] = []
    a.delays(() => new Promise<void>((resolve) => open.push(resolve)))
    const [slow, quick] = ['wacid.1', 'wacid.2'].map((wacid) => a.apply(connect(wacid)))
    open[1]?.()
    await quick
    b.state.isServing = false
    open[0]?.()
    await slow
    assert.equal(a.applied.length, 1)
    b.state.isServing = true
    a.delays(() => Promise.resolve())
    await a.apply(connect('wacid.3'))
    assert.equal(b.applied.length, 2)
  })

  test('go to the same one of several endpoints, whatever their order', async () => {
    const { a, b } = pair()
    const several = [newId('endpoint'), newId('endpoint')].sort() as EndpointId[]
    const ids: string[] = []
    b.updates.ask = async (id) => {
      ids.push(id)
      return { type: 'answered', value: null }
    }
    for (const [n, order] of [several, several.toReversed()].entries()) {
      a.noteEndpoints('pn', order)
      await a.apply(connect(`wacid.${n}`))
    }
    assert.deepEqual(ids, [several[0], several[0]])
  })

  test('are applied here beyond eight that are under way to one process', async () => {
    const { a, b } = pair()
    const open: (() => void)[] = []
    a.delays(() => new Promise<void>((resolve) => open.push(resolve)))
    const all = Array.from({ length: 10 }, (_, n) =>
      a.apply({ ...connect(`wacid.${n}`), phoneNumberId: n % 2 ? 'pn' : 'other' }),
    )
    await Promise.all(all.slice(8))
    assert.deepEqual([a.applied.length, open.length], [2, 8])
    for (const resolve of open) resolve()
    await Promise.all(all)
    assert.deepEqual([a.applied.length, b.applied.length], [2, 8])
  })

  test('follow the number to another endpoint, or to none, as the owner tells', async () => {
    const { a, b } = pair()
    const moved = newId('endpoint') as EndpointId
    b.noteEndpoints('pn', [moved])
    const ids: string[] = []
    const { ask } = b.updates
    b.updates.ask = (id, message) => {
      ids.push(id)
      return ask(id, message)
    }
    await a.apply(terminate)
    for (const wacid of ['wacid.2', 'wacid.3']) await a.apply(connect(wacid))
    assert.deepEqual(ids, [endpointId, moved, moved])
    b.noteEndpoints('pn', [])
    await a.apply(connect('wacid.4'))
    await a.apply(connect('wacid.5'))
    assert.deepEqual([b.applied.length, a.applied.length], [4, 1])
  })
})
