import { reportOf } from '../../../src/delivery/endpoint-work.ts'
import type { AttemptVerdict } from '../../../src/delivery/settle-attempt.ts'
import { createAttemptStore } from '../../../src/delivery/store/attempts.store.ts'
import { createDeliveryStore } from '../../../src/delivery/store/deliveries.store.ts'
import { createReplayStore } from '../../../src/delivery/store/deliveries-replay.store.ts'
import { createEndpointAdminStore } from '../../../src/delivery/store/endpoints-admin.store.ts'
import { createDeliveryEraser } from '../../../src/delivery/store/erase-deliveries.ts'
import { replayChosen } from '../../../src/delivery/store/replay-chosen.ts'
import type { DeliveryId, EndpointId, Uuid } from '../../../src/shared/ids.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'
import { author, type Driven, type Run } from './driven.ts'

export const placeDelivery =
  (standing: { enabled: boolean; failures?: number } = { enabled: true }): Driven['place'] =>
  async (sql, state) => {
    const tenant = await addTenant(sql)
    const endpointId = await addEndpoint(sql, tenant.workspaceId, standing)
    await emitEvent(sql, tenant.workspaceId)
    const [row] = await sql<[{ id: string }]>`
      update deliveries set state = ${state} where endpoint_id = ${endpointId} returning id`
    return { id: row.id, tenant, endpointId }
  }

const attempted =
  (verdict: AttemptVerdict, replay = false): Run =>
  (sql, { id, tenant, endpointId }) =>
    createAttemptStore(sql).record([
      {
        item: {
          ...{ deliveryId: id as DeliveryId, kind: 'message.status', key: '', eventId: '', after: null },
          ...{ body: '{}', attemptNumber: 1, replay },
        },
        ...{ workspaceId: tenant.workspaceId, endpointId: endpointId as EndpointId },
        ...{ startedAt: new Date(), endedAt: new Date(), verdict },
        report: reportOf({ type: 'refused', statusCode: 500 }),
        counts: 'failure',
      },
    ])

const replays = 'delivery/store/deliveries-replay.store.ts'
export const deliveryCases: Driven[] = [
  ...(
    [{ type: 'delivered' }, { type: 'retry', delayMs: 1 }, { type: 'failed' }, { type: 'blocked' }] as const
  ).flatMap((verdict) =>
    [true, false].map(
      (enabled): Driven => ({
        ...{
          file: 'delivery/store/attempts.store.ts',
          machine: 'delivery',
          place: placeDelivery({ enabled }),
        },
        name: `record ${verdict.type}, the endpoint ${enabled ? 'on' : 'off'}`,
        run: attempted(verdict),
      }),
    ),
  ),
  ...(['failed', 'blocked'] as const).map(
    (type): Driven => ({
      ...{
        file: 'delivery/store/attempts.store.ts',
        name: `record ${type} of a replay`,
        machine: 'delivery',
      },
      place: placeDelivery(),
      // Of a delivered one where the replay could be asked for: the row then goes back to DELIVERED.
      async run(sql, row) {
        await createReplayStore(sql).replay(author(row), row.id as DeliveryId)
        await attempted({ type }, true)(sql, row)
      },
    }),
  ),
  {
    ...{ file: 'delivery/store/erase-deliveries.ts', name: 'ofKeys', machine: 'delivery' },
    place: placeDelivery(),
    async run(sql, { id, tenant }) {
      const [row] = await sql<[{ key: Uuid }]>`select key from deliveries where id = ${id}`
      await createDeliveryEraser(sql).ofKeys(tenant.workspaceId, [row.key])
    },
  },
  {
    ...{ file: replays, name: 'replay', machine: 'delivery', place: placeDelivery() },
    run: (sql, row) => createReplayStore(sql).replay(author(row), row.id as DeliveryId),
  },
  {
    ...{ file: replays, name: 'replayMany', machine: 'delivery', place: placeDelivery() },
    run: (sql, row) =>
      createReplayStore(sql).replayMany(author(row), row.endpointId as EndpointId, {
        states: ['DELIVERED', 'FAILED', 'HELD', 'DISCARDED', 'BLOCKED'],
        since: undefined,
      }),
  },
  {
    ...{ file: 'delivery/store/replay-chosen.ts', name: 'replayChosen', machine: 'delivery' },
    place: placeDelivery(),
    run: (sql, row) => sql.begin((tx) => replayChosen(tx, author(row), [row.id as DeliveryId])),
  },
  {
    ...{ file: replays, name: 'discardHeld', machine: 'delivery', place: placeDelivery() },
    run: (sql, row) =>
      createReplayStore(sql).discardHeld(author(row), row.endpointId as EndpointId, undefined),
  },
  ...(['HELD', 'DISCARDED'] as const).map(
    (to): Driven => ({
      ...{ file: replays, name: `close to ${to}`, machine: 'delivery' },
      place: placeDelivery({ enabled: false }),
      run: (sql, row) => createReplayStore(sql).close(row.endpointId as EndpointId, to),
    }),
  ),
  {
    ...{ file: 'delivery/store/deliveries.store.ts', name: 'holdForDisabled', machine: 'delivery' },
    place: placeDelivery({ enabled: false }),
    run: (sql) => createDeliveryStore(sql).holdForDisabled(1_000),
  },
  {
    ...{ file: 'delivery/store/endpoints-admin.store.ts', name: 'enable', machine: 'delivery' },
    place: placeDelivery({ enabled: false }),
    run: (sql, row) => createEndpointAdminStore(sql).enable(author(row), row.endpointId as EndpointId),
  },
]

const placeEndpoint: Driven['place'] = async (sql, standing) => {
  const row = await placeDelivery({ enabled: standing === 'ON', failures: 19 })(sql, 'PENDING')
  if (standing === 'DELETED')
    await sql`update endpoints set deleted_at = now() where id = ${row.endpointId ?? ''}`
  return row
}

export const endpointCases: Driven[] = [
  ...(['enable', 'disable', 'remove'] as const).map(
    (operation): Driven => ({
      ...{ file: 'delivery/store/endpoints-admin.store.ts', name: operation, machine: 'endpoint' },
      place: placeEndpoint,
      run: (sql, row) => createEndpointAdminStore(sql)[operation](author(row), row.endpointId as EndpointId),
    }),
  ),
  {
    ...{ file: 'delivery/store/attempts.store.ts', name: 'the twentieth failure', machine: 'endpoint' },
    place: placeEndpoint,
    run: attempted({ type: 'failed' }),
  },
]
