import assert from 'node:assert/strict'
import { createApplyCallUpdate } from '../../../src/calls/apply-call-update.ts'
import type { CallMessage } from '../../../src/calls/call.messages.ts'
import type { CallRow } from '../../../src/calls/call.ts'
import type { Beginning, CallLedger, InboundCall } from '../../../src/calls/ports.ts'
import { AppError } from '../../../src/contract/errors.ts'
import { personAt } from '../../../src/contract/person.ts'
import type { CallConnectUpdate, CallTerminateUpdate } from '../../../src/contract/provider-updates.ts'
import { type CallId, encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { startMs, timing } from './driver.ts'

const number = {
  workspaceId: newId('workspace'),
  numberId: newId('number'),
  number: '+15550001111',
  phoneNumberId: 'pn',
}
const parties = {
  ...number,
  contactId: newId('conversation'),
  conversationId: newId('conversation'),
  address: '15551230000',
  userId: null,
  username: null,
}

const mediaError = { code: '138021', title: 'Media receive timeout' }
const common = { wacid: 'wacid.1', phoneNumberId: 'pn', at: new Date(startMs), opaque: null }
const toldNow = { toldAt: new Date(startMs), endedAt: new Date(startMs) }
const who = { direction: 'INBOUND', person: personAt('15551230000') } as const
const connect: CallConnectUpdate = { type: 'callConnect', ...common, ...who, session: null }
const ending = { outcome: null, durationSeconds: null, startedAt: null, endedAt: null, error: null }
const terminate: CallTerminateUpdate = { type: 'callTerminate', ...common, ...who, ...ending }

function world(ledger: Partial<CallLedger> = {}) {
  const told: { id: CallId; message: CallMessage }[] = []
  const adopted: (CallMessage | undefined)[] = []
  const ignored: string[] = []
  const ended: CallRow[] = []
  const opened: [string, Date][] = []
  const asked: boolean[] = []
  const learnt: (string | null)[][] = []
  const beginInbound = async (call: InboundCall) => {
    return {
      type: 'begun',
      row: call.ringing.row,
      route: [],
      epoch: 1,
      asked: { mono: 0, wall: 0 },
      isOpen: false,
    } as const
  }
  const nothing = {
    findByWacid: async () => undefined,
    findPlaced: async () => undefined,
    earlyTerminateOf: async () => undefined,
    earlyTerminateSoon: async () => undefined,
    recordEnded: async ({ row }: Beginning) => {
      ended.push(row)
      return { type: 'begun', row, route: [], epoch: 1, asked: { mono: 0, wall: 0 }, isOpen: false } as const
    },
    addEarlyTerminate: async () => undefined,
    beginInbound,
  }
  const apply = createApplyCallUpdate({
    opened: async (id, at) => void opened.push([id, at]),
    contacts: {
      findNumber: async (id) => (id === 'pn' ? number : undefined),
      resolveParties: async ({ phoneNumberId, isFresh = false }) => {
        asked.push(isFresh)
        return phoneNumberId === 'pn' ? parties : undefined
      },
      learn: async (_workspaceId, { person: { phone, userId } }) => void learnt.push([phone, userId]),
    },
    ledger: { ...nothing, ...ledger } as CallLedger,
    owners: {
      isLeaving: () => false,
      workspaceOf: () => undefined,
      adopt: async (_call, first) => adopted.push(first) > 0,
      ask: async (id, message) => {
        told.push({ id, message })
        return { type: 'done' }
      },
    },
    clock: new SimulatedClock(startMs),
    timing,
    log: { info: () => undefined, warn: () => undefined },
    ignored: (why) => ignored.push(why),
  })
  return { apply, told, adopted, ignored, ended, opened, asked, learnt }
}

const types = (told: readonly { message: CallMessage }[]) => told.map(({ message }) => message.type)
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a connect', () => {
  test('makes the call and hands it to its owner with the offer', async () => {
    const { apply, adopted, told } = world()
    await apply(connect)
    await settled()
    assert.deepEqual([adopted, told], [[{ type: 'ringing', session: null }], []])
  })

  test('finds a tombstone that its insert could not see, and ends the call', async () => {
    const error = { code: '138019', title: 'Call setup failed' }
    const earlyTerminateSoon = async () => ({ durationSeconds: 4, error, ...toldNow })
    const { apply, told } = world({ earlyTerminateSoon })
    await apply(connect)
    await settled()
    assert.deepEqual(
      told.map(({ message }) => message),
      [{ type: 'providerTerminate', wacid: 'wacid.1', durationSeconds: 4, error }],
    )
  })

  test('takes the contact that is remembered, and asks for it where that one is gone', async () => {
    const remembered = world()
    await remembered.apply(connect)
    assert.deepEqual(remembered.asked, [false])
    let tries = 0
    const beginInbound = async (call: InboundCall) => {
      tries += 1
      const { row } = call.ringing
      const begun = {
        type: 'begun',
        row,
        route: [],
        epoch: 1,
        asked: { mono: 0, wall: 0 },
        isOpen: false,
      } as const
      return tries === 1 ? ({ type: 'gone' } as const) : begun
    }
    const { apply, asked, adopted } = world({ beginInbound })
    await apply(connect)
    assert.deepEqual([asked, adopted.length], [[false, true], 1])
    const always = world({ beginInbound: async () => ({ type: 'gone' }) as const })
    await assert.rejects(always.apply(connect), /again and again/)
  })

  test('that is stale is recorded and has no owner', async () => {
    // A stale connect must not wait for an early terminate: a webhook may carry many, handled one by one.
    const earlyTerminateSoon = () => assert.fail('it was waited for')
    const { apply, adopted, ended } = world({ earlyTerminateSoon })
    await apply({ ...connect, at: new Date(startMs - 60_001) })
    assert.deepEqual([adopted, ended.map(({ status }) => status)], [[], ['MISSED']])
  })

  for (const [what, told, expected] of [
    ['said nothing more', {}, ['MISSED', 'CALLER_GAVE_UP', null, null]],
    ['gave a reason', { error: mediaError }, ['FAILED', 'PROVIDER_ERROR', null, mediaError]],
    ['gave a length', { durationSeconds: 9 }, ['COMPLETED', 'HUNG_UP', 9, null]],
  ] as const)
    test(`whose terminate came first and ${what} is ${expected[0]} as it would be after ringing, and rings nobody`, async () => {
      const endedBeforeStart = async () => ({ type: 'endedBeforeStart' }) as const
      const end = { durationSeconds: null, error: null, ...toldNow, ...told }
      const { apply, adopted, ended } = world({
        beginInbound: endedBeforeStart,
        earlyTerminateOf: async () => end,
      })
      await apply(connect)
      const [row] = ended
      assert.deepEqual([row?.status, row?.endReason, row?.durationSeconds, row?.error], expected)
      assert.deepEqual([row?.version, row?.wakeAt, adopted], [1, null, []])
    })

  test('that repeats itself goes to the owner', async () => {
    const id = newId('call')
    const exists = async () => ({ type: 'exists' }) as const
    const { apply, told, adopted } = world({ beginInbound: exists, findByWacid: async () => id })
    await apply(connect)
    assert.deepEqual([types(told), told[0]?.id, adopted], [['providerConnect'], id, []])
  })
})

describe('a terminate', () => {
  test('without its call leaves a tombstone, then looks for the call again', async () => {
    const steps: string[] = []
    const id = newId('call')
    const { apply, told } = world({
      findByWacid: async () => {
        steps.push('find')
        // The call was created while the early terminate was being written.
        return steps.includes('tombstone') ? id : undefined
      },
      addEarlyTerminate: async () => void steps.push('tombstone'),
    })
    await apply(terminate)
    assert.deepEqual([steps, types(told)], [['find', 'tombstone', 'find'], ['providerTerminate']])
  })

  test('of a placed call finds it by the id that travelled with it', async () => {
    const id = newId('call')
    const opaque = encodeId('call', id)
    const { apply, told } = world({ findPlaced: async (placed) => placed })
    await apply({ ...terminate, direction: 'OUTBOUND', opaque })
    assert.deepEqual(told[0]?.id, id)
  })
})

describe('an update', () => {
  test('of a number or call of nobody is counted and ignored', async () => {
    const { apply, told, ignored } = world()
    await apply({ ...connect, phoneNumberId: 'other' })
    await apply({ ...terminate, phoneNumberId: 'other' })
    await apply({ ...terminate, direction: 'OUTBOUND', opaque: 'not an id of ours' })
    assert.deepEqual([ignored, told], [['unknownNumber', 'unknownNumber', 'unknownCall'], []])
  })

  test('that no owner takes is rejected, so that the provider repeats it', async () => {
    const unavailable = new AppError('UNAVAILABLE', 'no owner')
    const { apply } = world({ findByWacid: () => Promise.reject(unavailable) })
    await assert.rejects(apply(terminate), unavailable)
  })
})

describe('the 24 hours for answers', () => {
  const id = newId('call')
  const at = new Date(startMs - 1_234)
  const known = { findByWacid: async () => id }
  const placed = { ...terminate, direction: 'OUTBOUND' as const, at }
  const status = { ...connect, type: 'callStatus' as const, at, recipient: null }

  test('are opened by a call of the customer, at the time of the provider, also if it is repeated', async () => {
    const first = world()
    await first.apply({ ...connect, at })
    assert.deepEqual(
      first.opened.map(([, when]) => when),
      [at],
    )
    const again = world({ ...known, beginInbound: async () => ({ type: 'exists' }) as const })
    await again.apply({ ...connect, at })
    assert.deepEqual(again.opened, [[id, at]])
    // Nearly always the statement that began the call has done it.
    const beginInbound = async ({ ringing: { row } }: InboundCall) =>
      ({ type: 'begun', row, route: [], epoch: 1, asked: { mono: 0, wall: 0 }, isOpen: true }) as const
    const done = world({ beginInbound })
    await done.apply({ ...connect, at })
    assert.deepEqual(done.opened, [])
  })

  test('are opened by a call that the customer accepted, not by one that rings or is declined', async () => {
    for (const [word, expected] of [
      ['ACCEPTED', [[id, at]]],
      ['RINGING', []],
      ['REJECTED', []],
    ] as const) {
      const { apply, opened } = world(known)
      await apply({ ...status, status: word })
      assert.deepEqual(opened, expected, word)
    }
  })

  test('are opened by the end of an accepted call, at its start', async () => {
    const lasted = world(known)
    await lasted.apply({ ...placed, durationSeconds: 30 })
    assert.deepEqual(lasted.opened, [[id, new Date(at.getTime() - 30_000)]])
    const told = world(known)
    const startedAt = new Date(startMs - 40_000)
    await told.apply({ ...placed, durationSeconds: 30, startedAt })
    assert.deepEqual(told.opened, [[id, startedAt]])
    const unanswered = world(known)
    await unanswered.apply({ ...placed, durationSeconds: null })
    assert.deepEqual(unanswered.opened, [])
  })
})

describe('whom we have called', () => {
  const known = { findByWacid: async () => newId('call') }
  const person = { ...personAt('15551230000'), userId: 'US.1349' }
  const rings = { ...connect, type: 'callStatus', status: 'RINGING', recipient: person } as const
  const ended = { ...terminate, direction: 'OUTBOUND', person } as const

  test('is learnt from an update that names a number and a user id', async () => {
    for (const update of [rings, ended]) {
      const { apply, learnt } = world(known)
      await apply(update)
      await settled()
      assert.deepEqual(learnt, [['15551230000', 'US.1349']], update.type)
    }
  })

  test('is not learnt from one address, nor from the end of a call to us, nor for a number of nobody here', async () => {
    const { apply, learnt } = world(known)
    await apply({ ...rings, recipient: personAt('US.1349') })
    await apply({ ...rings, recipient: null })
    await apply({ ...ended, direction: 'INBOUND' })
    await apply({ ...rings, phoneNumberId: 'another' })
    await settled()
    assert.deepEqual(learnt, [])
  })
})
