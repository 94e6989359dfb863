// Reads UNKNOWN recipients, and writes what an operator decides about them.

import { writeAudit } from '../../accounts/store/audit.store.ts'
import type { Author } from '../../contract/administration.ts'
import type { CampaignStatus } from '../../contract/records/campaign.ts'
import { changeStatuses } from '../../messaging/store/message-updates.store.ts'
import { givenUpAt } from '../../messaging/store/sends.store.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { permits } from '../../platform/postgres/states.ts'
import type { CampaignId, MessageId } from '../../shared/ids.ts'
import { recipientMachine } from '../recipient.machine.ts'
import type { SendableTemplate } from '../send-ports.ts'
import type { UnknownMessage, UnknownStore } from '../settle-unknown.ts'
import { recipientsFollow } from './recipients-follow.ts'

type TemplateRow = Omit<SendableTemplate, 'status'> & {
  readonly templateName: string
  readonly templateLanguage: string
  readonly templateStatus: string | null
}

export const createUnknownStore = (pool: Pool): UnknownStore => ({
  unknown: (workspaceId, id, choice, limit) => pool<UnknownMessage[]>`
    select r.message_id, r.id as recipient_id, m.conversation_id, c.variables || r.variables as variables
    from recipients r
    join campaigns c on c.id = r.campaign_id
    join messages m on m.id = r.message_id
    where r.workspace_id = ${workspaceId} and r.campaign_id = ${id} and r.status = 'UNKNOWN'
      ${'ids' in choice ? pool`and r.id = any(${[...choice.ids]}::uuid[])` : pool``}
    order by r.id
    limit ${limit}`,

  async campaign(workspaceId, id) {
    const [row] = await pool<(TemplateRow & { status: CampaignStatus })[]>`
      select c.status, c.template_name, c.template_language, t.status as template_status, t.category,
        t.parameter_format, t.components
      from campaigns c
      left join templates t on t.workspace_id = c.workspace_id and t.name = c.template_name
        and t.language = c.template_language
      where c.workspace_id = ${workspaceId} and c.id = ${id} and c.deleted_at is null`
    if (!row) return undefined
    const { status, templateName: name, templateLanguage: language, templateStatus, ...definition } = row
    return {
      ...{ status, template: { name, language } },
      definition: templateStatus === null ? null : { ...definition, status: templateStatus },
    }
  },

  resend: (id, messages, by) =>
    pool.begin(async (sql) => {
      const rows = messages.map(({ messageId, newMessageId, recipientId, text, variables }) => ({
        message_id: messageId,
        new_message_id: newMessageId,
        recipient_id: recipientId,
        ...{ text, variables },
      }))
      const becomes = sql`case when is_over then 'QUEUED' else 'PENDING' end`
      const { count } = await sql`
      with input as (
        select * from jsonb_to_recordset(${sql.json(rows as never)}) as i (
          message_id uuid, new_message_id uuid, recipient_id uuid, text text, variables jsonb)
      ),
      -- Locked, so that the campaign neither completes nor is cancelled before the writes below.
      campaign as (
        select c.id, c.status = 'COMPLETED' as is_over, t.category is not distinct from 'MARKETING' as is_marketing
        from campaigns c
        left join templates t on t.workspace_id = c.workspace_id and t.name = c.template_name
          and t.language = c.template_language
        where c.id = ${id} and c.status <> 'CANCELLED' and (c.status <> 'COMPLETED' or t.status = 'APPROVED')
        for share of c
      ),
      still as (
        select i.new_message_id, i.text as new_text, i.variables, campaign.is_over, m.*
        from input i
        cross join campaign
        join messages m on m.id = i.message_id
        join recipients r on r.id = i.recipient_id and r.message_id = m.id
        join contacts c on c.id = m.contact_id and c.opt_state is distinct from 'opted-out'
          and not (campaign.is_marketing and c.marketing_opt_out_at is not null)
        where r.status = 'UNKNOWN' and (not campaign.is_over or i.text is not null)
        order by m.id
        for no key update of m, r
      ),
      written as (
        insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text,
          template, campaign_id, recipient_id, send_state, send_due_at)
        select new_message_id, workspace_id, conversation_id, number_id, contact_id, 'OUTBOUND', 'TEMPLATE', 'QUEUED',
          new_text, jsonb_set(template, '{variables}', variables), campaign_id, recipient_id, 'PENDING',
          -- No rate limit applies to these: 40 a second is half of what the slowest kind of number may send.
          now() + row_number() over (order by id) * interval '25 milliseconds'
        from still
        where is_over
      ),
      conversation as (
        select v.id
        from conversations v
        where v.id in (select conversation_id from still where is_over)
        order by v.id
        for no key update
      ),
      touched as (
        update conversations v
        set last_message_id = still.new_message_id, last_message_at = now(), updated_at = now(),
          campaign_recipient_id = still.recipient_id, campaign_sent_at = now()
        from still
        join conversation on conversation.id = still.conversation_id
        where v.id = still.conversation_id and still.is_over
      ),
      -- No recipient shows it any more, so it ends by itself.
      left_behind as (
        update messages m
        set send_due_at = ${givenUpAt(sql)}
        from still
        where m.id = still.id and m.send_state = 'UNKNOWN'
      )
      update recipients r
      set status = ${becomes},
        message_id = case when is_over then still.new_message_id end,
        due_at = '-infinity', attempts = 0, updated_at = now()
      from still
      where r.id = still.recipient_id and ${permits(sql, recipientMachine, { from: sql`r.status`, to: becomes })}`
      if (count > 0) await settled(sql, by, { action: 'campaign.unknown_resent', id, count })
      return count
    }),

  assumeSent: (id, messages, by) =>
    pool.begin(async (sql) => {
      const locked = await sql<{ id: MessageId }[]>`
        select m.id
        from messages m
        join recipients r on r.message_id = m.id and r.id = m.recipient_id
        where m.id = any(${messages.map(({ messageId }) => messageId)}::uuid[]) and r.status = 'UNKNOWN'
        order by m.id
        for no key update of m, r`
      const still = new Set(locked.map((row) => row.id))
      const changes = messages
        .filter(({ messageId }) => still.has(messageId))
        .map(({ messageId, recipientId, at, eventId, body }) => ({
          ...{ messageId, recipientId, at, eventId, body },
          providerMessageId: null,
          status: 'SENT' as const,
          error: null,
        }))
      const deliveries = await changeStatuses(sql, changes, recipientsFollow)
      const count = changes.length
      if (count > 0) await settled(sql, by, { action: 'campaign.unknown_assumed_sent', id, count })
      return { count, deliveries }
    }),
})

const settled = async (
  sql: Sql,
  by: Author | undefined,
  { action, id, count }: { readonly action: string; readonly id: CampaignId; readonly count: number },
): Promise<void> => {
  if (by) await writeAudit(sql, by, { action, subjectKind: 'campaign', subjectId: id, after: { count } })
}
