// After a restore of Postgres: writes the calls again that this process owns.

import type { Dispatch } from '../../contract/dispatch.ts'
import type { Rewritten } from '../../platform/postgres/restore-watch.ts'
import type { Pool } from '../../platform/postgres/sql.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import { isClosed, isOutage } from '../../shared/outage.ts'
import { pause } from '../../shared/pause.ts'
import type { CallState } from '../call.messages.ts'
import { restoreCall } from '../store/calls-restore.store.ts'

export interface RestoreCallsOptions {
  readonly sql: Pool
  readonly sid: string
  readonly states: () => Iterable<CallState>
  readonly epochOf: (id: string) => number | undefined
  readonly dispatch: Dispatch
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

const againMs = 250
/** In a row. Then the watch begins anew, a second later. */
const mostFailures = 20

/**
 * One after the other: there may be thousands, and other work needs the pool. Right after a failover a connection may
 * break, and a row may be locked: that call comes again after the others.
 */
export async function restoreCalls(options: RestoreCallsOptions): Promise<Rewritten> {
  const { clock, log } = options
  let [rewritten, lost, failures] = [0, 0, 0]
  const waiting = [...options.states()]
  for (const state of waiting) {
    try {
      if (await isRewritten(options, state)) rewritten += 1
      failures = 0
    } catch (error) {
      if (!isPassing(error)) {
        lost += 1
        log.warn({ callId: state.row.id, error: String(error) }, 'call.not_restored')
        continue
      }
      failures += 1
      if (failures >= mostFailures) throw error
      waiting.push(state)
      await pause(clock, againMs)
    }
  }
  return { rewritten, lost }
}

const isPassing = (error: unknown): boolean => isOutage(error) && !isClosed(error)

async function isRewritten(options: RestoreCallsOptions, { row }: CallState): Promise<boolean> {
  const { sql, sid, dispatch } = options
  const epoch = options.epochOf(row.id)
  if (epoch === undefined) return false
  const restored = await restoreCall(sql, row, { sid, epoch })
  if (restored.type === 'kept') return false
  if (restored.deliveries.length > 0) dispatch(restored.deliveries)
  return true
}
