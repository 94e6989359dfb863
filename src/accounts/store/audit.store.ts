// The audit: writes an entry in the transaction of each change, and lists entries for operators. Entries are only
// added.
import type { AccountAuthor, AuditFilter, AuditLog, AuditNote } from '../../contract/administration.ts'
import type { Page, PageRequest } from '../../contract/page.ts'
import type { AuditRecord } from '../../contract/records/console.ts'
import { equals, olderThan, type Piece, rowsOfPage, within } from '../../platform/postgres/keyset.ts'
import { newestFirst } from '../../platform/postgres/newest-first.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import {
  encodeId,
  type IdKind,
  idPrefixes,
  type KeyId,
  newId,
  type OperatorId,
  type WorkspaceId,
} from '../../shared/ids.ts'
import { deviceOf, userAgentLength } from '../device.ts'
import { memberEvents } from '../member-events.ts'

/**
 * Call it in the transaction of the change, so that the change and its entry are committed together. Never
 * pass secrets or message texts. A committed entry is never changed: the table refuses it.
 */
export async function writeAudit(sql: Sql, author: AuditAuthor, entry: AuditNote): Promise<void> {
  const told = sql`
    ${entry.action}, ${entry.subjectKind}, ${entry.subjectId}::uuid, ${asJson(sql, entry.before)}::jsonb,
    ${asJson(sql, entry.after)}::jsonb`
  const origin = { ip: author.ip, userAgent: author.userAgent?.slice(0, userAgentLength) ?? null }
  await sql`
    insert into audit (id, workspace_id, operator_id, key_id, ${common(sql)})
    values (${newId('audit')}, ${author.workspaceId}, ${author.operatorId}, ${author.keyId ?? null}, ${told},
      ${origin.ip}, ${origin.userAgent})`
  if (author.workspaceId === null && memberEvents.includes(entry.action))
    await tellWorkspaces(sql, { accountId: accountOf(author, entry), by: author.operatorId, ...origin }, told)
}

const common = (sql: Sql) => sql`action, subject_kind, subject_id, before, after, ip, user_agent`

interface Origin {
  readonly ip: string | null
  readonly userAgent: string | null
}

/** The account that an event is about: the operator who was changed, else the one who acted. */
const accountOf = (author: AuditAuthor, { subjectKind, subjectId }: AuditNote): string | null =>
  subjectKind === 'operator' ? subjectId : author.operatorId

/**
 * One entry for each workspace of which the account is a member now: it stays there when the member leaves. Who is in
 * another workspace is not named, such as whoever disabled the account, nor where from.
 */
async function tellWorkspaces(
  sql: Sql,
  {
    accountId,
    by,
    ip,
    userAgent,
  }: Origin & { readonly accountId: string | null; readonly by: string | null },
  told: Piece,
): Promise<void> {
  if (accountId === null) return
  const shown = (value: string | null) =>
    sql`case when ${by}::uuid is null or author.operator_id is not null then ${value}::text end`
  await sql`
    insert into audit (id, workspace_id, operator_id, ${common(sql)})
    select new_uuid(), m.workspace_id, author.operator_id, ${told}, ${shown(ip)}, ${shown(userAgent)}
    from memberships m
    left join memberships author on author.workspace_id = m.workspace_id and author.operator_id = ${by}
    where m.operator_id = ${accountId}`
}

type AuditAuthor = AccountAuthor & {
  readonly workspaceId: WorkspaceId | null
  readonly keyId?: KeyId | null | undefined
}

const asJson = (sql: Sql, value: unknown) => (value === undefined ? null : sql.json(value as never))

interface Row {
  readonly id: string
  readonly action: string
  readonly operatorId: string | null
  readonly name: string | null
  readonly email: string | null
  readonly keyId: string | null
  readonly keyName: string | null
  readonly prefix: string | null
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly before: unknown
  readonly after: unknown
  readonly ip: string | null
  readonly userAgent: string | null
  readonly at: Date
}

export const createAuditStore = (sql: Pool): AuditLog => ({
  async note(author, note) {
    await writeAudit(sql, author, note)
  },

  noteOnce: (author, note) => noteUnless(sql, author, note, sql`true`),

  noteHourly: (author, note) =>
    noteUnless(sql, author, note, sql`operator_id = ${author.operatorId} and ${withinAnHour(sql)}`),

  noteOfKey: (author, note) =>
    noteUnless(
      sql,
      { ...author, operatorId: null },
      note,
      sql`key_id = ${author.keyId} and ${withinAnHour(sql)}`,
    ),

  async noteAccount(author, note) {
    await writeAudit(sql, { ...author, workspaceId: null }, note)
  },

  list: (workspaceId, filter, page) =>
    pageOf(sql, page, {
      filter,
      where: sql`a.workspace_id = ${workspaceId} ${equals(sql, 'a.operator_id', filter.operatorId)} ${without(sql, filter.hidden)}`,
    }),

  async find(workspaceId, id, hidden) {
    const [row] = await recordsOf(
      sql,
      sql`select * from audit a where a.workspace_id = ${workspaceId} and a.id = ${id} ${without(sql, hidden)}`,
    )
    return row && toRecord(row)
  },

  listAccounts: (filter, page) =>
    pageOf(sql, page, { filter, where: sql`a.workspace_id is null ${accountIs(sql, filter.operatorId)}` }),
})

const withinAnHour = (sql: Sql): Piece => sql`at > now() - interval '1 hour'`

/** Writes no entry where there is `one` of this action for the subject. Of requests that come at once, one writes it. */
async function noteUnless(pool: Pool, author: AuditAuthor, note: AuditNote, one: Piece): Promise<void> {
  const { subjectId, action } = note
  const isKnown = async (sql: Sql) =>
    (await sql`select from audit where subject_id = ${subjectId} and action = ${action} and ${one} limit 1`)
      .count > 0
  // Most are: a player asks for many ranges of a file.
  if (await isKnown(pool)) return
  await pool.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`${action} ${subjectId}`}, 2))`
    if (!(await isKnown(sql))) await writeAudit(sql, author, note)
  })
}

async function pageOf(
  sql: Sql,
  page: PageRequest,
  { filter: { action, since, until }, where }: { readonly filter: AuditFilter; readonly where: Piece },
): Promise<Page<AuditRecord>> {
  const ordered = sql`
    select *
    from audit a
    where ${where}
      ${actionIs(sql, action)}
      ${within(sql, 'a', 'at', { since, until })}
      ${olderThan(sql, 'a', page)}
    order by a.id desc`
  return newestFirst(await recordsOf(sql, rowsOfPage(sql, ordered, page)), page, toRecord)
}

/** The rows of the table with the names of who acted. */
const recordsOf = (sql: Sql, entries: Piece) => sql<Row[]>`
  select a.id, a.action, a.operator_id, o.name, o.email, a.subject_kind, a.subject_id, a.before, a.after,
    a.ip, a.user_agent, a.at, a.key_id, k.name as key_name, k.prefix
  from (${entries}) a
  left join operators o on o.id = a.operator_id
  left join api_keys k on k.id = a.key_id
  order by a.id desc`

/** The account that an entry is about: the operator who was changed, else the one who acted. */
const accountIs = (sql: Sql, operatorId: OperatorId | undefined): Piece =>
  operatorId === undefined
    ? sql``
    : sql`and (case when a.subject_kind = 'operator' then a.subject_id else a.operator_id end) = ${operatorId}`

const without = (sql: Sql, hidden: readonly string[] = []): Piece =>
  hidden.length === 0 ? sql`` : sql`and a.action <> all(${hidden as string[]})`

/** One action, or all actions on one kind of subject; an index serves each. */
function actionIs(sql: Sql, action: string | undefined): Piece {
  if (action === undefined) return sql``
  return action.includes('.')
    ? sql`and a.action = ${action}`
    : sql`and split_part(a.action, '.', 1) = ${action}`
}

const toRecord = (row: Row): AuditRecord => ({
  id: encodeId('audit', row.id),
  action: row.action,
  operator:
    row.operatorId === null
      ? null
      : { id: encodeId('operator', row.operatorId), name: row.name ?? '', email: row.email ?? '' },
  key:
    row.keyId === null
      ? null
      : { id: encodeId('key', row.keyId), name: row.keyName ?? '', prefix: row.prefix ?? '' },
  subjectKind: row.subjectKind,
  subjectId: row.subjectId === null ? null : encodeSubject(row.subjectKind, row.subjectId),
  before: row.before,
  after: row.after,
  ip: row.ip,
  device: row.userAgent === null ? null : deviceOf(row.userAgent),
  userAgent: row.userAgent,
  at: row.at.toISOString(),
})

const encodeSubject = (kind: string, id: string): string =>
  Object.hasOwn(idPrefixes, kind) ? encodeId(kind as IdKind, id) : id
