// After a restore of Postgres: writes the calls again that this process owns.

import type { Dispatch } from '../../contract/dispatch.ts'
import type { Rewritten } from '../../platform/postgres/restore-watch.ts'
import type { Pool } from '../../platform/postgres/sql.ts'
import type { Log } from '../../shared/log.ts'
import type { CallState } from '../call.messages.ts'
import { restoreCall } from '../store/calls-restore.store.ts'

export interface RestoreCallsOptions {
  readonly sql: Pool
  readonly sid: string
  readonly states: () => Iterable<CallState>
  readonly epochOf: (id: string) => number | undefined
  readonly dispatch: Dispatch
  readonly log: Pick<Log, 'warn'>
}

/** One after the other: there may be thousands, and other work needs the pool. */
export async function restoreCalls(options: RestoreCallsOptions): Promise<Rewritten> {
  const { sql, sid, epochOf, dispatch, log } = options
  let [rewritten, lost] = [0, 0]
  for (const { row } of [...options.states()]) {
    const epoch = epochOf(row.id)
    if (epoch === undefined) continue
    try {
      const restored = await restoreCall(sql, row, { sid, epoch })
      if (restored.type === 'kept') continue
      rewritten += 1
      if (restored.deliveries.length > 0) dispatch(restored.deliveries)
    } catch (error) {
      lost += 1
      log.warn({ callId: row.id, error: String(error) }, 'call.not_restored')
    }
  }
  return { rewritten, lost }
}
