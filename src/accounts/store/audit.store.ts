// The audit: writes an entry in the transaction of each change, and lists entries for operators.
import type { AuditLog, AuditNote, Author } from '../../contract/administration.ts'
import type { AuditRecord } from '../../contract/records/console.ts'
import { equals, olderThan, type Piece, rowsOfPage, within } from '../../platform/postgres/keyset.ts'
import { newestFirst } from '../../platform/postgres/newest-first.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { encodeId, type IdKind, idPrefixes, newId, type Uuid } from '../../shared/ids.ts'

/**
 * Call it in the transaction of the change, so that the change and its entry are committed together. Never
 * pass secrets or message texts. Returns the id of a new entry.
 */
export async function writeAudit(
  sql: Sql,
  author: { readonly [Key in keyof Author]: Author[Key] | null },
  entry: AuditNote,
): Promise<Uuid<'audit'>> {
  const id = newId('audit')
  await sql`
    insert into audit (id, workspace_id, operator_id, action, subject_kind, subject_id, before, after, ip, part_of)
    values (${id}, ${author.workspaceId}, ${author.operatorId}, ${entry.action},
      ${entry.subjectKind}, ${entry.subjectId}, ${asJson(sql, entry.before)}, ${asJson(sql, entry.after)},
      ${author.ip}, ${entry.partOf ?? null})
    on conflict (subject_id, operator_id, action, part_of) where part_of is not null
    do update set after = excluded.after || ${sql.json({ lastPartAt: new Date().toISOString() })}`
  return id
}

const asJson = (sql: Sql, value: unknown) => (value === undefined ? null : sql.json(value as never))

interface Row {
  readonly id: string
  readonly action: string
  readonly operatorId: string | null
  readonly name: string | null
  readonly email: string | null
  readonly subjectKind: string
  readonly subjectId: string | null
  readonly before: unknown
  readonly after: unknown
  readonly ip: string | null
  readonly at: Date
}

export const createAuditStore = (sql: Sql): AuditLog => ({
  async note(author, note) {
    await writeAudit(sql, author, note)
  },

  async noteOnce(author, note) {
    const [known] = await sql`
      select from audit where subject_id = ${note.subjectId} and action = ${note.action} limit 1`
    if (known === undefined) await writeAudit(sql, author, note)
  },

  async list(workspaceId, { action, operatorId, since, until }, page) {
    const ordered = sql`
      select *
      from audit a
      where a.workspace_id = ${workspaceId}
        ${actionIs(sql, action)}
        ${equals(sql, 'a.operator_id', operatorId)}
        ${within(sql, 'a', 'at', { since, until })}
        ${olderThan(sql, 'a', page)}
      order by a.id desc`
    const rows = await sql<Row[]>`
      select a.id, a.action, a.operator_id, o.name, o.email, a.subject_kind, a.subject_id, a.before, a.after,
        a.ip, a.at
      from (${rowsOfPage(sql, ordered, page)}) a
      left join operators o on o.id = a.operator_id
      order by a.id desc`
    return newestFirst(rows, page, toRecord)
  },
})

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
  subjectKind: row.subjectKind,
  subjectId: row.subjectId === null ? null : encodeSubject(row.subjectKind, row.subjectId),
  before: row.before,
  after: row.after,
  ip: row.ip,
  at: row.at.toISOString(),
})

const encodeSubject = (kind: string, id: string): string =>
  Object.hasOwn(idPrefixes, kind) ? encodeId(kind as IdKind, id) : id
