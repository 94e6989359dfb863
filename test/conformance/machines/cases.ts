// Every statement that changes the state of rows.
import { callMachines } from '../../../src/calls/call.machine.ts'
import { createCallsStore } from '../../../src/calls/store/calls.store.ts'
import type { CallStatus } from '../../../src/contract/records/call.ts'
import { templateStatuses } from '../../../src/contract/records/catalog.ts'
import type { Direction } from '../../../src/contract/records/message.ts'
import { createPartitionStore } from '../../../src/delivery/store/partitions.store.ts'
import { createCatalogSyncStore } from '../../../src/messaging/store/catalog-sync.store.ts'
import { createTemplateStore } from '../../../src/messaging/store/templates.store.ts'
import type { CallId } from '../../../src/shared/ids.ts'
import { call } from '../../support/fixtures.ts'
import { testAccounts } from '../../support/message-store.ts'
import { addTenant } from '../../support/rows.ts'
import { deliveryCases, endpointCases, placeDelivery } from './delivery-cases.ts'
import { type Driven, threadOf } from './driven.ts'
import { messageCases } from './message-cases.ts'
import { campaignCases, recipientCases } from './recipient-cases.ts'

const placeTemplate: Driven['place'] = async (sql, status) => {
  const tenant = await addTenant(sql)
  await sql`update workspaces set waba_id = ${tenant.workspaceId} where id = ${tenant.workspaceId}`
  await sql`update templates set status = ${status} where workspace_id = ${tenant.workspaceId}`
  return { id: tenant.workspaceId, tenant }
}

const template = {
  ...{ name: 'hello', language: 'en_US', category: 'UTILITY', parameterFormat: 'POSITIONAL' },
  ...{ providerTemplateId: '1', components: [], rejectedReason: null },
} as const

const templateCases = templateStatuses.flatMap((status): Driven[] => [
  {
    ...{ file: 'messaging/store/catalog-sync.store.ts', name: `an update to ${status}`, machine: 'template' },
    place: placeTemplate,
    run: (sql, { id }) =>
      createCatalogSyncStore(sql, testAccounts).applyTemplateChange({
        ...{ type: 'templateStatus', wabaId: id, name: 'hello', language: 'en_US', status, reason: null },
        at: new Date(),
      } as never),
  },
  {
    ...{ file: 'messaging/store/templates.store.ts', name: `a sync to ${status}`, machine: 'template' },
    place: placeTemplate,
    run: (sql, { tenant }) =>
      createTemplateStore(sql).upsert(tenant.workspaceId, [{ ...template, status }] as never),
  },
])

const templateGone: Driven = {
  ...{ file: 'messaging/store/templates.store.ts', name: 'a list without it', machine: 'template' },
  place: placeTemplate,
  async run(sql, { tenant, id: workspaceId }) {
    await sql`update templates set updated_at = now() - interval '1 hour' where workspace_id = ${workspaceId}`
    await createTemplateStore(sql).upsert(tenant.workspaceId, [], {
      named: [{ name: 'other', language: 'en_US' }],
    })
  },
}

const placeCall =
  (direction: Direction): Driven['place'] =>
  async (sql, status) => {
    const own = await threadOf(sql)
    return { ...own, id: await call(sql, own.thread, { direction, status }) }
  }

const callCases = (['INBOUND', 'OUTBOUND'] as const).flatMap((direction): Driven[] =>
  (Object.keys(callMachines[direction]) as CallStatus[])
    .filter((to) => Object.values(callMachines[direction]).some((next) => next.includes(to)))
    .map((to) => ({
      ...{
        file: 'calls/store/call-changes.store.ts',
        name: `a change to ${to}`,
        place: placeCall(direction),
      },
      machine: direction === 'INBOUND' ? 'inboundCall' : 'outboundCall',
      async run(sql, { id }) {
        const calls = createCallsStore(sql)
        const taken = await calls.take(id, { sid: 's', exclusive: false, silenceMs: 0 })
        if (!taken) throw new Error('no such call')
        const row = { ...taken.row, status: to, version: taken.row.version + 1 }
        await calls.change(id as CallId, taken.epoch, [{ row, body: null, notes: [] }])
      },
    })),
)

export const cases: readonly Driven[] = [
  ...messageCases,
  ...recipientCases,
  ...campaignCases,
  ...deliveryCases,
  ...endpointCases,
  ...templateCases,
  templateGone,
  ...callCases,
  // Drops today's partition with all its rows, and creates it again.
  {
    ...{ file: 'delivery/store/partitions.store.ts', name: 'dropPartitions', machine: 'delivery' },
    place: placeDelivery(),
    run: async (sql) => {
      await createPartitionStore(sql).dropPartitions(-5)
      await createPartitionStore(sql).ensurePartitions()
    },
  },
]
