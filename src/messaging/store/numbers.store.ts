// Reads the phone numbers of a workspace.
import { type Page, type PageRequest, toPage } from '../../contract/page.ts'
import type { NumberRecord } from '../../contract/records/catalog.ts'
import { olderThan } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { type EndpointId, encodeId, type NumberId, type WorkspaceId } from '../../shared/ids.ts'

export interface NumberRow {
  readonly id: NumberId
  readonly phoneNumberId: string
  readonly number: string
  readonly displayName: string
  readonly status: string
  readonly qualityRating: string
  readonly messagesPerSecond: number
  readonly isDefault: boolean
  readonly endpointId: EndpointId | null
  readonly endpointName: string | null
  readonly forwardCalls: boolean
  readonly createdAt: Date
}

export interface NumberReader {
  find(workspaceId: WorkspaceId, id: NumberId): Promise<NumberRecord | undefined>
  list(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<NumberRecord>>
}

export const createNumberReader = (sql: Sql): NumberReader => ({
  async find(workspaceId, id) {
    const row = await numberRow(sql, workspaceId, id)
    return row && toNumberRecord(row)
  },

  async list(workspaceId, page) {
    const rows = await sql<NumberRow[]>`
      ${selectNumbers(sql)}
      where n.workspace_id = ${workspaceId}
        ${olderThan(sql, 'n', page)}
      order by n.id desc
      limit ${page.limit + 1}`
    return toPage(rows, page.limit, (row) => [row.id], toNumberRecord)
  },
})

/** The row of one number, of its own workspace only. */
export async function numberRow(
  sql: Sql,
  workspaceId: WorkspaceId,
  id: NumberId,
): Promise<NumberRow | undefined> {
  const [row] = await sql<NumberRow[]>`
    ${selectNumbers(sql)}
    where n.workspace_id = ${workspaceId} and n.id = ${id}`
  return row
}

/** The beginning of a statement on `numbers n`, up to its joins. */
const selectNumbers = (sql: Sql) => sql`
  select n.id, n.phone_number_id, n.number, n.display_name, n.status, n.quality_rating, n.messages_per_second,
    n.is_default, n.endpoint_id, e.name as endpoint_name, n.forward_calls, n.created_at
  from numbers n
  left join endpoints e on e.id = n.endpoint_id and e.deleted_at is null`

export function toNumberRecord(row: NumberRow): NumberRecord {
  const { id, endpointId, endpointName } = row
  return {
    id: encodeId('number', id),
    phoneNumberId: row.phoneNumberId,
    number: row.number,
    displayName: row.displayName,
    status: row.status,
    qualityRating: row.qualityRating,
    messagesPerSecond: row.messagesPerSecond,
    isDefault: row.isDefault,
    replyRouting:
      endpointId === null || endpointName === null
        ? null
        : { endpointId: encodeId('endpoint', endpointId), endpointName },
    forwardCalls: row.forwardCalls,
    createdAt: row.createdAt.toISOString(),
  }
}
