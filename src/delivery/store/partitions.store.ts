// Daily partitions of events, deliveries, attempts, call timelines and elements of the provider's webhooks: made ahead, dropped after retention.
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { literals } from '../../platform/postgres/states.ts'
import { idFloor } from '../../shared/ids.ts'
import { sourcesOf } from '../../shared/machine.ts'
import { deliveryMachine } from '../delivery.machine.ts'

const daysAhead = 14
/** A day with open deliveries is kept for at most this many days past retention. */
const graceDays = 3
const batch = 10_000
/** Each is an update of a row, within the time limit of a statement. */
const timelinesAtOnce = 1_000
/**
 * Dropping a day delays writers at most this long. If the day is not free by then, the next round tries
 * again.
 */
const lockTimeoutMs = 300
const dayMs = 86_400_000

/** Not finished: under way, or waiting for an operator. */
const open = sourcesOf(deliveryMachine, 'DISCARDED').sort()

export interface Dropped {
  /** Names of tables. */
  readonly dropped: readonly string[]
  /** Deliveries that were discarded because they were held, or under way for too long. */
  readonly discarded: number
}

export const createPartitionStore = (pool: Pool) => ({
  async ensurePartitions(): Promise<void> {
    await pool`select ensure_partitions(${daysAhead})`
  },

  /**
   * Drops whole days that are older than `days`. Held deliveries are discarded, with their count in the
   * audit. A day with deliveries under way waits for them, for three days at most. A day of events stays
   * while deliveries of that day or the next exist: those may have been written just after midnight.
   */
  async dropPartitions(days: number): Promise<Dropped> {
    const dropped = [
      ...(await dropDays(pool, 'attempts', await daysBefore(pool, 'attempts', days))),
      ...(await dropTimelines(pool, await daysBefore(pool, 'call_timeline', days))),
      ...(await dropDays(pool, 'inbound_elements', await daysBefore(pool, 'inbound_elements', days))),
    ]
    const late = new Set(await daysBefore(pool, 'deliveries', days + graceDays))
    const due = await daysBefore(pool, 'deliveries', days)
    let discarded = 0
    for (const day of due) discarded += await giveUp(pool, day, late.has(day) ? open : ['HELD'])
    dropped.push(...(await dropDays(pool, 'deliveries', due)))
    // Future days are included, so there is always an oldest one.
    const [oldest = ''] = await daysBefore(pool, 'deliveries', -daysAhead - 1)
    const events = await daysBefore(pool, 'events', days)
    const unused = events.filter((day) => after(day) < oldest)
    dropped.push(...(await dropDays(pool, 'events', unused)))
    return { dropped, discarded }
  },
})

const nameOf = (table: string, day: string): string => `${table}_${day}`

const startOf = (day: string): number =>
  Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`)

/** `20261120`, the next of `20261119`. */
const after = (day: string): string =>
  new Date(startOf(day) + dayMs).toISOString().slice(0, 10).replaceAll('-', '')

/** Days of the table that are more than `days` days old, the oldest first. */
async function daysBefore(sql: Sql, table: string, days: number): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select right(child.relname, 8) as day
    from pg_inherits i
    join pg_class child on child.oid = i.inhrelid
    where i.inhparent = to_regclass(${table})
      and child.relname ~ '_[0-9]{8}$'
      and to_date(right(child.relname, 8), 'YYYYMMDD') < (now() at time zone 'UTC')::date - ${days}::integer
    order by child.relname`
  return rows.map(({ day }) => day)
}

/**
 * The timelines of these days: the old ones as tables, the others in the rows of their calls. The table of a day is
 * also the mark that its calls still have theirs.
 */
async function dropTimelines(pool: Pool, days: readonly string[]): Promise<string[]> {
  const dropped: string[] = []
  for (const day of days) {
    await forgetTimelines(pool, day)
    dropped.push(...(await dropDays(pool, 'call_timeline', [day])))
  }
  return dropped
}

async function forgetTimelines(sql: Sql, day: string): Promise<void> {
  const end = idFloor(startOf(after(day)))
  for (let from: string | undefined = idFloor(startOf(day)); from !== undefined; ) {
    const [last]: { id: string }[] = await sql<{ id: string }[]>`
      with due as (
        select id
        from calls
        where id >= ${from} and id < ${end} and timeline is not null
        order by id
        limit ${timelinesAtOnce}
        for no key update
      ),
      forgotten as (
        update calls set timeline = null where id in (select id from due) returning id
      )
      select id from forgotten order by id desc limit 1`
    from = last?.id
  }
}

/** Discards a day's deliveries in these states, in batches, each with an audit entry per endpoint. */
async function giveUp(sql: Sql, day: string, states: readonly string[]): Promise<number> {
  let count = 0
  for (let moved = batch; moved === batch; count += moved) {
    const [row] = await sql<{ moved: number }[]>`
      with given_up as (
        update ${sql(nameOf('deliveries', day))}
        set state = 'DISCARDED', next_attempt_at = null, finished_at = now()
        where id in (
          select id
          from ${sql(nameOf('deliveries', day))}
          where state = any(${[...states]}) and state in (${literals(sql, open)})
          limit ${batch}
          for update skip locked)
        returning workspace_id, endpoint_id
      ),
      audited as (
        insert into audit (id, workspace_id, action, subject_kind, subject_id, after)
        select new_uuid(), workspace_id, 'endpoint.deliveries_expired', 'endpoint', endpoint_id,
          jsonb_build_object('count', count(*), 'day', ${day}::text, 'states', ${sql.json([...states])}::jsonb)
        from given_up
        group by workspace_id, endpoint_id
      )
      select count(*)::int as moved from given_up`
    moved = row?.moved ?? 0
  }
  return count
}

/** Returns the names of the dropped tables. */
async function dropDays(pool: Pool, table: string, days: readonly string[]): Promise<string[]> {
  const dropped: string[] = []
  for (const day of days) if (await dropDay(pool, table, day)) dropped.push(nameOf(table, day))
  return dropped
}

/** False when deliveries of the day are still open, or a lock was held for too long. */
async function dropDay(pool: Pool, table: string, day: string): Promise<boolean> {
  const name = nameOf(table, day)
  if (table === 'deliveries' && (await hasOpen(pool, name))) return false
  try {
    return await pool.begin(async (sql) => {
      await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`
      // Lock the parent first, as every writer does. Then no replay can begin between the check and the drop.
      await sql`lock table only ${sql(table)} in access exclusive mode`
      if (table === 'deliveries' && (await hasOpen(sql, name))) return false
      await sql`drop table if exists ${sql(name)}`
      return true
    })
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

async function hasOpen(sql: Sql, name: string): Promise<boolean> {
  const rows = await sql`select from ${sql(name)} where state in (${literals(sql, open)}) limit 1`
  return rows.count > 0
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03'
