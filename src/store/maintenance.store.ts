// Partitions come and go by the day; tombstones by the hour.
import type { Pool, Sql } from './sql.ts'

const daysAhead = 14
/** Days past retention that a day with deliveries still on their way is kept at most. */
const graceDays = 3
const batch = 10_000
/** Whoever writes deliveries waits this long at most for a day to go; where it is not free by then, the next round tries. */
const lockTimeoutMs = 300
const dayMs = 86_400_000

const open = ['HELD', 'PENDING', 'RETRYING']

export interface Dropped {
  /** Names of tables. */
  readonly dropped: readonly string[]
  /** Deliveries that were still held, or on their way for too long, and are given up. */
  readonly discarded: number
}

export const maintenanceStore = (pool: Pool) => ({
  async ensurePartitions(): Promise<void> {
    await pool`select ensure_partitions(${daysAhead})`
  },

  /**
   * Drops whole days that are older than `days`. What is held then is given up, with its count in the audit; a day
   * with deliveries that are on their way waits for them, for three days at most. An event's day stays for as long as
   * deliveries of that day or the next, which may have been written just after midnight, are there.
   */
  async dropPartitions(days: number): Promise<Dropped> {
    const dropped = [
      ...(await dropDays(pool, 'attempts', await daysBefore(pool, 'attempts', days))),
      ...(await dropDays(pool, 'call_timeline', await daysBefore(pool, 'call_timeline', days))),
    ]
    const late = new Set(await daysBefore(pool, 'deliveries', days + graceDays))
    const due = await daysBefore(pool, 'deliveries', days)
    let discarded = 0
    for (const day of due) discarded += await giveUp(pool, day, late.has(day) ? open : ['HELD'])
    dropped.push(...(await dropDays(pool, 'deliveries', due)))
    // Future days are among them, so there is always an oldest.
    const [oldest = ''] = await daysBefore(pool, 'deliveries', -daysAhead - 1)
    const events = await daysBefore(pool, 'events', days)
    const unused = events.filter((day) => after(day) < oldest)
    dropped.push(...(await dropDays(pool, 'events', unused)))
    return { dropped, discarded }
  },

  async forgetTombstones(): Promise<void> {
    await pool`delete from call_tombstones where created_at < now() - interval '1 hour'`
  },
})

const nameOf = (table: string, day: string): string => `${table}_${day}`

/** `20261120`, the next of `20261119`. */
function after(day: string): string {
  const at = Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`)
  return new Date(at + dayMs).toISOString().slice(0, 10).replaceAll('-', '')
}

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

/** Discards what of a day is in these states, some at a time, each time with an audit entry for every endpoint. */
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
          where state = any(${[...states]}) and state in ('PENDING', 'RETRYING', 'HELD')
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

/** Names of what went. */
async function dropDays(pool: Pool, table: string, days: readonly string[]): Promise<string[]> {
  const dropped: string[] = []
  for (const day of days) if (await dropDay(pool, table, day)) dropped.push(nameOf(table, day))
  return dropped
}

/** False where deliveries of the day are still open, or somebody was at work there for too long. */
async function dropDay(pool: Pool, table: string, day: string): Promise<boolean> {
  const name = nameOf(table, day)
  if (table === 'deliveries' && (await hasOpen(pool, name))) return false
  try {
    return await pool.begin(async (sql) => {
      await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`
      // The parent first, as every writer does. Nobody can begin a replay between the look and the drop.
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
  const rows = await sql`select from ${sql(name)} where state in ('PENDING', 'RETRYING', 'HELD') limit 1`
  return rows.count > 0
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03'
