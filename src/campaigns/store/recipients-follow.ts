// After the claim, a recipient's status follows its message: the statement that moves the message moves both.
import type { Sql } from '../../platform/postgres/sql.ts'
import { permits } from '../../platform/postgres/states.ts'
import { recipientMachine } from '../recipient.machine.ts'

/**
 * The CTE `followed`. `moved` names a CTE with the current rows of messages: id, recipient_id, status,
 * send_state, send_due_at, error, due_at (when a recipient may be tried again; null: at once) and tries (how
 * many to add). Locks: a statement that moves a message holds its row, so no two contend for its recipient. A claim
 * takes none whose message is locked.
 */
export const recipientsFollow = (sql: Sql, moved: string) => sql`
  followed as (
    update recipients r
    set status = f.becomes,
      error = coalesce(f.error, r.error),
      -- A status may arrive before the answer to the send, which is then no longer awaited.
      claimed_until = case when f.send_state = 'SENDING' and f.status = 'QUEUED' then r.claimed_until end,
      due_at = coalesce(f.due_at, r.due_at),
      attempts = r.attempts + f.tries,
      updated_at = now()
    from (
      select m.*, case
        when m.status <> 'QUEUED' then m.status
        when m.send_state in ('HELD', 'UNKNOWN') then m.send_state
        -- A send with a due time of its own is an operator's repeat, which no claim may take.
        when m.send_state <> 'PENDING' or m.send_due_at is not null then 'QUEUED'
        when c.status = 'CANCELLED' then 'CANCELLED'
        -- Not sent, and the campaign is completed: no claim takes it any more, so an operator decides.
        when c.status = 'COMPLETED' then 'UNKNOWN'
        else 'PENDING'
      end as becomes
      from ${sql(moved)} m
      join recipients own on own.id = m.recipient_id
      join campaigns c on c.id = own.campaign_id
    ) f
    where r.id = f.recipient_id
      -- After an operator's resend, the earlier message no longer determines the recipient's status.
      and r.message_id = f.id
      and ${permits(sql, recipientMachine, { from: sql`r.status`, to: sql`f.becomes` })}
  )`
