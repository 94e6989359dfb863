// What a thread has beside its messages and calls: where the page around one of them begins, and its campaigns.
import type { CampaignStatus } from '../../contract/records/campaign.ts'
import type { ConversationDetails } from '../../contract/records/console.ts'
import { itsContactIs } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { type CampaignId, type ConversationId, encodeId, type WorkspaceId } from '../../shared/ids.ts'

export interface ThreadStore {
  /**
   * Where to begin a page that shows up to `newer` messages and calls before this one. `after` is missing where there
   * are fewer: the page begins with the newest. Undefined: the conversation has no such message or call.
   */
  beginAround(workspaceId: WorkspaceId, around: Around): Promise<{ readonly after?: [string] } | undefined>
  /** Names by the shown id. */
  campaignNames(workspaceId: WorkspaceId, ids: readonly CampaignId[]): Promise<ReadonlyMap<string, string>>
  /** The campaigns that sent some of the latest messages, the latest first. */
  campaignsOf(workspaceId: WorkspaceId, id: ConversationId): Promise<ConversationDetails['campaigns']>
}

export interface Around {
  readonly conversationId: ConversationId
  /** Of a message or a call. */
  readonly id: string
  readonly newer: number
}

/** As many messages are searched for campaigns: the pane shows the latest, and no conversation is too long for it. */
const searched = 500
const shownCampaigns = 5

export const createThreadStore = (sql: Sql): ThreadStore => ({
  async beginAround(workspaceId, { conversationId, id, newer }) {
    const newerIn = (table: 'messages' | 'calls') => sql`
      (select id from ${sql(table)}
      where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and id > ${id}
        ${table === 'calls' ? itsContactIs(sql, 'contact_id', conversationId) : sql``}
      order by id
      limit ${newer + 1})`
    const [row] = await sql<{ before: string | null }[]>`
      select (
        select id from (${newerIn('messages')} union all ${newerIn('calls')}) newer
        order by id
        offset ${newer}
        limit 1
      ) as before
      where exists (
        select from messages where id = ${id} and workspace_id = ${workspaceId} and conversation_id = ${conversationId}
      ) or exists (
        select from calls where id = ${id} and workspace_id = ${workspaceId} and conversation_id = ${conversationId}
      )`
    return row && (row.before === null ? {} : { after: [row.before] })
  },

  async campaignNames(workspaceId, ids) {
    if (ids.length === 0) return new Map()
    const rows = await sql<{ id: CampaignId; name: string }[]>`
      select id, name from campaigns where workspace_id = ${workspaceId} and id = any(${[...ids] as string[]}::uuid[])`
    return new Map(rows.map(({ id, name }) => [encodeId('campaign', id), name]))
  },

  async campaignsOf(workspaceId, id) {
    const rows = await sql<{ id: CampaignId; name: string; status: CampaignStatus; lastSentAt: Date }[]>`
      select c.id, c.name, c.status, sent.last_sent_at
      from (
        select campaign_id, max(created_at) as last_sent_at
        from (
          select campaign_id, created_at from messages
          where workspace_id = ${workspaceId} and conversation_id = ${id}
          order by id desc
          limit ${sql.unsafe(String(searched))}
        ) latest
        where campaign_id is not null
        group by campaign_id
      ) sent
      join campaigns c on c.id = sent.campaign_id and c.workspace_id = ${workspaceId}
      order by sent.last_sent_at desc`
    return rows.slice(0, shownCampaigns).map(({ lastSentAt, ...row }) => ({
      ...row,
      id: encodeId('campaign', row.id),
      lastSentAt: lastSentAt.toISOString(),
    }))
  },
})
