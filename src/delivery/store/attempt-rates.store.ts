// The tally of attempts by quarter of an hour: written by gateways, read by the overview.
import type { AttemptQuarter } from '../../contract/records/overview.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import { type AttemptCount, percentileOf } from '../attempt-tally.ts'

interface Row {
  readonly at: Date
  readonly bucket: number
  readonly attempts: number
  readonly failures: number
}

export const createAttemptRateStore = (sql: Sql) => ({
  /** Adds to what is there. In the order of the key: two gateways that add the same must not wait for each other. */
  async add(counts: readonly AttemptCount[]): Promise<void> {
    await sql`
      insert into attempt_rates as r (workspace_id, at, bucket, attempts, failures)
      select * from unnest(
        ${counts.map(({ workspaceId }) => workspaceId)}::uuid[],
        ${counts.map(({ atMs }) => new Date(atMs).toISOString())}::timestamptz[],
        ${counts.map(({ bucket }) => bucket)}::smallint[],
        ${counts.map(({ attempts }) => attempts)}::integer[],
        ${counts.map(({ failures }) => failures)}::integer[]
      ) as c (workspace_id, at, bucket, attempts, failures)
      order by workspace_id, at, bucket
      on conflict (workspace_id, at, bucket)
      do update set attempts = r.attempts + excluded.attempts, failures = r.failures + excluded.failures`
  },

  /** From this time on, oldest first, without the quarters in which there was none. */
  async since(workspaceId: WorkspaceId, from: Date): Promise<AttemptQuarter[]> {
    const rows = await sql<Row[]>`
      select at, bucket, attempts, failures
      from attempt_rates
      where workspace_id = ${workspaceId} and at >= ${from}
      order by at`
    return quartersOf(rows)
  },

  /** Nobody looks back further than a day. */
  async forget(): Promise<void> {
    await sql`delete from attempt_rates where at < now() - interval '2 days'`
  },
})

function quartersOf(rows: readonly Row[]): AttemptQuarter[] {
  const byTime = new Map<string, Row[]>()
  for (const row of rows) {
    const id = row.at.toISOString()
    byTime.set(id, [...(byTime.get(id) ?? []), row])
  }
  return [...byTime].map(([id, counts]) => ({
    id,
    attempts: counts.reduce((sum, { attempts }) => sum + attempts, 0),
    failures: counts.reduce((sum, { failures }) => sum + failures, 0),
    p95Ms: percentileOf(counts, 0.95),
  }))
}
