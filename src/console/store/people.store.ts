// Finds contacts by what somebody knows of them. Every way is a short range of an index: none counts or sorts more than
// it shows.
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import type { ConversationId, IdRange, Uuid, WorkspaceId } from '../../shared/ids.ts'
import type { SearchQuery } from '../search-query.ts'

export interface Found {
  readonly id: Uuid
  /** Digits, or a user id. */
  readonly address: string
  readonly name: string | null
  readonly username: string | null
  readonly userId: string | null
  /** The latest of the conversations with this contact. */
  readonly conversationId: ConversationId | null
  readonly lastAt: Date | null
  /** Whether the number, the user id or the whole name is what was typed. */
  readonly isExact: boolean
}

/** Of each way. So many are looked at to find those who are shown. */
const mostOfAWay = 25

/** Those with whom there was contact last come first, and an exact match before all others. */
export async function findPeople(
  sql: Sql,
  workspaceId: WorkspaceId,
  query: Pick<SearchQuery, 'id' | 'phone' | 'userId' | 'name'>,
): Promise<readonly Found[]> {
  const ways = waysOf(sql, workspaceId, query)
  const [first, ...others] = ways
  if (first === undefined) return []
  const all = others.reduce((before, one) => sql`${before} union all (${one})`, sql`(${first})`)
  const rows = await sql<Found[]>`
    select c.id, c.wa_id as address, c.name, c.username, c.user_id, v.id as conversation_id, v.updated_at as last_at,
      found.is_exact
    from (select id, bool_or(is_exact) as is_exact from (${all}) ways group by id) found
    cross join lateral (
      select * from contacts where id = found.id and workspace_id = ${workspaceId} and erased_at is null offset 0
    ) c
    left join lateral (
      select v.id, v.updated_at
      from conversations v
      where v.workspace_id = ${workspaceId} and v.contact_id = c.id and v.erased_at is null
      order by v.updated_at desc, v.id desc
      limit 1
    ) v on true`
  const at = ({ lastAt }: Found) => lastAt?.getTime() ?? 0
  return rows.toSorted((a, b) => Number(b.isExact) - Number(a.isExact) || at(b) - at(a))
}

type Way = Fragment

function waysOf(
  sql: Sql,
  workspaceId: WorkspaceId,
  { id, phone, userId, name }: Pick<SearchQuery, 'id' | 'phone' | 'userId' | 'name'>,
): readonly Way[] {
  const most = sql.unsafe(String(mostOfAWay))
  const ways: Way[] = []
  for (const [table, column, contact] of addresses) {
    const [ofTable, value] = [sql`from ${sql(table)} where workspace_id = ${workspaceId}`, sql(column)]
    for (const lead of phone?.leads ?? [])
      ways.push(sql`
        select ${sql(contact)} as id, ${value} = ${lead} as is_exact
        ${ofTable} and ${value} >= ${lead} and ${value} < ${afterDigits(lead)} and starts_with(${value}, ${lead})
        order by ${value}
        limit ${most}`)
    for (const typed of phone?.ends ?? []) {
      const end = [...typed].reverse().join('')
      ways.push(sql`
        select ${sql(contact)} as id, false as is_exact
        ${ofTable} and reverse(${value}) ~>=~ ${end} and reverse(${value}) ~<~ ${afterDigits(end)}
        order by reverse(${value}) using ~<~
        limit ${most}`)
    }
    if (userId !== undefined)
      ways.push(sql`select ${sql(contact)} as id, true as is_exact ${ofTable} and ${value} = ${userId}`)
  }
  if (name !== undefined)
    ways.push(sql`
      select subject_id as id, term = search_text(${name}) as is_exact
      from search_terms
      where ${inTerms(sql, { workspaceId, kind: 'contact', name })}
      order by term
      limit ${most}`)
  const thing = id && thingOf(sql, workspaceId, id)
  return thing ? [...ways, thing] : ways
}

/** Where the addresses of contacts are: the one under which they are written to, and all others. */
const addresses = [
  ['contacts', 'wa_id', 'id'],
  ['contact_aliases', 'address', 'contact_id'],
] as const

/** Greater than all texts that begin with these digits, in the order of any locale: user ids begin with letters. */
function afterDigits(digits: string): string {
  const trimmed = digits.replace(/9+$/, '')
  return trimmed === '' ? 'A' : `${trimmed.slice(0, -1)}${Number(trimmed.slice(-1)) + 1}`
}

/** The contact of a conversation, a message or a call. */
function thingOf(sql: Sql, workspaceId: WorkspaceId, { kind, from, to }: IdRange): Way | undefined {
  const table = ({ conversation: 'conversations', message: 'messages', call: 'calls' } as const)[
    kind as 'call'
  ]
  return (
    table &&
    sql`
    select contact_id as id, true as is_exact
    from ${sql(table)}
    where id between ${from} and ${to} and workspace_id = ${workspaceId} and contact_id is not null`
  )
}

/** The end is greater than every text that begins so: `term` is compared byte by byte. */
export const inTerms = (
  sql: Sql,
  { workspaceId, kind, name }: { workspaceId: WorkspaceId; kind: string; name: string },
): Fragment => sql`
  workspace_id = ${workspaceId} and kind = ${kind} and search_text(${name}) <> ''
  and term >= search_text(${name}) and term < search_text(${name}) || chr(1114111)`
