// What an export reads besides the records of the API, and the row of an export as it ends.
import { toPage } from '../../contract/page.ts'
import { downloadTime } from '../../messaging/store/delete-files.ts'
import { settledAndPending } from '../../platform/postgres/settled-or-pending.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { phoneOf } from '../../shared/address.ts'
import { encodeId, type Uuid } from '../../shared/ids.ts'
import type { ExportPorts, StoredFile } from '../export-contact.ts'
import type { ClaimedJob } from '../ports.ts'
import { personOf } from './person.ts'

const atOnce = 200
/** How long a finished export can be downloaded. */
const lifetime = '7 days'

export const createExportStore = (sql: Sql) => ({
  async contact(job: ClaimedJob): Promise<object> {
    const { contacts, addresses } = await personOf(sql, job)
    const ids = contacts.map(({ id }) => id)
    const rows = await sql<ContactRow[]>`
      select wa_id, user_id, username, name, opt_state, created_at
      from contacts
      where id = any(${ids}::uuid[]) and workspace_id = ${job.workspaceId}
      order by array_position(${ids}::uuid[], id)`
    const [facts, ...otherContacts] = rows.map(toFacts)
    const phone = phoneOf(job.address)
    const shown = facts ?? { waId: phone ?? '', number: phone === null ? '' : `+${phone}` }
    const named = new Set(rows.flatMap(({ waId, userId }) => [waId, userId]).concat(shown.waId))
    const others = addresses.filter((one) => !named.has(one))
    return {
      ...shown,
      ...(others.length > 0 && { otherAddresses: others }),
      ...(otherContacts.length > 0 && { otherContacts }),
      exportedAt: new Date().toISOString(),
    }
  },

  /** One address of each contact. */
  async waIds(job: ClaimedJob): Promise<readonly string[]> {
    return (await personOf(sql, job)).contacts.map(({ waId }) => waId)
  },

  recipients: (job: ClaimedJob) => recipients(sql, job),
  events: (job: ClaimedJob) => events(sql, job),
  files: (job: ClaimedJob) => files(sql, job),

  /** What workers that had the job before may have written is deleted. */
  async finish(job: ClaimedJob, outcome: Parameters<ExportPorts['finish']>[1]): Promise<boolean> {
    const ended = await sql`
      with ended as (
        update contact_jobs
        set ${'error' in outcome ? failed(sql, outcome.error) : completed(sql, outcome)}, completed_at = now()
        where id = ${job.id} and claim = ${job.claim} and status = 'RUNNING'
        returning id, workspace_id, claim, blob_key
      ),
      others as (
        ${deleteExportFiles(sql, { ended: 'ended', but: sql`blob_key` })}
      )
      select from ended`
    return ended.count > 0
  },

  /** Ends exports whose time is over, and has their files deleted. One that failed forgets whom it was of. */
  async expire(): Promise<void> {
    await sql`
      with expired as (
        update contact_jobs
        set status = 'EXPIRED', address = null
        where id in (
          select id from contact_jobs
          where status = 'COMPLETED' and expires_at <= now()
          limit ${atOnce}
          for update skip locked)
        returning id, workspace_id, claim
      )
      ${deleteExportFiles(sql, { ended: 'expired' })}`
    await sql`
      update contact_jobs
      set address = null
      where status = 'FAILED' and address is not null and completed_at <= now() - ${lifetime}::interval`
  },
})

/**
 * Deletes what any claim may have written, but for one file. The release before names files without their claim, and its
 * workers run until an upgrade is over. `ended` names a CTE with id, workspace_id and claim.
 */
export const deleteExportFiles = (
  sql: Sql,
  { ended, but = sql`null` }: { readonly ended: string; readonly but?: Fragment },
) => sql`
  insert into blob_deletions (key, again_at)
  select file.key, now() + ${downloadTime}::interval
  from ${sql(ended)}
  cross join lateral (
    select workspace_id || '/export-' || id as key
    union all
    select workspace_id || '/export-' || id || '-' || claimed from generate_series(1, claim) claimed
  ) file
  where file.key is distinct from ${but}
  on conflict (key) do nothing`

interface ContactRow {
  readonly waId: string
  readonly userId: string | null
  readonly username: string | null
  readonly name: string | null
  readonly optState: string | null
  readonly createdAt: Date
}

function toFacts({ waId, createdAt, ...facts }: ContactRow) {
  const phone = phoneOf(waId)
  return {
    ...{ waId: phone ?? '', number: phone === null ? '' : `+${phone}` },
    ...facts,
    createdAt: createdAt.toISOString(),
  }
}

const failed = (sql: Sql, error: string) => sql`status = 'FAILED', error = ${error}`

const completed = (
  sql: Sql,
  file: { readonly sizeBytes: number; readonly sha256: string; readonly blobKey: string },
) => sql`
  status = 'COMPLETED', size_bytes = ${file.sizeBytes}, sha256 = ${file.sha256}, blob_key = ${file.blobKey},
  error = null, expires_at = now() + ${lifetime}::interval`

interface RecipientRow {
  readonly id: Uuid<'recipient'>
  readonly campaignId: Uuid<'campaign'>
  readonly campaign: string
  readonly variables: object
  readonly status: string
  readonly messageId: Uuid<'message'> | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/**
 * By the campaigns of the workspace: a number is found in each by index. What was sent to another contact that had the
 * number is not about this one.
 */
async function* recipients(sql: Sql, job: ClaimedJob): AsyncGenerator<object[]> {
  const { workspaceId } = job
  const { addresses, contactIds } = await personOf(sql, job)
  for (let after: Uuid | undefined, isMore = true; isMore; ) {
    const campaigns = await sql<{ id: Uuid }[]>`
      select id from campaigns
      where workspace_id = ${workspaceId} ${after === undefined ? sql`` : sql`and id > ${after}`}
      order by id
      limit ${atOnce}`
    const ids = campaigns.map(({ id }) => id)
    const rows = await sql<RecipientRow[]>`
      select r.id, r.campaign_id, c.name as campaign, r.variables, r.status, r.message_id, r.created_at, r.updated_at
      from (
        select * from recipients
        where campaign_id = any(${ids}::uuid[]) and wa_id = any(${addresses as string[]}::text[]) and contact_id is null
        union all
        select * from recipients
        where campaign_id = any(${ids}::uuid[]) and contact_id = any(${contactIds as Uuid[]}::uuid[])
      ) r
      join campaigns c on c.id = r.campaign_id
      where r.workspace_id = ${workspaceId}
      order by r.id`
    yield rows.map((row) => ({
      id: encodeId('recipient', row.id),
      campaign: { id: encodeId('campaign', row.campaignId), name: row.campaign },
      variables: row.variables,
      status: row.status,
      messageId: row.messageId && encodeId('message', row.messageId),
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    }))
    after = ids.at(-1)
    isMore = ids.length === atOnce
  }
}

interface EventRow {
  readonly id: Uuid<'delivery'>
  readonly endpointId: Uuid<'endpoint'>
  readonly kind: string
  readonly state: string
  readonly createdAt: Date
  readonly body: Buffer | null
}

/** Each event as it was sent to each endpoint, newest first; the body is null after its retention. */
async function* events(sql: Sql, job: ClaimedJob): AsyncGenerator<object[]> {
  const { workspaceId } = job
  const people = (await personOf(sql, job)).contactIds as Uuid[]
  for (let before: Uuid | undefined, isMore = true; isMore; ) {
    const rows = await sql<EventRow[]>`
      with keys as (
        select id from conversations where workspace_id = ${workspaceId} and contact_id = any(${people}::uuid[])
        union all
        select id from calls where workspace_id = ${workspaceId} and contact_id = any(${people}::uuid[])
        union all
        -- Of what the person wrote in groups.
        select unnest(${people}::uuid[])
      )
      select d.id, d.endpoint_id, d.kind, d.state, d.created_at, e.body
      from (
        ${settledAndPending(
          sql,
          (state) => sql`
          select id, event_id, endpoint_id, kind, state, created_at
          from deliveries
          where workspace_id = ${workspaceId} and key = any(array(select id from keys)) and ${state}
            ${before === undefined ? sql`` : sql`and id < ${before}`}
          order by id desc
          limit ${atOnce}`,
        )}
        order by id desc
        limit ${atOnce}) d
      left join events e on e.id = d.event_id
      order by d.id desc
      limit ${atOnce}`
    yield rows.map((row) => ({
      deliveryId: encodeId('delivery', row.id),
      endpointId: encodeId('endpoint', row.endpointId),
      event: row.kind,
      state: row.state,
      createdAt: row.createdAt.toISOString(),
      body: row.body && JSON.parse(row.body.toString()),
    }))
    before = rows.at(-1)?.id
    isMore = rows.length === atOnce
  }
}

async function* files(sql: Sql, job: ClaimedJob): AsyncGenerator<StoredFile[]> {
  const { workspaceId } = job
  const people = (await personOf(sql, job)).contactIds as Uuid[]
  for (let before: Uuid | undefined, isMore = true; isMore; ) {
    const rows = await sql<{ id: Uuid<'message'>; blobKey: string; fileName: string | null }[]>`
      select f.message_id as id, f.blob_key, f.file_name
      from messages m
      join media f on f.message_id = m.id
      where m.workspace_id = ${workspaceId} and f.state = 'STORED'
        and m.contact_id = any(${people}::uuid[])
        ${before === undefined ? sql`` : sql`and m.id < ${before}`}
      order by m.id desc
      limit ${atOnce + 1}`
    const page = toPage(rows, atOnce, (row) => [row.id], toFile)
    yield [...page.data]
    before = page.next?.[0] as Uuid | undefined
    isMore = before !== undefined
  }
}

/** Named after its message: what a customer calls a file may be any text. */
const toFile = ({
  id,
  blobKey,
  fileName,
}: {
  id: Uuid<'message'>
  blobKey: string
  fileName: string | null
}) => ({
  name: `files/${encodeId('message', id)}${/\.[\w-]{1,16}$/.exec(fileName ?? '')?.[0] ?? ''}`,
  blobKey,
})
