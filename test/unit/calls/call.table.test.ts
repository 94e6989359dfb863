// Tests every state of a call against every command and update, cell by cell.
import assert from 'node:assert/strict'
import type { ApiRoute } from '../../../src/api/route.ts'
import { actOnCall, answerCall, getOffer, placeCall } from '../../../src/api/routes/calls.ts'
import type { CallMessage, CallReply } from '../../../src/calls/call.messages.ts'
import { refuse } from '../../../src/calls/refuse.ts'
import { describe, test } from '../../support/harness.ts'
import {
  answer,
  connect,
  Drive,
  decline,
  hangUp,
  offer,
  ok,
  placedRow,
  placingRow,
  preAccept,
  refused,
  ringingRow,
  sdpAnswer,
  status,
  terminate,
} from './driver.ts'

const inbound = () => new Drive(ringingRow(), { session: offer })
const outbound = () => new Drive(placedRow())
const error = { code: '138019', title: 'Call setup failed' }
const asking = (call: Drive, message: CallMessage) => {
  call.ask(message)
  return call
}
const answered = () => asking(inbound(), answer('A')).provider(ok).provider(ok)
const pickedUp = () => outbound().tell(connect(placedRow(), sdpAnswer)).tell(status('ACCEPTED'))

/** How a call reaches each of its states. */
const states: Readonly<Record<string, () => Drive>> = {
  'inbound RINGING': inbound,
  'inbound RINGING, A being answered': () => asking(inbound(), answer('A')),
  'inbound RINGING, A being pre-accepted': () => asking(inbound(), preAccept('A')),
  'inbound RINGING, A pre-accepted': () => asking(inbound(), preAccept('A')).provider(ok),
  'inbound RINGING, A refused': () => asking(inbound(), answer('A')).provider(refused),
  'inbound RINGING, being declined': () => asking(inbound(), decline),
  'inbound ACCEPTED with A': answered,
  'inbound ACCEPTED, hanging up': () => asking(answered(), hangUp),
  'inbound COMPLETED': () => answered().tell(terminate({ durationSeconds: 1 })),
  'inbound COMPLETED by us': () => asking(answered(), hangUp).provider(ok),
  'inbound MISSED': () => inbound().tell(terminate()),
  'inbound DECLINED': () => asking(inbound(), decline).provider(ok),
  'inbound FAILED': () => inbound().tell(terminate({ error })),
  'outbound INITIATED, being placed': () => asking(new Drive(placingRow()), { type: 'place', sdp: 'S' }),
  'outbound INITIATED': outbound,
  'outbound INITIATED, hanging up': () => asking(outbound(), hangUp),
  'outbound RINGING': () => outbound().tell(status('RINGING')),
  'outbound RINGING, hanging up': () => asking(outbound().tell(status('RINGING')), hangUp),
  'outbound RINGING, ended who knows how': () => outbound().tell(status('RINGING')).tell(terminate()),
  'outbound ACCEPTED': pickedUp,
  'outbound ACCEPTED, hanging up': () => asking(pickedUp(), hangUp),
  'outbound COMPLETED': () => pickedUp().tell(terminate({ durationSeconds: 1 })),
  'outbound REJECTED': () => outbound().tell(status('REJECTED')),
  'outbound NO_ANSWER': () => outbound().tell(terminate()).wait(2_000).tell({ type: 'wake' }),
  'outbound CANCELLED': () => asking(outbound(), hangUp).provider(ok),
  'outbound FAILED': () => asking(new Drive(placingRow()), { type: 'place', sdp: 'S' }).provider(refused),
}

/**
 * `!`: the command is refused with that code. The name of a provider request: it is sent, and the caller
 * waits. `joins`: the caller waits for the request under way.
 */
const commandTable = `
  state                                  answer A   answer B   pre-accept A  pre-accept B  decline   hang up    offer
  inbound RINGING                        preAccept  preAccept  preAccept     preAccept     reject    !state     offer
  inbound RINGING, A being answered      joins      !late      !state        !late         !late     !state     offer
  inbound RINGING, A being pre-accepted  !state     !late      joins         !late         !state    !state     offer
  inbound RINGING, A pre-accepted        accept     !late      done          !late         reject    !state     offer
  inbound RINGING, A refused             preAccept  preAccept  preAccept     preAccept     reject    !state     offer
  inbound RINGING, being declined        !state     !state     !state        !state        joins     !state     offer
  inbound ACCEPTED with A                done       !late      done          !late         !ringing  terminate  !none
  inbound ACCEPTED, hanging up           done       !late      done          !late         !ringing  joins      !none
  inbound COMPLETED                      !ended     !ended     !ended        !ended        !ended    !ended     !ended
  inbound COMPLETED by us                !ended     !ended     !ended        !ended        !ended    done       !ended
  inbound MISSED                         !ended     !ended     !ended        !ended        !ended    !ended     !ended
  inbound DECLINED                       !ended     !ended     !ended        !ended        done      !ended     !ended
  inbound FAILED                         !ended     !ended     !ended        !ended        !ended    !ended     !ended
  outbound INITIATED, being placed       !ringing   !ringing   !ringing      !ringing      !ringing  !state     !none
  outbound INITIATED                     !ringing   !ringing   !ringing      !ringing      !ringing  terminate  !none
  outbound INITIATED, hanging up         !ringing   !ringing   !ringing      !ringing      !ringing  joins      !none
  outbound RINGING                       !ringing   !ringing   !ringing      !ringing      !ringing  terminate  !none
  outbound RINGING, hanging up           !ringing   !ringing   !ringing      !ringing      !ringing  joins      !none
  outbound RINGING, ended who knows how  !ringing   !ringing   !ringing      !ringing      !ringing  !ended     !none
  outbound ACCEPTED                      !ringing   !ringing   !ringing      !ringing      !ringing  terminate  !none
  outbound ACCEPTED, hanging up          !ringing   !ringing   !ringing      !ringing      !ringing  joins      !none
  outbound COMPLETED                     !ended     !ended     !ended        !ended        !ended    !ended     !ended
  outbound REJECTED                      !ended     !ended     !ended        !ended        !ended    !ended     !ended
  outbound NO_ANSWER                     !ended     !ended     !ended        !ended        !ended    !ended     !ended
  outbound CANCELLED                     !ended     !ended     !ended        !ended        !ended    done       !ended
  outbound FAILED                        !ended     !ended     !ended        !ended        !ended    !ended     !ended`

/** The transitions that follow, each one event; `-` for none. The last column is four hours of silence. */
const updateTable = `
  state                                  connect    RINGING    ACCEPTED            REJECTED  terminate  with a length       with an error  silence
  inbound RINGING                        -          -          -                   -         MISSED     ACCEPTED>COMPLETED  FAILED         MISSED
  inbound RINGING, A being answered      -          -          -                   -         MISSED     ACCEPTED>COMPLETED  FAILED         MISSED
  inbound RINGING, A being pre-accepted  -          -          -                   -         MISSED     ACCEPTED>COMPLETED  FAILED         MISSED
  inbound RINGING, A pre-accepted        -          -          -                   -         MISSED     ACCEPTED>COMPLETED  FAILED         MISSED
  inbound RINGING, A refused             -          -          -                   -         MISSED     ACCEPTED>COMPLETED  FAILED         MISSED
  inbound RINGING, being declined        -          -          -                   -         DECLINED   ACCEPTED>COMPLETED  DECLINED       MISSED
  inbound ACCEPTED with A                -          -          -                   -         COMPLETED  COMPLETED           FAILED         COMPLETED
  inbound ACCEPTED, hanging up           -          -          -                   -         COMPLETED  COMPLETED           FAILED         COMPLETED
  inbound COMPLETED                      -          -          -                   -         -          -                   -              -
  inbound COMPLETED by us                -          -          -                   -         -          -                   -              -
  inbound MISSED                         -          -          -                   -         -          -                   -              -
  inbound DECLINED                       -          -          -                   -         -          -                   -              -
  inbound FAILED                         -          -          -                   -         -          -                   -              -
  outbound INITIATED, being placed       -          RINGING    ACCEPTED            REJECTED  NO_ANSWER  ACCEPTED>COMPLETED  FAILED         FAILED
  outbound INITIATED                     -          RINGING    ACCEPTED            REJECTED  NO_ANSWER  ACCEPTED>COMPLETED  FAILED         NO_ANSWER
  outbound INITIATED, hanging up         -          RINGING    ACCEPTED            REJECTED  CANCELLED  ACCEPTED>COMPLETED  CANCELLED      NO_ANSWER
  outbound RINGING                       -          -          ACCEPTED            REJECTED  NO_ANSWER  ACCEPTED>COMPLETED  FAILED         NO_ANSWER
  outbound RINGING, hanging up           -          -          ACCEPTED            REJECTED  CANCELLED  ACCEPTED>COMPLETED  CANCELLED      NO_ANSWER
  outbound RINGING, ended who knows how  NO_ANSWER  NO_ANSWER  ACCEPTED>COMPLETED  REJECTED  NO_ANSWER  ACCEPTED>COMPLETED  NO_ANSWER      NO_ANSWER
  outbound ACCEPTED                      -          -          -                   -         COMPLETED  COMPLETED           FAILED         COMPLETED
  outbound ACCEPTED, hanging up          -          -          -                   -         COMPLETED  COMPLETED           FAILED         COMPLETED
  outbound COMPLETED                     -          -          -                   -         -          -                   -              -
  outbound REJECTED                      -          -          -                   -         -          -                   -              -
  outbound NO_ANSWER                     -          -          -                   -         -          -                   -              -
  outbound CANCELLED                     -          -          -                   -         -          -                   -              -
  outbound FAILED                        -          -          -                   -         -          -                   -              -`

const codes: Readonly<Record<string, string>> = {
  '!state': 'INVALID_STATE',
  '!late': 'CALL_ALREADY_ANSWERED',
  '!ringing': 'CALL_NOT_RINGING',
  '!ended': 'CALL_ENDED',
  '!none': 'OFFER_UNAVAILABLE',
}

const commands: Readonly<Record<string, CallMessage>> = {
  'answer A': answer('A', 'again'),
  'answer B': answer('B'),
  'pre-accept A': preAccept('A'),
  'pre-accept B': preAccept('B'),
  decline: { ...decline, actionId: 'another' },
  'hang up': { ...hangUp, actionId: 'another' },
  offer: { type: 'offer' },
}

const routes: Readonly<Record<string, ApiRoute>> = {
  ...{ 'answer A': answerCall, 'answer B': answerCall, 'pre-accept A': actOnCall, 'pre-accept B': actOnCall },
  ...{ decline: actOnCall, 'hang up': actOnCall, offer: getOffer },
}

const updates: Readonly<Record<string, (call: Drive) => Drive>> = {
  connect: (call) => call.tell(connect(call.state.row, call.status === 'RINGING' ? offer : sdpAnswer)),
  RINGING: (call) => call.tell(status('RINGING')),
  ACCEPTED: (call) => call.tell(status('ACCEPTED')),
  REJECTED: (call) => call.tell(status('REJECTED')),
  terminate: (call) => call.tell(terminate()),
  'with a length': (call) => call.tell(terminate({ durationSeconds: 5 })),
  'with an error': (call) => call.tell(terminate({ error })),
  silence: (call) => call.wait(4 * 3_600_000),
}

/** The first cell of each row, and its other cells with the names of their columns. */
function rowsOf(table: string): [string, [string, string][]][] {
  const cells = (line: string) => line.trim().split(/ {2,}/)
  const [[, ...names] = [], ...rows] = table.trim().split('\n').map(cells)
  return rows.map(([state = '', ...row]) => [state, names.map((name, at) => [name, row[at] ?? ''])])
}

function outcomeOf(call: Drive, command: CallMessage): string {
  const before = call.requests.length
  const from = call.status
  const reply = call.reply(call.ask(command))
  if (!reply) return call.requests[before] ?? 'joins'
  if (reply.type === 'done' || reply.type === 'offer') return reply.type
  const { code, message } = refuse(reply)
  if (code === 'INVALID_STATE') assert.ok(message.includes(from), `"${message}" names the state ${from}`)
  return code
}

for (const [state, cells] of rowsOf(commandTable))
  describe(`a call that is ${state}`, () => {
    for (const [name, expected] of cells)
      test(`${name}: ${expected}`, () => {
        const call = states[state]?.()
        const command = commands[name]
        assert.ok(call && command)
        const [waiting, events] = [call.state.command?.waiting.length ?? 0, call.events.length]
        assert.equal(outcomeOf(call, command), codes[expected] ?? expected)
        if (expected === 'joins') assert.equal(call.state.command?.waiting.length, waiting + 1)
        assert.equal(call.events.length, events, 'nothing changes before the provider has agreed')
      })
  })

for (const [state, cells] of rowsOf(updateTable))
  describe(`a call that is ${state}, told of`, () => {
    for (const [name, expected] of cells)
      test(`${name}: ${expected}`, () => {
        const call = states[state]?.()
        const update = updates[name]
        assert.ok(call && update)
        const { events, state: before } = call
        // A delayed transition belongs to the update that caused it.
        update(call).wait(2_000).tell({ type: 'wake' })
        const taken = call.events.slice(events.length)
        assert.equal(taken.join('>') || '-', expected)
        assert.equal(call.state.row.version, before.row.version + taken.length)
        assert.equal(call.status, taken.at(-1) ?? before.row.status)
      })
  })

describe('a route lists every code that its command is answered with', () => {
  /** At once, or where an update or a refusal of the provider ends the wait. */
  function codesOf(make: () => Drive, command: CallMessage): Set<string> {
    const endings = [...Object.values(updates), (call: Drive) => call.provider(refused)]
    const found = [undefined, ...endings].map((ending) => {
      const call = make()
      const asked = call.ask(command)
      if (call.reply(asked) === undefined) ending?.(call).wait(2_000).tell({ type: 'wake' })
      return call.reply(asked)
    })
    const isRefusal = (reply: CallReply | undefined): reply is CallReply =>
      reply !== undefined && reply.type !== 'done' && reply.type !== 'offer'
    return new Set(found.filter(isRefusal).map((reply) => refuse(reply).code))
  }
  const assertListed = ({ errors }: ApiRoute, made: Set<string>, what: string) =>
    assert.deepEqual(
      [...made].filter((code) => !errors.some((listed) => listed === code)),
      [],
      what,
    )

  for (const [name, command] of Object.entries(commands))
    test(name, () => {
      const route = routes[name] ?? assert.fail()
      for (const [state, make] of Object.entries(states)) assertListed(route, codesOf(make, command), state)
    })

  test('place', () => {
    const made = codesOf(() => new Drive(placingRow()), { type: 'place', sdp: 'S' })
    assertListed(placeCall, made, 'outbound INITIATED')
  })
})

test('the tables have every state, command and update', () => {
  for (const [table, columns] of [
    [commandTable, commands],
    [updateTable, updates],
  ] as const) {
    assert.deepEqual(
      rowsOf(table).map(([state]) => state),
      Object.keys(states),
    )
    for (const [, cells] of rowsOf(table))
      assert.deepEqual(
        cells.map(([name]) => name),
        Object.keys(columns),
      )
  }
})
