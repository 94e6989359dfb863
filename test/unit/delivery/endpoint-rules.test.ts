import assert from 'node:assert/strict'
import type { EventKind } from '../../../src/contract/events.ts'
import {
  eventsObjection,
  orderedEvents,
  removalObjection,
  routingObjection,
} from '../../../src/delivery/endpoint-rules.ts'
import { describe, test } from '../../support/harness.ts'

const target = (...events: EventKind[]) => ({ name: 'Bot', events })
const plain = { number: '+1555', forwardCalls: false }
const forwarding = { number: '+1666', forwardCalls: true }

describe('endpoint rules', () => {
  test('a number may be assigned where message.received is listed', () => {
    assert.equal(routingObjection(false, target('message.received')), undefined)
    assert.match(routingObjection(false, target('call.ringing')) ?? '', /message\.received/)
    assert.equal(routingObjection(false, undefined), undefined)
  })

  test('Forward needs an endpoint that lists call.ringing too', () => {
    assert.match(routingObjection(true, undefined) ?? '', /assign the number/)
    assert.match(routingObjection(true, target('message.received')) ?? '', /call\.ringing/)
    assert.equal(routingObjection(true, target('message.received', 'call.ringing')), undefined)
  })

  test('an event is kept while a number relies on it, and the numbers are named', () => {
    assert.match(
      eventsObjection([], [plain, forwarding]) ?? '',
      /message\.received is needed by \+1555, \+1666/,
    )
    assert.match(
      eventsObjection(['message.received'], [plain, forwarding]) ?? '',
      /call\.ringing is needed by \+1666:/,
    )
    assert.equal(eventsObjection(['message.received'], [plain]), undefined)
    assert.equal(eventsObjection(['call.status'], []), undefined)
  })

  test('an endpoint with numbers stays', () => {
    assert.match(removalObjection([plain]) ?? '', /\+1555 is routed/)
    assert.equal(removalObjection([]), undefined)
  })

  test('events come once each, in the order of the catalogue', () => {
    assert.deepEqual(orderedEvents(['call.accepted', 'message.status', 'call.accepted']), [
      'message.status',
      'call.accepted',
    ])
  })
})
