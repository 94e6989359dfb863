// Takes away what is kept no longer: contents after the time of their workspace, and the recipients of deleted campaigns.
import { createDeliveryEraser } from '../../delivery/store/erase-deliveries.ts'
import { deleteFiles } from '../../messaging/store/delete-files.ts'
import { givenUpAt } from '../../messaging/store/sends.store.ts'
import { removeElementsBefore } from '../../platform/postgres/inbound-elements.store.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { idFloor, type MessageId, type RecipientId, type Uuid, type WorkspaceId } from '../../shared/ids.ts'

const atOnce = 500
const dayMs = 86_400_000
const workspacesAtOnce = 100

/** Each returns true where there may be more. */
export const createRetentionStore = (pool: Pool) => {
  // How far this process has walked through the workspaces, and whether one of them has more to remove.
  let walk = { after: idFloor(0), isMore: false }
  return {
    /**
     * One batch for each workspace that keeps contents for some days only, a hundred workspaces at a time. One that fails
     * is passed: the next call goes on behind it.
     */
    async removeContents(nowMs: number, stopped?: AbortSignal): Promise<boolean> {
      const workspaces = await pool<{ id: WorkspaceId; contentDays: number }[]>`
        select id, content_days
        from workspaces
        where content_days is not null and id > ${walk.after}
        order by id
        limit ${workspacesAtOnce}`
      for (const { id, contentDays } of workspaces) {
        if (stopped?.aborted) return walk.isMore
        walk = { ...walk, after: id }
        const until = idFloor(nowMs - contentDays * dayMs)
        const messages = await pool.begin((sql) => removeMessages(sql, id, until))
        const bodies = await pool.begin((sql) => removeBodies(sql, id, until))
        const elements = await removeElementsBefore(pool, id, until)
        walk = { ...walk, isMore: walk.isMore || messages || bodies || elements }
      }
      if (workspaces.length === workspacesAtOnce) return true
      const { isMore } = walk
      walk = { after: idFloor(0), isMore: false }
      return isMore
    },
    removeUploads: () => removeUploads(pool),
    purgeCampaigns: () => purgeCampaigns(pool),
  }
}

/**
 * Uploads that have expired and that no message shows. Each is looked at once: no message begins to show one that has
 * expired, and the file of one that is shown goes with its last message.
 */
async function removeUploads(sql: Sql): Promise<boolean> {
  const removed = await sql`
    with expired as (
      select id, exists (select from media where upload_id = u.id) as is_shown
      from uploads u
      where expires_at < now() and expires_at > '-infinity'
      order by expires_at
      limit ${atOnce}
      for update skip locked
    ),
    passed as (
      update uploads set expires_at = '-infinity'
      where id in (select id from expired where is_shown)
    ),
    unused as (
      delete from uploads
      where id in (select id from expired where not is_shown)
      returning blob_key
    ),
    gone as (
      insert into blob_deletions (key) select blob_key from unused on conflict (key) do nothing
    )
    select from expired`
  return removed.count === atOnce
}

/** A campaign is emptied an hour after it was deleted, when nothing of it is on its way any more. */
async function purgeCampaigns(pool: Pool): Promise<boolean> {
  return pool.begin(async (sql) => {
    const [campaign] = await sql<{ id: Uuid; workspaceId: WorkspaceId }[]>`
      select id, workspace_id
      from campaigns c
      where deleted_at < now() - interval '1 hour' and purged_at is null
        and not exists (select from recipients where campaign_id = c.id and claimed_until is not null)
      order by deleted_at
      limit 1
      for update skip locked`
    if (!campaign) return false
    const found = await sql<{ id: RecipientId; messageId: MessageId | null }[]>`
      select id, message_id from recipients where campaign_id = ${campaign.id} order by id limit ${atOnce}`
    await leaveBehind(
      sql,
      campaign.workspaceId,
      found.flatMap(({ messageId }) => messageId ?? []),
    )
    await sql`
      delete from recipients
      where id = any(${found.map(({ id }) => id)}::uuid[]) and campaign_id = ${campaign.id}`
    if (found.length < atOnce) await closeCampaign(sql, campaign.id)
    return true
  })
}

/**
 * Nobody can settle a message any more whose recipient goes, so it ends by itself, as after a resend. Before the
 * recipients are locked: a status locks the message first.
 */
const leaveBehind = (sql: Sql, workspaceId: WorkspaceId, messageIds: readonly MessageId[]) => sql`
  update messages
  set send_due_at = ${givenUpAt(sql)}
  where workspace_id = ${workspaceId} and id in (
    select id from messages
    where id = any(${[...messageIds]}::uuid[]) and send_state = 'UNKNOWN' and status = 'QUEUED' and send_due_at is null
    order by id
    for no key update)`

async function closeCampaign(sql: Sql, id: Uuid): Promise<void> {
  await sql`delete from campaign_samples where campaign_id = ${id}`
  await sql`delete from campaign_counts where campaign_id = ${id}`
  await sql`update campaigns set name = '', variables = '{}', counts = '{}', purged_at = now() where id = ${id}`
}

/**
 * Texts, variables, details and files go; who, when and which template stays. What has not been sent yet keeps its text,
 * and holds the rest of its workspace up until its send is over: minutes, if a worker runs.
 */
async function removeMessages(sql: Sql, workspaceId: WorkspaceId, until: string): Promise<boolean> {
  const after = await cursorOf(sql, workspaceId)
  if (!after) return false
  const found = await sql<{ id: Uuid; isWaiting: boolean }[]>`
    select id, coalesce(send_state in ('PENDING', 'SENDING'), false) and status = 'QUEUED' and campaign_id is null
        as is_waiting
    from messages
    where workspace_id = ${workspaceId} and id > ${after.messages} and id < ${until}
    order by id
    limit ${atOnce}`
  const firstWaiting = found.findIndex(({ isWaiting }) => isWaiting)
  const ids = (firstWaiting < 0 ? found : found.slice(0, firstWaiting)).map(({ id }) => id)
  const last = ids.at(-1)
  if (last === undefined) return false
  await deleteFiles(sql, workspaceId, { ids, jobId: null })
  await sql`
    update messages
    set text = '', details = null, content = null, metadata = '{}', from_name = null,
      template = case when template is not null then jsonb_set(template, '{variables}', '{}') end
    where id = any(${ids}::uuid[]) and workspace_id = ${workspaceId}`
  await sql`update workspaces set content_removed_to = ${last} where id = ${workspaceId}`
  return ids.length === atOnce
}

/** Bodies of events repeat the texts, and may be kept for longer than those. */
async function removeBodies(sql: Sql, workspaceId: WorkspaceId, until: string): Promise<boolean> {
  const after = await cursorOf(sql, workspaceId)
  if (!after) return false
  const { last, isFull } = await createDeliveryEraser(sql).between(workspaceId, after.bodies, until)
  if (last !== null) await sql`update workspaces set bodies_removed_to = ${last} where id = ${workspaceId}`
  return isFull
}

/** Undefined while another process works on the workspace. */
async function cursorOf(
  sql: Sql,
  workspaceId: WorkspaceId,
): Promise<{ messages: string; bodies: string } | undefined> {
  const [row] = await sql<{ messages: string | null; bodies: string | null }[]>`
    select content_removed_to as messages, bodies_removed_to as bodies
    from workspaces
    where id = ${workspaceId} and content_days is not null
    for no key update skip locked`
  return row && { messages: row.messages ?? idFloor(0), bodies: row.bodies ?? idFloor(0) }
}
