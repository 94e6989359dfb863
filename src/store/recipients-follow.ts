// From the claim on, a recipient's status is that of its message: the statement that moves the message moves both.
import type { Sql } from './sql.ts'

/**
 * A CTE `followed`, from a CTE with the rows of messages as they are now: id, recipient_id, status, send_state,
 * send_due_at, error, due_at (when a recipient may be tried again; null: at once) and tries (how many to add).
 * Locks: whoever moves a message has its row, so two such statements never contend for its recipient.
 */
export const recipientsFollow = (sql: Sql, moved: string) => sql`
  followed as (
    update recipients r
    set status = case
        when f.next = 'PENDING' and c.status = 'CANCELLED' then 'CANCELLED'
        -- Given up, and then it had not been sent after all: nobody claims any more, so an operator has to decide.
        when f.next = 'PENDING' and c.status = 'COMPLETED' then 'UNKNOWN'
        else f.next
      end,
      error = coalesce(f.error, r.error),
      -- Its status may overtake the answer to the send: then nobody waits for that.
      claimed_until = case when f.send_state = 'SENDING' and f.status = 'QUEUED' then r.claimed_until end,
      due_at = coalesce(f.due_at, r.due_at),
      attempts = r.attempts + f.tries,
      updated_at = now()
    from (
      select *, case
        when status <> 'QUEUED' then status
        when send_state in ('HELD', 'UNKNOWN') then send_state
        -- With a time of its own it is an operator's repeat, which is nobody else's to claim.
        when send_state = 'PENDING' and send_due_at is null then 'PENDING'
        else 'QUEUED'
      end as next
      from ${sql(moved)}
      where recipient_id is not null
    ) f, campaigns c
    where r.id = f.recipient_id
      and c.id = r.campaign_id
      -- An operator may have had it sent again: then the earlier message no longer speaks for it.
      and r.message_id = f.id
      and r.status not in ('CANCELLED', 'SKIPPED')
  )`
