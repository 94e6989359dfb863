// A RUNNING campaign over a real database, a new one for each test, and the stores that send it.
import assert from 'node:assert/strict'
import type { ClaimedRecipient, PickedRecipient, RunningCampaign } from '../../../src/campaigns/send-ports.ts'
import { createCampaignLifeStore } from '../../../src/campaigns/store/campaign-life.store.ts'
import { createCampaignSendStore } from '../../../src/campaigns/store/campaign-sends.store.ts'
import { createCampaignReader } from '../../../src/campaigns/store/campaigns-read.store.ts'
import type { ProviderError } from '../../../src/contract/provider.ts'
import type { SendOutcome } from '../../../src/messaging/ports.ts'
import { type CampaignId, newId } from '../../../src/shared/ids.ts'
import { beforeEach } from '../../support/harness.ts'
import { testAccounts, testMessageStore } from '../../support/message-store.ts'
import { sharedPool, testDatabase } from '../../support/postgres.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'

export const sql = sharedPool(await testDatabase())
export const store = createCampaignSendStore(sql, testAccounts)
export const life = createCampaignLifeStore({ sql, bulk: sql }, testAccounts)
export const messages = testMessageStore(sql)

/** Writes the outcome of a claimed recipient's attempt. */
export const finish = ({ id: recipientId, messageId, attempt, verdict, failure }: Ended) =>
  messages.finishSend({ recipientId, messageId, attempt, verdict, failure, by: 'campaign' })

type Ended = Pick<ClaimedRecipient, 'id' | 'messageId' | 'attempt'> & Pick<SendOutcome, 'verdict' | 'failure'>

export let tenant: Tenant
export let campaign: RunningCampaign

/** Gives each test of the calling file a tenant and a campaign of its own. */
export const newCampaignForEachTest = (): void =>
  beforeEach(async () => {
    tenant = await addTenant(sql)
    campaign = await runningCampaign()
  })

export async function runningCampaign(of = tenant): Promise<RunningCampaign> {
  const id = newId('campaign')
  await sql`
    insert into campaigns (id, workspace_id, name, status, number_id, template_name, template_language)
    values (${id}, ${of.workspaceId}, 'Spring', 'RUNNING', ${of.numberId}, 'hello', 'en_US')`
  const { sendable } = await store.running(of.numberId)
  const found = sendable.find((each) => each.id === id)
  assert.ok(found)
  return found
}

/** Starts the campaign again after a pause. */
export async function resumed(): Promise<RunningCampaign> {
  await life.move(tenant.workspaceId, campaign.id, () => ({ to: 'RUNNING', pauseReason: null }))
  const { sendable } = await store.running(tenant.numberId)
  return sendable.find(({ id }) => id === campaign.id) ?? assert.fail('not sendable')
}

export const record = async ({ workspaceId, id }: Pick<RunningCampaign, 'workspaceId' | 'id'> = campaign) =>
  (await createCampaignReader(sql).find(workspaceId, id)) ?? assert.fail()

export const waIdOf = (index: number): string => `1557${String(index).padStart(7, '0')}`

export async function addRecipients(id: CampaignId, count: number, from = 0, of = tenant): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: newId('recipient'),
    workspaceId: of.workspaceId,
    campaignId: id,
    waId: waIdOf(from + index),
  }))
  await sql`insert into recipients ${sql(rows)}`
}

export const judge = ({ messageId }: PickedRecipient) => ({
  ...({ type: 'send', text: 'Hello', variables: {} } as const),
  messageId: messageId ?? newId('message'),
  isRepeated: messageId !== null,
})

export async function claim(limit: number, from = campaign): Promise<readonly ClaimedRecipient[]> {
  const batch = await store.claim(from, limit, judge)
  assert.ok(batch)
  return batch.claimed
}

export const statuses = async (): Promise<Record<string, number>> => {
  const rows = await sql<{ status: string; count: number }[]>`
    select status, count(*)::int as count from recipients where campaign_id = ${campaign.id} group by status`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

export const optOut = (waId: string) => sql`
  insert into contacts (id, workspace_id, wa_id, opt_state)
  values (new_uuid(), ${tenant.workspaceId}, ${waId}, 'opted-out')
  on conflict (workspace_id, wa_id) do update set opt_state = 'opted-out'`

export const again = (delayMs: number, counts = false) =>
  ({ type: 'again', delayMs, counts, slow: null, error: null }) as const

export const accepted = (): SendOutcome['verdict'] => ({
  ...({ type: 'accepted', held: false, recipientPhone: null } as const),
  providerMessageId: `wamid.${newId('message')}`,
})

export const refusal: ProviderError = {
  ...{ code: '131026', title: 'No', details: null, httpStatus: 400 },
  ...{ class: 'permanent', retryAfterMs: null },
}
