// Deliveries that an operator has selected are replayed by one request.
import assert from 'node:assert/strict'
import type { DeliveryState } from '../../../src/contract/records/delivery.ts'
import { decodeId, encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const admin = await world.as('ADMIN')
const ws = `/workspaces/${world.ws}`
const hook = {
  name: 'Receiver',
  url: 'https://bot.example.com/',
  events: ['message.received', 'call.status'],
}

const addEndpoint = async (): Promise<string> => (await admin('POST', `${ws}/endpoints`, hook)).body.id

/** One delivery in each of these states. */
const add = (endpointId: string, states: readonly DeliveryState[]): Promise<string[]> =>
  Promise.all(
    states.map(async (state) => {
      const [eventId, key] = [newId('event'), newId('call')]
      const [row] = await world.sql<{ id: string }[]>`
        with event as (
          insert into events (id, workspace_id, kind, key, body)
          values (${eventId}, ${world.workspaceId}, 'call.status', ${key}, '{}'))
        insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state)
        values (new_uuid(), ${world.workspaceId}, ${eventId}, ${decodeId('endpoint', endpointId) ?? ''}, 'call.status',
          ${key}, ${state})
        returning id`
      return encodeId('delivery', row?.id ?? '')
    }),
  )

const states = async (ids: readonly string[]): Promise<string[]> => {
  const { data } = (await admin('GET', `${ws}/deliveries?ids=${ids}`)).body
  return ids.map((id) => data.find((row: Json) => row.id === id)?.state)
}

const replay = (ids: readonly string[]) => admin('POST', `${ws}/deliveries/replay`, { ids })

describe('chosen deliveries', () => {
  test('are replayed where they can be, and of each other it is said why not', async () => {
    const endpoint = await addEndpoint()
    const [failed = '', held = '', pending = '', old = ''] = await add(endpoint, [
      'FAILED',
      'HELD',
      'PENDING',
      'DELIVERED',
    ])
    await world.sql`
      delete from events where id = (select event_id from deliveries where id = ${decodeId('delivery', old) ?? ''})`
    const away = await addEndpoint()
    const [toOff = ''] = await add(away, ['FAILED'])
    await admin('POST', `${ws}/endpoints/${away}/disable`)
    const gone = await addEndpoint()
    const [toGone = ''] = await add(gone, ['FAILED'])
    await admin('DELETE', `${ws}/endpoints/${gone}`)
    const nowhere = encodeId('delivery', newId('delivery'))
    const ids = [failed, held, failed, pending, old, toOff, toGone, nowhere]
    const reply = await replay(ids)
    assert.equal(reply.status, 202, JSON.stringify(reply.body))
    assert.deepEqual(reply.body.replayed.sort(), [failed, held].sort())
    assert.deepEqual(
      Object.fromEntries(reply.body.refused.map(({ id, reason }: Record<string, string>) => [id, reason])),
      {
        [pending]: 'STILL_WAITING',
        [old]: 'PAST_RETENTION',
        [toOff]: 'ENDPOINT_OFF',
        [toGone]: 'ENDPOINT_DELETED',
        [nowhere]: 'NOT_FOUND',
      },
    )
    assert.deepEqual(await states([failed, held, toOff]), ['PENDING', 'PENDING', 'FAILED'])
    assert.equal(world.hints.woken.at(-1), decodeId('endpoint', endpoint))
    const [entry] = (await admin('GET', `${ws}/audit?limit=1`)).body.data
    assert.equal(entry.action, 'delivery.selection_replayed')
    assert.deepEqual(entry.after, { count: 2, deliveries: [failed, held].sort() })
    const again = await replay([failed])
    assert.deepEqual(again.body, { replayed: [], refused: [{ id: failed, reason: 'STILL_WAITING' }] })
  })

  test('are replayed once by two clicks; at most 200, and none of another workspace', async () => {
    const endpoint = await addEndpoint()
    const ids = await add(endpoint, ['FAILED', 'FAILED', 'FAILED'])
    const replies = await Promise.all([1, 2].map(() => replay(ids)))
    assert.equal(replies.flatMap(({ body }) => body.replayed).length, 3)
    assert.equal(replies.flatMap(({ body }) => body.refused).length, 3)
    const many = Array.from({ length: 201 }, () => encodeId('delivery', newId('delivery')))
    for (const bad of [[], many, ['msg_1']]) assert.equal((await replay(bad)).status, 400)
    const other = await world.addWorkspace('Elsewhere')
    const stranger = await world.as('OWNER', { workspaceId: other })
    const theirs = `/workspaces/${encodeId('workspace', other)}`
    const [left = ''] = await add(endpoint, ['FAILED'])
    const foreign = await stranger('POST', `${theirs}/deliveries/replay`, { ids: [left] })
    assert.deepEqual(foreign.body, { replayed: [], refused: [{ id: left, reason: 'NOT_FOUND' }] })
    assert.deepEqual(await states([left]), ['FAILED'])
  })
})
