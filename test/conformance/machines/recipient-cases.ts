import { createCampaignLifeStore } from '../../../src/campaigns/store/campaign-life.store.ts'
import { pauseRefused } from '../../../src/campaigns/store/campaign-refusals.store.ts'
import { createCampaignSendStore } from '../../../src/campaigns/store/campaign-sends.store.ts'
import { createUnknownStore } from '../../../src/campaigns/store/campaign-unknown.store.ts'
import { campaignsHalted } from '../../../src/campaigns/store/campaigns-halted.ts'
import { campaignStatuses } from '../../../src/contract/records/campaign.ts'
import { type CampaignId, type MessageId, newId, type RecipientId } from '../../../src/shared/ids.ts'
import { testAccounts } from '../../support/message-store.ts'
import { addTenant } from '../../support/rows.ts'
import {
  changeStatus,
  type Driven,
  error,
  finish,
  lose,
  placeRecipient,
  recipientIn,
  sending,
  statuses,
  verdicts,
} from './driven.ts'

export const recipientCases: Driven[] = [
  ...(['RUNNING', 'CANCELLED', 'COMPLETED'] as const).flatMap((of) => [
    ...verdicts.map(
      (verdict): Driven => ({
        ...{ file: 'campaigns/store/recipients-follow.ts', machine: 'recipient', place: recipientIn(of) },
        name: `after ${JSON.stringify(verdict)} while ${of}`,
        run: finish('campaign', verdict),
      }),
    ),
    ...statuses.map(
      (status): Driven => ({
        ...{ file: 'campaigns/store/recipients-follow.ts', machine: 'recipient', place: recipientIn(of) },
        name: `after ${status} while ${of}`,
        run: changeStatus(status),
      }),
    ),
    {
      ...{ file: 'campaigns/store/recipients-follow.ts', machine: 'recipient', place: recipientIn(of) },
      name: `after a lost send while ${of}`,
      run: lose,
    } satisfies Driven,
  ]),
  ...(['send', 'fail'] as const).map(
    (type): Driven => ({
      ...{ file: 'campaigns/store/campaign-claims.store.ts', name: `claim to ${type}`, machine: 'recipient' },
      place: recipientIn('RUNNING', { sendState: 'PENDING', sendAttempts: 1 }),
      run: async (sql, { tenant, campaignId }) => {
        const store = createCampaignSendStore(sql, testAccounts)
        const { sendable } = await store.running(tenant.numberId)
        const campaign = sendable.find(({ id }) => id === campaignId)
        if (!campaign) throw new Error('the campaign cannot send')
        await store.claim(campaign, 10, ({ messageId }) =>
          type === 'fail'
            ? { type, error }
            : { type, messageId: messageId ?? newId('message'), isRepeated: true, text: '', variables: {} },
        )
      },
    }),
  ),
  {
    ...{ file: 'campaigns/store/campaign-claims.store.ts', name: 'claim of a repeat', machine: 'send' },
    place: (sql, sendState) =>
      placeRecipient(sql, {
        ...{ recipient: 'PENDING', of: 'RUNNING' },
        row: { ...sending, sendState },
      }),
    run: async (sql, { tenant }) => {
      const store = createCampaignSendStore(sql, testAccounts)
      const { sendable } = await store.running(tenant.numberId)
      for (const campaign of sendable)
        await store.claim(campaign, 10, ({ messageId }) => ({
          ...{
            type: 'send',
            messageId: messageId ?? newId('message'),
            isRepeated: true,
            text: '',
            variables: {},
          },
        }))
    },
  },
  {
    ...{
      file: 'campaigns/store/campaign-claims.store.ts',
      name: 'claim of who opted out',
      machine: 'recipient',
    },
    place: recipientIn('RUNNING'),
    run: async (sql, { tenant, thread: own }) => {
      await sql`update contacts set opt_state = 'opted-out' where id = ${own?.contactId ?? ''}`
      const store = createCampaignSendStore(sql, testAccounts)
      const { sendable } = await store.running(tenant.numberId)
      for (const campaign of sendable)
        await store.claim(campaign, 10, () => {
          throw new Error('nobody is to be sent to')
        })
    },
  },
  ...(['CANCELLED', 'COMPLETED'] as const).map(
    (of): Driven => ({
      ...{ file: 'campaigns/store/campaign-life.store.ts', machine: 'recipient', place: recipientIn(of) },
      name: `cancelWaiting while ${of}`,
      run: (sql, { campaignId }) =>
        createCampaignLifeStore({ sql, bulk: sql }, testAccounts).cancelWaiting(campaignId as CampaignId),
    }),
  ),
  ...(['RUNNING', 'COMPLETED'] as const).map(
    (of): Driven => ({
      ...{ file: 'campaigns/store/campaign-unknown.store.ts', machine: 'recipient', place: recipientIn(of) },
      name: `resend while ${of}`,
      run: (sql, { id, campaignId, recipientId, thread: own }) =>
        createUnknownStore(sql).resend(campaignId as CampaignId, [
          {
            ...{ messageId: id as MessageId, recipientId: recipientId as RecipientId },
            ...{ conversationId: own?.conversationId as never, newMessageId: newId('message') },
            ...{ text: 'Hello', variables: {} },
          },
        ]),
    }),
  ),
]

const placeCampaign: Driven['place'] = async (sql, status) => {
  const tenant = await addTenant(sql)
  const id = newId('campaign')
  await sql`
    insert into campaigns (id, workspace_id, name, status, number_id, template_name, template_language)
    values (${id}, ${tenant.workspaceId}, 'Spring', ${status}, ${tenant.numberId}, 'hello', 'en_US')`
  return { id, tenant }
}

export const campaignCases: Driven[] = [
  ...campaignStatuses
    // No operation of a user sets a campaign to COMPLETED.
    .filter((to) => to !== 'COMPLETED')
    .map(
      (to): Driven => ({
        ...{ file: 'campaigns/store/campaign-life.store.ts', machine: 'campaign', place: placeCampaign },
        name: `move to ${to}`,
        run: (sql, { id, tenant }) =>
          createCampaignLifeStore({ sql, bulk: sql }, testAccounts).move(
            tenant.workspaceId,
            id as CampaignId,
            () => ({ to, pauseReason: null }),
          ),
      }),
    ),
  {
    ...{ file: 'campaigns/store/campaign-sends.store.ts', machine: 'campaign', place: placeCampaign },
    name: 'pause',
    run: (sql, { id, tenant }) =>
      createCampaignSendStore(sql, testAccounts).pause(
        { ...tenant, id: id as CampaignId, epoch: 0 },
        { reason: 'BILLING', scope: 'workspace' },
      ),
  },
  {
    ...{ file: 'campaigns/store/campaign-sends.store.ts', machine: 'campaign', place: placeCampaign },
    name: 'complete',
    run: (sql, { id }) =>
      createCampaignSendStore(sql, testAccounts).complete({ id: id as CampaignId, epoch: 0 }),
  },
  {
    ...{ file: 'campaigns/store/campaigns-halted.ts', machine: 'campaign', place: placeCampaign },
    name: 'pause by a state of the account',
    run: (sql, { tenant }) => sql`
      with stated as (
        select ${tenant.workspaceId}::uuid as workspace_id, 'DISABLE' as status, 'Disabled.' as message,
          null::timestamptz as until, array['CAMPAIGNS'] as stops
      ),
      ${campaignsHalted(sql, 'stated')}
      select`,
  },
  {
    ...{ file: 'campaigns/store/campaign-refusals.store.ts', machine: 'campaign', place: placeCampaign },
    name: 'pause after refusals',
    async run(sql, { id, tenant }) {
      await sql`
        insert into campaign_refusals (campaign_id, workspace_id, epoch, code, in_a_row, tripped)
        values (${id}, ${tenant.workspaceId}, 0, '100', 20, '{}')`
      await pauseRefused(sql, [id as CampaignId])
    },
  },
]
