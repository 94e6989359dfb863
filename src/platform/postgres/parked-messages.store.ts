// Stores messages that an actor could not handle, for an operator. Keeps only the type of a message, because
// its content may belong to a customer.
import type { Pool } from './sql.ts'

export interface ParkedMessage {
  readonly kind: 'call' | 'endpoint'
  readonly actorId: string
  readonly messageType: string
  readonly error: string
}

export interface ParkedRow extends ParkedMessage {
  readonly count: number
  readonly firstAt: Date
  readonly lastAt: Date
}

export const createParkedMessageStore = (sql: Pool) => ({
  /** A repeated failure counts up its row, so that an actor that always fails cannot fill the table. */
  async add({ kind, actorId, messageType, error }: ParkedMessage): Promise<void> {
    await sql`
      insert into actor_dead_letters as parked (id, actor_kind, actor_id, message_type, error)
      values (new_uuid(), ${kind}, ${actorId}, ${messageType}, ${error})
      on conflict (actor_kind, actor_id, message_type, md5(error)) do update
      set count = parked.count + 1, last_at = now()`
  },

  /** Latest first. */
  list: (limit: number) => sql<ParkedRow[]>`
    select actor_kind as kind, actor_id, message_type, error, count, at as first_at, last_at
    from actor_dead_letters
    order by last_at desc
    limit ${limit}`,

  async forget(days: number): Promise<void> {
    await sql`delete from actor_dead_letters where last_at < now() - ${days} * interval '1 day'`
  },
})
