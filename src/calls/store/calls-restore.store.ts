// Writes a call again that memory holds and a restored database lacks, or has in an older state.

import { contactsAt } from '../../messaging/store/contacts-at.ts'
import { emit, type WrittenDelivery, writtenDeliveries } from '../../platform/postgres/emit.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { newId } from '../../shared/ids.ts'
import { hasEnded } from '../call.machine.ts'
import { type CallRow, statusBody } from '../call.ts'
import { writtenOf } from './call-changes.store.ts'

export interface Holder {
  readonly sid: string
  readonly epoch: number
}

export type RestoredCall =
  /** The row is as new as memory, or has a newer owner. */
  { readonly type: 'kept' } | { readonly type: 'rewritten'; readonly deliveries: readonly WrittenDelivery[] }

/**
 * Also writes the contact and the conversation where they are missing, and the events of the statuses that the row
 * had not. A receiver may have had these already: it knows them by call and status.
 */
export const restoreCall = (sql: Pool, row: CallRow, holder: Holder): Promise<RestoredCall> =>
  sql.begin(async (begun): Promise<RestoredCall> => {
    const tx = begun as unknown as Sql
    const [found] = await tx<{ version: number; ownerEpoch: number }[]>`
      select version, owner_epoch from calls where id = ${row.id} for update`
    // The epoch of a call seldom changes, so a copy that is seconds behind has the same one.
    const isAsNew =
      found !== undefined &&
      (found.ownerEpoch > holder.epoch || (found.ownerEpoch === holder.epoch && found.version >= row.version))
    if (isAsNew) return { type: 'kept' }
    const conversationId = await conversationOf(tx, row)
    await writeRow(tx, { ...row, ...conversationId }, holder)
    const missing = statusesOf(row).slice(found?.version ?? 0)
    return { type: 'rewritten', deliveries: await writeEvents(tx, row, missing) }
  }) as Promise<RestoredCall>

/** The statuses that the call has had, oldest first, each as the row was then. */
function statusesOf(row: CallRow): { readonly at: Date; readonly body: string }[] {
  const past = (status: CallRow['status'], at: Date | null) =>
    at ? [{ at, body: statusBody({ ...row, status, durationSeconds: null }, at) }] : []
  const last = row.endedAt ?? row.createdAt
  return [
    ...past('INITIATED', row.direction === 'OUTBOUND' ? row.createdAt : null),
    ...past('RINGING', row.ringingAt),
    ...past('ACCEPTED', row.acceptedAt),
    ...(hasEnded(row) ? [{ at: last, body: statusBody(row, last) }] : []),
  ]
}

/** The ids that these have now: after the restore, another message may have made them again. */
async function conversationOf(
  sql: Sql,
  row: CallRow,
): Promise<Pick<CallRow, 'contactId' | 'conversationId'>> {
  await sql`
    insert into contacts (id, workspace_id, wa_id, user_id, username, name)
    select ${row.contactId}::uuid, ${row.workspaceId}::uuid, ${row.contactAddress}, ${row.userId}, ${row.username},
      ${row.fromName}
    where not exists (
      select from contact_aliases where workspace_id = ${row.workspaceId} and address = ${row.contactAddress})
    on conflict do nothing`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id)
    select ${row.conversationId}::uuid, ${row.workspaceId}::uuid, ${row.numberId}::uuid, id
    from ${contactsAt(sql, row.workspaceId, [row.contactAddress])}
    limit 1
    on conflict do nothing`
  const [ids] = await sql<Pick<CallRow, 'contactId' | 'conversationId'>[]>`
    select p.id as contact_id, v.id as conversation_id
    from contacts p
    join conversations v on v.contact_id = p.id and v.number_id = ${row.numberId}
    where p.id in (select id from ${contactsAt(sql, row.workspaceId, [row.contactAddress])})
    limit 1`
  if (!ids) throw new Error('the conversation of the call could not be written')
  return ids
}

async function writeRow(sql: Sql, row: CallRow, { sid, epoch }: Holder): Promise<void> {
  const columns = {
    ...{ id: row.id, workspaceId: row.workspaceId, conversationId: row.conversationId },
    ...{ numberId: row.numberId, contactId: row.contactId, wacid: row.wacid, direction: row.direction },
    ...{ status: row.status, version: row.version, fromName: row.fromName, forwardState: row.forwardState },
    ...{ forwardStartedAt: row.forwardStartedAt, lastForwardError: row.lastForwardError as never },
    ...{ pendingAction: row.pendingAction, actionId: row.actionId, actionAt: row.actionAt },
    answerHash: row.answerHash === null ? null : Buffer.from(row.answerHash, 'hex'),
    doubtHash: row.doubtHash === null ? null : Buffer.from(row.doubtHash, 'hex'),
    ...{ endReason: row.endReason, error: row.error as never, ringingAt: row.ringingAt },
    ...{ acceptedAt: row.acceptedAt, endedAt: row.endedAt, durationSeconds: row.durationSeconds },
    ...{ heardAt: row.heardAt, wakeAt: row.wakeAt, createdAt: row.createdAt },
    ...{ ownerEpoch: epoch, ownerSid: sid },
  }
  await sql`
    insert into calls ${sql(columns)}
    on conflict (id) do update set ${sql(columns)}, updated_at = now()`
}

async function writeEvents(
  sql: Sql,
  row: CallRow,
  missing: readonly { readonly body: string }[],
): Promise<readonly WrittenDelivery[]> {
  const ids = missing.map(() => newId('event'))
  const rows = await sql<(WrittenDelivery | { deliveryId: null })[]>`
    with occurred as (
      select event_id, ${row.workspaceId}::uuid as workspace_id, 'call.status' as kind, ${row.id}::uuid as key,
        convert_to(body, 'utf8') as body, null::uuid as routed_to, null::uuid as after
      from unnest(${ids}::uuid[], ${missing.map(({ body }) => body)}::text[]) as one (event_id, body)
    ),
    ${emit(sql)}
    select written.* from (${writtenDeliveries(sql)}) written`
  return writtenOf(rows)
}
