// Keeps the elements of the provider's webhooks as they came, linked to what was made of them. Written in batches; the
// partitions of a day go after RETENTION_DAYS, with those of events.
import type { UnappliedElementDetail, UnappliedElementRecord } from '../../contract/inbound-elements.ts'
import type { Page, PageRequest } from '../../contract/page.ts'
import { encodeId, idFloor, idTimeMs, type Uuid, type WorkspaceId } from '../../shared/ids.ts'
import { equals, olderThan } from './keyset.ts'
import { newestFirst } from './newest-first.ts'
import type { Pool, Sql } from './sql.ts'

interface Kept {
  readonly id: Uuid<'element'>
  readonly field: string | null
  readonly part: string | null
  readonly phoneNumberId: string | null
  /** JSON, or its beginning; of a body that is no JSON, its text. */
  readonly body: string
  /** Of the whole body in bytes, where only its beginning is kept. */
  readonly fullBytes: number | null
}

/** How the message or call is found that an element was made into: by the provider's id, or by ours. */
export interface SubjectOf {
  readonly kind: 'message' | 'call'
  readonly providerId: string
  readonly id: Uuid | null
}

export interface LinkedElement extends Kept {
  readonly phoneNumberId: string
  readonly subject: SubjectOf
}

export interface UnlinkedElement extends Kept {
  readonly wabaId: string | null
  /** `time` of its entry, by which reports of accounts and templates are ordered. */
  readonly entryAt: Date | null
  /** Null where something was made of it that is neither message nor call. */
  readonly reason: string | null
  /** How the people are addressed whom it concerns. */
  readonly people: readonly string[]
}

export interface OpenElement {
  readonly id: Uuid<'element'>
  readonly workspaceId: WorkspaceId | null
  readonly reason: string
  readonly part: string | null
  readonly wabaId: string | null
  readonly entryAt: Date | null
  readonly body: string
  readonly fullBytes: number | null
}

export interface OpenFilter {
  readonly reasons: readonly string[]
  /** Ids: those at or after the first, and before the second. */
  readonly from: string
  readonly until: string
  readonly phoneNumberId?: string
}

export type InboundElements = ReturnType<typeof createInboundElementStore>

export const createInboundElementStore = (pool: Pool) => ({
  keepLinked: (elements: readonly LinkedElement[]) => keepLinked(pool, elements),
  keepUnlinked: (elements: readonly UnlinkedElement[]) => keepUnlinked(pool, elements),
  list: (workspaceId: WorkspaceId, filter: ListFilter, page: PageRequest) =>
    list(pool, { workspaceId, filter, page }),
  find: (workspaceId: WorkspaceId, id: Uuid<'element'>) => find(pool, workspaceId, id),

  /** Not applied yet, of every workspace, the oldest first. */
  open: ({ reasons, from, until, phoneNumberId }: OpenFilter, limit: number) => pool<OpenElement[]>`
    select id, workspace_id, reason, part, waba_id, entry_at, body, full_bytes
    from inbound_elements
    where reason is not null and applied_at is null and reason = any(${[...reasons]})
      and id >= ${from} and id < ${until} ${equals(pool, 'phone_number_id', phoneNumberId)}
    order by id
    limit ${limit}`,

  /** Linked to what it was made into, if that is a message or a call. */
  async markApplied(id: Uuid<'element'>, subject: SubjectOf | undefined): Promise<void> {
    await pool`
      update inbound_elements e
      set applied_at = now(), subject_kind = s.kind, subject_id = s.id,
        workspace_id = coalesce(e.workspace_id, s.workspace_id)
      from (select) one
      left join lateral (${subjectOf(pool, subject)}) s on true
      where e.id = ${id} and e.reason is not null and e.applied_at is null`
  },

  /** It was understood, and still nothing was made of it. */
  async setReason(id: Uuid<'element'>, reason: string): Promise<void> {
    await pool`update inbound_elements set reason = ${reason} where id = ${id} and reason is not null and applied_at is null`
  },
})

// An erasure deletes the elements of a message or call together with it. Without the lock an element in memory could be
// written after that: its statement would still see the message.
const lockName = 'inbound_elements'

/**
 * Bodies of elements as one text: in an array each quotation mark of them would be escaped, here and in Postgres. What
 * separates them is in no JSON but as an escape; were it in one, the bodies behind it would be those of other people.
 */
const joined = (bodies: readonly string[]): string =>
  bodies.map((body) => body.replaceAll(separator, '\\u001f')).join(separator)
const separator = '\u001f'

async function keepLinked(pool: Pool, elements: readonly LinkedElement[]): Promise<void> {
  await pool.begin(async (sql) => {
    // A plan may be made while there are no calls, and is kept while they get many: each element would read all of them.
    await sql`
      select pg_advisory_xact_lock_shared(hashtext(${lockName})), set_config('enable_seqscan', 'off', true)`
    // Arrays cost Postgres half of what JSON does, and this is written for every text.
    await sql`
      insert into inbound_elements (id, workspace_id, subject_kind, subject_id, field, part, body, full_bytes)
      select i.id, s.workspace_id, i.kind, s.id, i.field, i.part, i.body, i.full_bytes
      from unnest(
        ${elements.map(({ id }) => id)}::uuid[],
        ${elements.map(({ field }) => field)}::text[],
        ${elements.map(({ part }) => part)}::text[],
        ${elements.map(({ phoneNumberId }) => phoneNumberId)}::text[],
        string_to_array(${joined(elements.map(({ body }) => body))}, ${separator}),
        ${elements.map(({ fullBytes }) => fullBytes)}::integer[],
        ${elements.map(({ subject }) => subject.kind)}::text[],
        ${elements.map(({ subject }) => subject.providerId)}::text[],
        ${elements.map(({ subject }) => subject.id)}::uuid[]
      ) as i (id, field, part, phone_number_id, body, full_bytes, kind, provider_id, own_id)
      cross join lateral (
        select id, workspace_id, number_id from messages where i.kind = 'message' and provider_message_id = i.provider_id
        union all
        select id, workspace_id, number_id from messages where i.kind = 'message' and id = i.own_id
        union all
        select id, workspace_id, number_id from calls where i.kind = 'call' and wacid = i.provider_id
        union all
        select id, workspace_id, number_id from calls where i.kind = 'call' and id = i.own_id
        limit 1
      ) s
      join numbers n on n.id = s.number_id and n.phone_number_id = i.phone_number_id`
  })
}

/** The workspace is that of the number, else the only one with this business account. */
async function keepUnlinked(sql: Sql, elements: readonly UnlinkedElement[]): Promise<void> {
  const rows = elements.map((element) => ({
    ...columnsOf(element),
    waba_id: element.wabaId,
    entry_at: element.entryAt,
    reason: element.reason,
    people: element.people,
  }))
  await sql`
    insert into inbound_elements (id, workspace_id, reason, field, part, phone_number_id, waba_id, entry_at,
      people, body, full_bytes)
    select i.id,
      coalesce(
        (select workspace_id from numbers where phone_number_id = i.phone_number_id),
        (select min(id::text)::uuid from workspaces where waba_id = i.waba_id having count(*) = 1)
      ),
      i.reason, i.field, i.part, i.phone_number_id, i.waba_id, i.entry_at, i.people, i.body, i.full_bytes
    from jsonb_to_recordset(${sql.json(rows as never)}) as i (
      id uuid, field text, part text, phone_number_id text, waba_id text, entry_at timestamptz, reason text, people text[],
      body text, full_bytes integer)`
}

const columnsOf = ({ id, field, part, phoneNumberId, body, fullBytes }: Kept) => ({
  id,
  field,
  part,
  phone_number_id: phoneNumberId,
  body,
  full_bytes: fullBytes,
})

const subjectOf = (sql: Sql, subject: SubjectOf | undefined) => {
  if (subject === undefined)
    return sql`select null::text as kind, null::uuid as id, null::uuid as workspace_id`
  const { kind, providerId, id } = subject
  return kind === 'message'
    ? sql`
        select 'message' as kind, id, workspace_id from messages where provider_message_id = ${providerId} or id = ${id}
        limit 1`
    : sql`select 'call' as kind, id, workspace_id from calls where wacid = ${providerId} or id = ${id} limit 1`
}

export interface ListFilter {
  readonly reason?: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

interface Row {
  readonly id: Uuid<'element'>
  readonly reason: UnappliedElementRecord['reason']
  readonly field: string | null
  readonly part: string | null
  readonly number: string | null
  readonly appliedAt: Date | null
}

/** Of one workspace, newest first. What is irrelevant only if it is asked for. */
async function list(
  sql: Sql,
  of: { readonly workspaceId: WorkspaceId; readonly filter: ListFilter; readonly page: PageRequest },
): Promise<Page<UnappliedElementRecord>> {
  const { workspaceId, filter, page } = of
  const rows = await sql<Row[]>`
    select e.id, e.reason, e.field, e.part, n.number, e.applied_at
    from inbound_elements e
    left join numbers n on n.phone_number_id = e.phone_number_id and n.workspace_id = e.workspace_id
    where e.workspace_id = ${workspaceId} and e.people is not null and e.reason is not null
      ${filter.reason === undefined ? sql`and e.reason <> 'irrelevant'` : equals(sql, 'e.reason', filter.reason)}
      ${filter.since ? sql`and e.id >= ${idFloor(filter.since.getTime())}` : sql``}
      ${filter.until ? sql`and e.id < ${idFloor(filter.until.getTime())}` : sql``}
      ${olderThan(sql, 'e', page)}
    order by e.id desc
    limit ${page.limit + 1}`
  return newestFirst(rows, page, toRecord)
}

async function find(
  sql: Sql,
  workspaceId: WorkspaceId,
  id: Uuid<'element'>,
): Promise<UnappliedElementDetail | undefined> {
  const [row] = await sql<
    (Row & {
      readonly body: string
      readonly fullBytes: number | null
      readonly subjectKind: 'message' | 'call' | null
      readonly subjectId: Uuid | null
    })[]
  >`
    select e.id, e.reason, e.field, e.part, n.number, e.applied_at, e.body, e.full_bytes, e.subject_kind, e.subject_id
    from inbound_elements e
    left join numbers n on n.phone_number_id = e.phone_number_id and n.workspace_id = e.workspace_id
    where e.id = ${id} and e.workspace_id = ${workspaceId} and e.reason is not null`
  if (!row) return undefined
  const { body, fullBytes, subjectKind, subjectId } = row
  const subject = (kind: 'message' | 'call') =>
    subjectKind === kind && subjectId !== null ? encodeId(kind, subjectId) : null
  return { ...toRecord(row), body, fullBytes, messageId: subject('message'), callId: subject('call') }
}

const toRecord = ({ id, reason, field, part, number, appliedAt }: Row): UnappliedElementRecord => ({
  id: encodeId('element', id),
  at: new Date(idTimeMs(id)).toISOString(),
  reason,
  field,
  part,
  number,
  appliedAt: appliedAt?.toISOString() ?? null,
})

/** Call it in the transaction that deletes the messages or calls. */
export async function eraseElementsOf(
  sql: Sql,
  workspaceId: WorkspaceId,
  subjectIds: readonly Uuid[],
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${lockName}))`
  await sql`
    delete from inbound_elements
    where subject_id = any(${subjectIds as Uuid[]}::uuid[]) and workspace_id = ${workspaceId}`
}

const scannedAtOnce = 5_000

/**
 * Goes on after `cursor` through what was linked to nothing, and deletes what concerns one of these addresses. Returns
 * where to go on; null: done.
 */
export async function erasePeople(
  sql: Sql,
  of: {
    readonly workspaceId: WorkspaceId
    readonly addresses: readonly string[]
    readonly cursor: Uuid | null
  },
): Promise<Uuid | null> {
  const [scanned] = await sql<{ last: Uuid | null; count: number }[]>`
    with scanned as (
      select id, people
      from inbound_elements
      where workspace_id = ${of.workspaceId} and people is not null
        ${of.cursor === null ? sql`` : sql`and id > ${of.cursor}`}
      order by id
      limit ${scannedAtOnce}
    ),
    gone as (
      delete from inbound_elements
      where workspace_id = ${of.workspaceId} and id in (select id from scanned where people && ${[...of.addresses]}::text[])
    )
    select max(id::text)::uuid as last, count(*)::int as count from scanned`
  return scanned?.count === scannedAtOnce ? scanned.last : null
}

const removedAtOnce = 2_000

/** Deletes what came before this id. True where there is more. */
export async function removeElementsBefore(
  sql: Sql,
  workspaceId: WorkspaceId,
  until: string,
): Promise<boolean> {
  const removed = await sql`
    delete from inbound_elements
    where workspace_id = ${workspaceId} and id < ${until} and id in (
      select id
      from inbound_elements
      where workspace_id = ${workspaceId} and id < ${until}
      order by id
      limit ${removedAtOnce})`
  return removed.count === removedAtOnce
}
