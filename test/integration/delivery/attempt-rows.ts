// Attempts of deliveries that exist in the store, and their results.
import assert from 'node:assert/strict'
import type { AttemptReport } from '../../../src/delivery/attempt.ts'
import type { QueuedItem } from '../../../src/delivery/endpoint.ts'
import { reportOf } from '../../../src/delivery/endpoint-work.ts'
import { toItem } from '../../../src/delivery/host/dispatch.ts'
import type { AttemptRecord, AttemptVerdict } from '../../../src/delivery/settle-attempt.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import type { EndpointId, WorkspaceId } from '../../../src/shared/ids.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'

const delivered = reportOf({ type: 'delivered', statusCode: 200 }, 12)
export const refused: AttemptReport = {
  ...reportOf({ type: 'refused', statusCode: 503 }, 7),
  responseHeaders: { 'content-type': 'text/plain' },
  responseBody: Buffer.from([0, 255, 1]),
}

export interface Scene {
  readonly workspaceId: WorkspaceId
  readonly endpointId: EndpointId
}

export const attemptRows = (sql: Pool) => ({
  /** An endpoint with this many consecutive failures. */
  async scene(failures = 0): Promise<Scene> {
    const { workspaceId } = await addTenant(sql)
    return { workspaceId, endpointId: await addEndpoint(sql, workspaceId, { failures }) }
  },

  async newItem({ workspaceId }: Scene): Promise<QueuedItem> {
    const [written] = await emitEvent(sql, workspaceId)
    return toItem(written ?? assert.fail())
  },

  recordOf,
  success: (of: Scene, item: QueuedItem) =>
    recordOf(of, item, { report: delivered, verdict: { type: 'delivered' } }),
  retry: (of: Scene, item: QueuedItem) =>
    recordOf(of, item, { report: refused, verdict: { type: 'retry', delayMs: 60_000 } }),
})

const recordOf = (
  { workspaceId, endpointId }: Scene,
  item: QueuedItem,
  { report, verdict }: { report: AttemptReport; verdict: AttemptVerdict },
): AttemptRecord => ({
  item,
  workspaceId,
  endpointId,
  startedAt: new Date(),
  endedAt: new Date(),
  report,
  verdict,
  counts: report.outcome.type === 'delivered' ? 'success' : 'failure',
})
