// Partitions come and go by the day; tombstones by the hour.
import type { Sql } from './sql.ts'

const daysAhead = 14

export const maintenanceStore = (sql: Sql) => ({
  async ensurePartitions(): Promise<void> {
    await sql`select ensure_partitions(${daysAhead})`
  },

  /** Drops whole days that are older than `days`; returns the names of what went. */
  async dropPartitions(days: number): Promise<string[]> {
    const old = await sql<{ name: string }[]>`
      select child.relname as name
      from pg_inherits i
      join pg_class child on child.oid = i.inhrelid
      join pg_class parent on parent.oid = i.inhparent
      where parent.relname in ('events', 'deliveries', 'attempts', 'call_timeline')
        and child.relname ~ '_[0-9]{8}$'
        and to_date(right(child.relname, 8), 'YYYYMMDD') < (now() at time zone 'UTC')::date - ${days}::integer
      order by child.relname`
    for (const { name } of old) await sql`drop table if exists ${sql(name)}`
    return old.map(({ name }) => name)
  },

  async forgetTombstones(): Promise<void> {
    await sql`delete from call_tombstones where created_at < now() - interval '1 hour'`
  },
})
