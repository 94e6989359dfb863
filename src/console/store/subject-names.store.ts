// The names of what audit entries are about. One statement for a page of them; each name is found by its id.
import type { Sql } from '../../platform/postgres/sql.ts'
import { decodeId, type IdKind, idPrefixes, type WorkspaceId } from '../../shared/ids.ts'

export interface Subject {
  readonly subjectKind: string
  readonly subjectId: string | null
}

export interface SubjectNames {
  /** In their order; null where nothing has a name, or nothing is left of it. */
  names(workspaceId: WorkspaceId, subjects: readonly Subject[]): Promise<readonly (string | null)[]>
}

const uuidOf = ({ subjectKind, subjectId }: Subject): string | null => {
  if (subjectId === null || !Object.hasOwn(idPrefixes, subjectKind)) return null
  return decodeId(subjectKind as IdKind, subjectId) ?? null
}

export const createSubjectNames = (sql: Sql): SubjectNames => ({
  async names(workspaceId, subjects) {
    if (subjects.length === 0) return []
    // Nothing is left of who is erased. Of who was merged into another contact, that one has the name.
    const person = sql`coalesce(c.name, c.username, case
      when c.wa_id ~ '^[0-9]+$' then '+' || c.wa_id
      when c.erased_at is null then c.wa_id end)`
    const itsContact = sql`contacts own on own.id = contact_id join contacts c on c.id = coalesce(own.merged_into, own.id)`
    const rows = await sql<{ name: string | null }[]>`
      select case asked.kind
        when 'endpoint' then (select name from endpoints where id = asked.id and workspace_id = ${workspaceId})
        when 'key' then (select name from api_keys where id = asked.id and workspace_id = ${workspaceId})
        when 'number' then (select number from numbers where id = asked.id and workspace_id = ${workspaceId})
        when 'campaign' then (select name from campaigns where id = asked.id and workspace_id = ${workspaceId})
        when 'workspace' then (select name from workspaces where id = asked.id and id = ${workspaceId})
        when 'operator' then (select coalesce(nullif(name, ''), email) from operators where id = asked.id)
        when 'template' then (
          select name || ' (' || language || ')' from templates where id = asked.id and workspace_id = ${workspaceId})
        when 'invitation' then (
          select email from invitations where id = asked.id and workspace_id = ${workspaceId})
        when 'delivery' then (
          select e.name from deliveries d join endpoints e on e.id = d.endpoint_id
          where d.id = asked.id and d.workspace_id = ${workspaceId})
        when 'message' then (
          select ${person} from messages m join ${itsContact}
          where m.id = asked.id and m.workspace_id = ${workspaceId})
        when 'call' then (
          select ${person} from calls m join ${itsContact}
          where m.id = asked.id and m.workspace_id = ${workspaceId})
        when 'conversation' then (
          select ${person} from conversations v join ${itsContact}
          where v.id = asked.id and v.workspace_id = ${workspaceId})
      end as name
      from unnest(${subjects.map(({ subjectKind }) => subjectKind)}::text[], ${subjects.map(uuidOf)}::uuid[])
        with ordinality as asked (kind, id, place)
      order by place`
    return rows.map(({ name }) => name)
  },
})
