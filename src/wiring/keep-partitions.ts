// A gateway writes rows of every day, whether a worker is there or not.
import { maintenanceStore } from '../store/maintenance.store.ts'
import type { Pool } from '../store/sql.ts'

const hourMs = 3_600_000

/** Makes the partitions of the coming days, now and then; they are made at every start too. Returns how to stop. */
export function keepPartitions(
  sql: Pool,
  log: { warn(fields: object, event: string): void },
  everyMs = hourMs,
): () => void {
  const { ensurePartitions } = maintenanceStore(sql)
  const timer = setInterval(() => {
    ensurePartitions().catch((error: unknown) => log.warn({ error: String(error) }, 'partitions.not_made'))
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
