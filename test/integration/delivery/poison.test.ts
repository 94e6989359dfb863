// A message that the endpoint actor cannot handle: it is parked for an operator, and the endpoint continues.
import assert from 'node:assert/strict'
import { runOperatorCommand } from '../../../src/accounts/host/operator-commands.ts'
import type { QueuedItem } from '../../../src/delivery/endpoint.ts'
import { toItem } from '../../../src/delivery/host/dispatch.ts'
import { createActorEvents } from '../../../src/platform/observability/actor-events.ts'
import { createMetrics } from '../../../src/platform/observability/metrics.ts'
import { createParkedMessageStore } from '../../../src/platform/postgres/parked-messages.store.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { test } from '../../support/harness.ts'
import { emitEvent } from '../../support/rows.ts'
import { Cluster, emitTo, endpointAt, settled, sql, until } from './nodes.ts'
import { onRequest, rawReceiver } from './outbound/receivers.ts'

test('is logged, counted and parked once; what it left half done is done from the rows', async (t) => {
  const port = await rawReceiver(t, (socket) =>
    onRequest(socket, () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
  )
  const logged: { event: string; fields: object }[] = []
  const parked = createParkedMessageStore(sql)
  const metrics = createMetrics()
  const observe = createActorEvents({
    metrics,
    park: parked.add,
    log: { warn: (fields, event) => logged.push({ event, fields }) },
  })
  const node = new Cluster(t).node(systemClock, observe('endpoint'))
  const endpoint = await endpointAt(`http://127.0.0.1:${port}/`)
  assert.equal((await settled(await emitTo(node, endpoint))).state, 'DELIVERED')

  const poison = { deliveryId: 'none', attemptNumber: 1 } as unknown as QueuedItem
  for (const times of [1, 2]) {
    const [written] = await emitEvent(sql, endpoint.workspaceId)
    if (!written) assert.fail('nobody wants the event')
    // The actor had queued the first item before it threw on the second one.
    const told = await node.webhooks.directory.tell(endpoint.endpointId, {
      type: 'deliver',
      items: [toItem(written), poison],
    })
    assert.equal(told.type, 'accepted')
    const row = await until('the message is parked', async () => {
      const rows = await parked.list(10)
      return rows.find(({ actorId, count }) => actorId === endpoint.endpointId && count === times)
    })
    assert.equal(row.kind, 'endpoint')
    assert.equal(row.messageType, 'deliver')
    assert.match(row.error, /^TypeError/)
    void node.webhooks.directory.tell(endpoint.endpointId, { type: 'wake' })
    assert.equal((await settled(written.deliveryId)).state, 'DELIVERED')
  }
  assert.equal((await settled(await emitTo(node, endpoint))).state, 'DELIVERED')

  const events = logged.map(({ event }) => event)
  assert.deepEqual(events, ['actor.parked', 'actor.dropped', 'actor.parked', 'actor.dropped'])
  assert.match(JSON.stringify(logged[0]), /attempt-queue/, 'the log says where it was thrown')
  const scraped = String((await metrics.answer()).body)
  assert.match(scraped, /switchboard_actor_parked_messages_total\{kind="endpoint"\} 2/)
  assert.match(scraped, /switchboard_actor_drops_total\{kind="endpoint",reason="threw"\} 2/)

  const command = { words: ['parked'], name: undefined, waba: undefined, platformOwner: false, force: false }
  const lines = await runOperatorCommand({ sql, makePassword: () => '' }, { ...command, password: undefined })
  assert.match(lines.join('\n'), /whe_\w+ {2}deliver {2}2 times {2}TypeError/)

  await sql`update actor_dead_letters set last_at = now() - interval '8 days'`
  await parked.forget(7)
  assert.equal((await parked.list(10)).length, 0)
})
