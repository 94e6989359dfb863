// Deletes a person from the lists of campaigns: rows with an address of theirs, and rows that were sent to them under an
// address that they had then.
import type { Sql } from '../../platform/postgres/sql.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { ClaimedJob } from '../ports.ts'
import type { JobPerson } from './person.ts'

interface Listed {
  readonly sql: Sql
  readonly job: Pick<ClaimedJob, 'workspaceId'>
  readonly person: Pick<JobPerson, 'addresses' | 'contactIds'>
}

const campaignsAtOnce = 200

/** A recipient whose message may be on its way to the provider is waited for. */
export async function eraseRecipients(task: Listed & { readonly cursor: Uuid | null }) {
  const { sql, job, cursor } = task
  const campaigns = await sql<{ id: Uuid }[]>`
    select id
    from campaigns
    where workspace_id = ${job.workspaceId} ${cursor === null ? sql`` : sql`and id > ${cursor}`}
    order by id
    limit ${campaignsAtOnce}`
  const ids = campaigns.map(({ id }) => id)
  const atAddresses = sql`campaign_id = any(${ids}::uuid[]) and wa_id = any(${task.person.addresses as string[]}::text[])`
  const own = isOwn(task)
  const erased = await sql`
    with listed as (
      select id from recipients where ${atAddresses} and claimed_until is null for update skip locked
    ),
    sent as (
      select id from recipients where ${own} and claimed_until is null for update skip locked
    )
    delete from recipients where id in (select id from listed union select id from sent)`
  const left = await sql`
    select from recipients where ${atAddresses}
    union all
    select from recipients where ${own}
    limit 1`
  const counts = { recipients: erased.count }
  if (left.count > 0) return { result: 'wait', counts } as const
  if (ids.length < campaignsAtOnce) return { result: 'next', counts } as const
  return { result: 'again', counts, cursor: ids.at(-1) ?? null } as const
}

/** Whether rows came since. Asked of one campaign after the other, by index: a plan for all reads every recipient. */
export async function isListed(task: Listed): Promise<boolean> {
  const { sql, job, person } = task
  const found = await sql`
    select
    from campaigns c
    cross join lateral (
      select from recipients
      where campaign_id = c.id and wa_id = any(${person.addresses as string[]}::text[])
      limit 1
    ) listed
    where c.workspace_id = ${job.workspaceId}
    union all
    select from recipients where ${isOwn(task)}
    limit 1`
  return found.count > 0
}

const isOwn = ({ sql, job, person }: Listed) => sql`
  contact_id = any(${person.contactIds as Uuid[]}::uuid[]) and workspace_id = ${job.workspaceId}`
