// Asserts that an event has exactly the form of the API contract: on the wire, in its headers, in its body.
import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import type { Json } from './clients.ts'
import type { Received } from './inbox.ts'
import type { Scene } from './scene.ts'

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A queued event: both receivers got the same bytes, with the common fields and exactly this data. */
export function assertQueued(
  { https, socket }: Scene,
  { post, frame }: { post: Received; frame: Received },
  expected: { readonly event: string; readonly data: Json },
): void {
  assert.deepEqual(frame.raw, post.raw, 'both transports carry the same bytes')
  assertEnvelope(post.body, expected)
  assertPosted(post, https.secret, expected.event)
  assert.equal(https.forged, 0)
  assert.deepEqual(
    socket.connections.map(({ isGenuine }) => isGenuine),
    socket.connections.map(() => true),
  )
}

/** No field is missing and none is added. Status events also carry `occurredAt` in their data. */
function assertEnvelope(body: Json, { event, data }: { event: string; data: Json }): void {
  const { occurredAt, ...rest } = body.data
  if (event === 'message.received') assert.equal(occurredAt, undefined)
  else assert.match(occurredAt, TIMESTAMP)
  assert.deepEqual({ ...body, data: rest }, { event, sentAt: body.sentAt, data })
  assert.match(body.sentAt, TIMESTAMP)
}

/** Checks the headers of a POST. The receiver has already checked `x-communication-signature-256`. */
function assertPosted({ headers, raw, body }: Received, secret: string, event: string): void {
  assert.equal(body.event, event)
  assert.equal(headers['content-type'], 'application/json')
  assert.match(String(headers['user-agent']), /^Switchboard-Webhooks\/\d+\.\d+\.\d+$/)
  assert.equal(headers['x-communication-event'], event)
  assert.match(String(headers['x-communication-attempt']), /^[1-6]$/)
  const delivery = String(headers['x-communication-delivery'])
  assert.match(delivery, /^dlv_[0-9a-z]{26}$/)
  assert.equal(headers['webhook-id'], delivery)
  // The Standard Webhooks library verifies the request without adaptation.
  new Webhook(secret).verify(raw, {
    'webhook-id': delivery,
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  })
}

/** A direct event has exactly these fields. */
export function assertDirect(body: Json, event: string, call: Json): void {
  assert.deepEqual(body, { event, channel: 'CHAT', call })
}
