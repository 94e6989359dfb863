// Works on erasures and exports, one at a time in a process. A job survives every crash: it is a row, and who finds its
// time over goes on where it stands.
import type { Clock } from '../shared/clock.ts'
import type { Log } from '../shared/log.ts'
import type { ClaimedJob, ErasureSteps, JobQueue } from './ports.ts'

export interface RunJobsPorts {
  readonly queue: JobQueue
  readonly steps: ErasureSteps
  /** Writes the file of an export. Rejects where it is stopped. */
  readonly makeExport: (job: ClaimedJob, stopped?: AbortSignal) => Promise<void>
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** After this time another job has its turn. */
const sliceMs = 2_000
/** A live call, a message on its way, or a file in the store is looked at again after this time. */
const waitMs = 1_000
const longestDelayMs = 5 * 60_000

/** In milliseconds; `failures` counts from one. */
export const delayAfterFailure = (failures: number): number =>
  Math.min(longestDelayMs, 1_000 * 2 ** Math.min(failures - 1, 20))

/** True where there was a job, so that there may be more. A job that is stopped is free for another process at once. */
export async function runJob(ports: RunJobsPorts, stopped?: AbortSignal): Promise<boolean> {
  const { queue, log } = ports
  const job = await queue.claim()
  if (!job) return false
  try {
    if (job.kind === 'ERASURE') await erase(ports, job, stopped)
    else await ports.makeExport(job, stopped)
  } catch (error) {
    if (stopped?.aborted) {
      await queue.release(job, 0)
      return true
    }
    const failures = job.failures + 1
    log.warn({ ...shown(job), failures, error: String(error) }, 'contact_job.failed')
    await queue.release(job, delayAfterFailure(failures), 'INTERNAL')
  }
  return true
}

async function erase(
  { queue, steps, clock, log }: RunJobsPorts,
  job: ClaimedJob,
  stopped?: AbortSignal,
): Promise<void> {
  const endsAt = clock.mono() + sliceMs
  for (;;) {
    const result = await steps.advance(job)
    if (result === 'lost') return
    if (result === 'done') return log.info(shown(job), 'contact.erased')
    if (result === 'wait') return queue.release(job, waitMs)
    if (stopped?.aborted || clock.mono() >= endsAt) return queue.release(job, 0)
  }
}

/** Never the address: it names a person. */
const shown = ({ id, workspaceId, kind }: ClaimedJob) => ({ jobId: id, workspaceId, kind })
