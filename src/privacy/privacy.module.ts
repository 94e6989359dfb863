// Erasures and exports of contacts. A gateway takes the requests; a worker does them.
import type { AccountOptions } from '../accounts/store/provider-account.ts'
import type { BlobStore, ByteRange } from '../contract/blobs.ts'
import { AppError, notFound } from '../contract/errors.ts'
import type { OneOf } from '../contract/filters.ts'
import type { Page, PageRequest } from '../contract/page.ts'
import { createOptOutKeyReader } from '../messaging/store/kept-opt-outs.ts'
import type { Pool } from '../platform/postgres/sql.ts'
import type { Clock } from '../shared/clock.ts'
import type { ExportId, WorkspaceId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { deleteDueFiles } from './delete-files.ts'
import { createMakeExport, type ExportSource } from './export-contact.ts'
import type { ClaimedJob } from './ports.ts'
import { runJob } from './run-jobs.ts'
import { createContactJobStore, createJobQueue } from './store/contact-jobs.store.ts'
import { createErasureStore, type ErasureStoreOptions } from './store/erasure.store.ts'
import { createExportStore } from './store/export.store.ts'
import { createFileDeletionStore } from './store/file-deletions.store.ts'
import { createRetentionStore } from './store/retention.store.ts'

export interface ExportFile {
  readonly sizeBytes: number
  readonly sha256: string
  open(range: ByteRange | undefined): Promise<AsyncIterable<Uint8Array>>
}

export type Privacy = ReturnType<typeof createPrivacy>

/** What is asked for, and how far it is. */
export function createPrivacy({
  sql,
  blobs,
}: {
  readonly sql: Pool
  readonly blobs: Pick<BlobStore, 'open'>
}) {
  const jobs = createContactJobStore(sql)
  return {
    ...jobs,
    /** The file of an export. Throws NOT_FOUND, or INVALID_STATE where there is no file yet or any more. */
    async exportFile(workspaceId: WorkspaceId, id: ExportId): Promise<ExportFile> {
      const found = await jobs.findExportFile(workspaceId, id)
      if (!found) throw notFound('export')
      const { status, sizeBytes, sha256, blobKey } = found
      if (status !== 'COMPLETED' || sizeBytes === null || sha256 === null || blobKey === null)
        throw new AppError('INVALID_STATE', `the export is ${status}; only a COMPLETED one has a file`)
      return {
        sizeBytes,
        sha256,
        async open(range) {
          const blob = await blobs.open(blobKey, range)
          if (!blob) throw notFound('file')
          return blob.body
        },
      }
    },
  }
}

/** One page of a list of the API, for the contacts with these numbers or user ids. */
export type ListOfContact = (
  workspaceId: WorkspaceId,
  filter: { readonly contact: OneOf<string> },
  page: PageRequest,
) => Promise<Page<object>>

export interface PrivacyWorkOptions {
  readonly sql: Pool
  readonly accounts: Pick<AccountOptions, 'secrets'>
  readonly blobs: BlobStore
  readonly lists: Readonly<Record<'conversations' | 'messages' | 'calls', ListOfContact>>
  /** Has the owners of the workspace's endpoints read again what waits. False where one was not reached. */
  readonly readAnew: ErasureStoreOptions['readAnew']
  readonly clock: Clock
  readonly log: Log
}

/** Rounds of a worker. Each is true where there may be more to do. */
export function createPrivacyWork(options: PrivacyWorkOptions) {
  const { sql, accounts, blobs, lists, readAnew, clock, log } = options
  const queue = createJobQueue(sql)
  const exports = createExportStore(sql)
  const source: ExportSource = {
    contact: exports.contact,
    files: exports.files,
    lists: {
      conversations: (job) => pagesOf(lists.conversations, job, exports),
      messages: (job) => pagesOf(lists.messages, job, exports),
      calls: (job) => pagesOf(lists.calls, job, exports),
      recipients: exports.recipients,
      events: exports.events,
    },
  }
  const makeExport = createMakeExport({ source, queue, blobs, finish: exports.finish, clock, log })
  const steps = createErasureStore(sql, { optOutKey: createOptOutKeyReader(sql, accounts.secrets), readAnew })
  const files = createFileDeletionStore(sql)
  const retention = createRetentionStore(sql)
  return {
    runJob: (stopped?: AbortSignal) => runJob({ queue, steps, makeExport, clock, log }, stopped),
    deleteFiles: () => deleteDueFiles({ files, blobs }),
    expireExports: () => exports.expire(),
    removeContents: (stopped?: AbortSignal) => retention.removeContents(clock.now(), stopped),
    removeUploads: () => retention.removeUploads(),
    purgeCampaigns: () => retention.purgeCampaigns(),
  }
}

const pageRows = 200

async function* pagesOf(
  list: ListOfContact,
  job: ClaimedJob,
  { waIds }: Pick<ReturnType<typeof createExportStore>, 'waIds'>,
) {
  for (let after: PageRequest['after'], isMore = true; isMore; ) {
    // Asked for each page: an address may be gone by the next.
    const contact = await waIds(job)
    if (contact.length === 0) return
    const page = await list(job.workspaceId, { contact }, { limit: pageRows, after })
    yield page.data
    after = page.next
    isMore = page.next !== undefined
  }
}
