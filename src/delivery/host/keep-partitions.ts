// Makes partitions in a gateway, because a gateway writes rows every day, even without a worker.

import type { Pool } from '../../platform/postgres/sql.ts'
import type { Log } from '../../shared/log.ts'
import { createPartitionStore } from '../store/partitions.store.ts'

const hourMs = 3_600_000

/**
 * Makes the partitions of the coming days at intervals. Every start makes them, too. Returns a function that
 * stops it.
 */
export function keepPartitions(sql: Pool, log: Pick<Log, 'warn'>, everyMs = hourMs): () => void {
  const { ensurePartitions } = createPartitionStore(sql)
  const timer = setInterval(() => {
    ensurePartitions().catch((error: unknown) => log.warn({ error: String(error) }, 'partitions.not_made'))
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
