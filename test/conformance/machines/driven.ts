import type { ProviderError } from '../../../src/contract/provider.ts'
import type { CampaignStatus } from '../../../src/contract/records/campaign.ts'
import type { SendVerdict } from '../../../src/messaging/send-policy.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import {
  type CampaignId,
  type EndpointId,
  type MessageId,
  newId,
  type RecipientId,
} from '../../../src/shared/ids.ts'
import { message, type Thread, thread } from '../../support/fixtures.ts'
import { testMessageStore } from '../../support/message-store.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'
import type { MachineName } from './observe.ts'

export interface Row {
  readonly id: string
  readonly tenant: Tenant
  /** These four are set if the row has them. */
  readonly thread?: Thread
  readonly campaignId?: CampaignId
  readonly recipientId?: RecipientId
  readonly endpointId?: EndpointId
}

export interface Driven {
  /** Path below src. */
  readonly file: string
  readonly name: string
  readonly machine: MachineName
  readonly place: (sql: Pool, state: string) => Promise<Row>
  readonly run: (sql: Pool, row: Row) => Promise<unknown>
}

export type Run = Driven['run']

export const author = (row: Row) => ({
  workspaceId: row.tenant.workspaceId,
  operatorId: null as never,
  ip: '::1',
})
const event = () => ({ eventId: newId('event'), body: Buffer.from('{}') })
export const error: ProviderError = {
  ...{ code: '1', title: 'No', details: null, httpStatus: 400 },
  ...{ class: 'permanent', retryAfterMs: null },
}

/** Gives an accepted message its own provider message id, because these ids are unique. */
const fresh = (verdict: SendVerdict): SendVerdict =>
  verdict.type === 'accepted' ? { ...verdict, providerMessageId: newId('message') } : verdict

export const verdicts: readonly SendVerdict[] = [
  { type: 'accepted', providerMessageId: '', held: false, recipientPhone: null },
  { type: 'accepted', providerMessageId: '', held: true, recipientPhone: null },
  { type: 'again', delayMs: 0, counts: true, slow: null, error },
  { type: 'failed', error },
  { type: 'unknown', error },
]

export async function threadOf(sql: Pool): Promise<{ tenant: Tenant; thread: Thread }> {
  const tenant = await addTenant(sql)
  const number = { id: tenant.numberId, number: tenant.number }
  return { tenant, thread: await thread(sql, tenant.workspaceId, number) }
}

/** A message in its first attempt, past every time limit. */
export const sending = { sendState: 'SENDING', sendAttempts: 1, sendDueAt: new Date(0) }

export const placeMessage =
  (patch: (state: string) => Record<string, unknown>): Driven['place'] =>
  async (sql, state) => {
    const own = await threadOf(sql)
    return { ...own, id: await message(sql, own.thread, patch(state)) }
  }

/** A recipient of a campaign, with its message. */
export async function placeRecipient(
  sql: Pool,
  { recipient, of, row }: { recipient: string; of: CampaignStatus; row: Record<string, unknown> },
): Promise<Row> {
  const own = await threadOf(sql)
  const { workspaceId, numberId } = own.tenant
  const campaignId = newId('campaign')
  const recipientId = newId('recipient')
  await sql`
    insert into campaigns (id, workspace_id, name, status, number_id, template_name, template_language)
    values (${campaignId}, ${workspaceId}, 'Spring', ${of}, ${numberId}, 'hello', 'en_US')`
  const id = await message(sql, own.thread, { campaignId, recipientId, ...row })
  await sql`
    insert into recipients (id, workspace_id, campaign_id, wa_id, status, message_id)
    values (${recipientId}, ${workspaceId}, ${campaignId}, ${own.thread.waId}, ${recipient}, ${id})`
  return { ...own, id, campaignId, recipientId }
}

export const recipientIn =
  (of: CampaignStatus, row: Record<string, unknown> = sending): Driven['place'] =>
  (sql, recipient) =>
    placeRecipient(sql, { recipient, of, row })

/** Every outcome of a send in sequence: each one starts from the state that the previous one left. */
export const finishEach =
  (by: 'single' | 'campaign'): Run =>
  async (sql, { id, recipientId = null }) => {
    for (const verdict of verdicts)
      await testMessageStore(sql).finishSend({
        ...{ messageId: id as MessageId, recipientId, attempt: 1, by, verdict: fresh(verdict) },
        failure: verdict.type === 'failed' ? event() : null,
      })
  }

export const finish =
  (by: 'single' | 'campaign', verdict: SendVerdict): Run =>
  (sql, { id, recipientId = null }) =>
    testMessageStore(sql).finishSend({
      ...{ messageId: id as MessageId, recipientId, attempt: 1, by, verdict: fresh(verdict) },
      failure: verdict.type === 'failed' ? event() : null,
    })

export const changeStatus =
  (status: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED'): Run =>
  (sql, { id, recipientId = null }) =>
    testMessageStore(sql).changeStatuses([
      {
        ...{ messageId: id as MessageId, recipientId, providerMessageId: null, status },
        ...{ at: new Date(), error: null, ...event() },
      },
    ])

export const statuses = ['SENT', 'DELIVERED', 'READ', 'FAILED'] as const
export const lose: Run = (sql) => testMessageStore(sql).lostSends(1_000)
