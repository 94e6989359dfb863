// Exports everything that is known of a contact: a tar archive of JSON lines and files, in the records of the API.
import type { BlobStore } from '../contract/blobs.ts'
import { limits } from '../contract/limits.ts'
import type { ContactCounts } from '../contract/records/privacy.ts'
import type { Clock } from '../shared/clock.ts'
import type { Log } from '../shared/log.ts'
import type { ClaimedJob, JobQueue } from './ports.ts'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'

export interface StoredFile {
  /** In the archive. */
  readonly name: string
  readonly blobKey: string
}

/** Everything of one contact, in pages. */
export interface ExportSource {
  contact(job: ClaimedJob): Promise<object>
  readonly lists: Readonly<Record<ExportedList, (job: ClaimedJob) => AsyncIterable<readonly object[]>>>
  files(job: ClaimedJob): AsyncIterable<readonly StoredFile[]>
}

export const exportedLists = ['conversations', 'messages', 'calls', 'recipients', 'events'] as const
export type ExportedList = (typeof exportedLists)[number]

export interface ExportPorts {
  readonly source: ExportSource
  readonly queue: Pick<JobQueue, 'keep'>
  readonly blobs: Pick<BlobStore, 'put' | 'open' | 'delete'>
  /** False where another process has the job, or the contact was erased meanwhile. */
  readonly finish: (
    job: ClaimedJob,
    outcome:
      | { readonly sizeBytes: number; readonly sha256: string; readonly blobKey: string }
      | { readonly error: string },
  ) => Promise<boolean>
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Lines are collected up to this size, because a tar entry begins with its length. */
const partBytes = 1024 * 1024
const keepEveryMs = 10_000

/** Each claim has a file of its own: a worker that stood still may write after another has finished the job. */
const exportKeyOf = ({ workspaceId, id, claim }: ClaimedJob): string => `${workspaceId}/export-${id}-${claim}`

export const createMakeExport = (ports: ExportPorts) =>
  async function makeExport(job: ClaimedJob, stopped?: AbortSignal): Promise<void> {
    const { blobs, log } = ports
    const counts: ContactCounts = { recipients: 0, calls: 0, messages: 0, files: 0, events: 0 }
    const lost = new AbortController()
    const lease = keepLease(ports, { job, counts, lost })
    const blobKey = exportKeyOf(job)
    const signal = stopped ? AbortSignal.any([lost.signal, stopped]) : lost.signal
    const rules = { limitBytes: limits.exportBytes, sha256: null, signal }
    const put = await blobs.put(blobKey, archive(ports, job, counts), rules).finally(() => lease.end())
    if (put.type !== 'stored') {
      await ports.finish(job, { error: 'EXPORT_TOO_LARGE' })
      return
    }
    // The last counts, before the job is over.
    await ports.queue.keep(job, counts)
    const isMine = await ports.finish(job, { sizeBytes: put.sizeBytes, sha256: put.sha256, blobKey })
    if (isMine) log.info({ jobId: job.id, workspaceId: job.workspaceId }, 'contact.exported')
    else await blobs.delete(blobKey)
  }

interface Kept {
  readonly job: ClaimedJob
  readonly counts: ContactCounts
  readonly lost: AbortController
}

/** Shows the progress too. */
function keepLease({ queue, clock, log }: ExportPorts, { job, counts, lost }: Kept): { end(): void } {
  let timer = clock.after(keepEveryMs, keep)
  let isOver = false
  function keep(): void {
    queue.keep(job, counts).then(
      (isMine) => isMine || lost.abort(new Error('another process has the export')),
      (error: unknown) => log.warn({ jobId: job.id, error: String(error) }, 'contact_job.lease_not_renewed'),
    )
    if (!isOver) timer = clock.after(keepEveryMs, keep)
  }
  return {
    end() {
      isOver = true
      timer.cancel()
    },
  }
}

async function* archive(
  { source, blobs, clock }: ExportPorts,
  job: ClaimedJob,
  counts: ContactCounts,
): AsyncGenerator<Uint8Array> {
  const modifiedAt = clock.now()
  const entry = (name: string, bytes: Buffer) => [
    tarHeader({ name, sizeBytes: bytes.length, modifiedAt }),
    bytes,
    tarPadding(bytes.length),
  ]
  yield* entry('contact.json', Buffer.from(`${JSON.stringify(await source.contact(job), null, 2)}\n`))
  for (const list of exportedLists) {
    let part = 0
    for await (const bytes of parts(source.lists[list](job), (rows) => count(counts, list, rows))) {
      part += 1
      yield* entry(`${list}-${part}.ndjson`, bytes)
    }
  }
  for await (const files of source.files(job))
    for (const { name, blobKey } of files) {
      const blob = await blobs.open(blobKey)
      // Erased by the retention of the workspace since the page was read.
      if (!blob) continue
      yield tarHeader({ name, sizeBytes: blob.sizeBytes, modifiedAt })
      yield* blob.body
      yield tarPadding(blob.sizeBytes)
      counts.files += 1
    }
  yield tarEnd
}

function count(counts: ContactCounts, list: ExportedList, rows: number): void {
  if (list !== 'conversations') counts[list] += rows
}

/** One line a row, in pieces of about `partBytes`. */
async function* parts(
  pages: AsyncIterable<readonly object[]>,
  seen: (rows: number) => void,
): AsyncGenerator<Buffer> {
  let lines: Buffer[] = []
  let bytes = 0
  for await (const rows of pages) {
    for (const row of rows) {
      const line = Buffer.from(`${JSON.stringify(row)}\n`)
      lines.push(line)
      bytes += line.length
    }
    seen(rows.length)
    if (bytes < partBytes) continue
    yield Buffer.concat(lines)
    lines = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(lines)
}
