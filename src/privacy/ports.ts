// The ports of erasures and exports. privacy.module.ts provides them.
import type { Page, PageRequest } from '../contract/page.ts'
import type { ContactCounts, ErasureRecord, ExportRecord } from '../contract/records/privacy.ts'
import type { ErasureId, ExportId, KeyId, OperatorId, Uuid, WorkspaceId } from '../shared/ids.ts'

/** What is done to a contact one after the other. The contact itself comes last. */
export const erasureSteps = [
  'recipients',
  'elements',
  'calls',
  'messages',
  'events',
  'files',
  'contact',
] as const
export type ErasureStep = (typeof erasureSteps)[number]

export interface Requester {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId | null
  readonly operatorId: OperatorId | null
  readonly ip: string | null
}

/** A job that this process works on, until its time is over or another process has claimed it. */
export interface ClaimedJob {
  readonly id: Uuid
  readonly workspaceId: WorkspaceId
  readonly kind: 'ERASURE' | 'EXPORT'
  /** One number (digits) or user id of the person. */
  readonly address: string
  readonly claim: number
  readonly failures: number
}

/**
 * `again`: there is more of this. `wait`: what is left is in use, such as a live call; look again later. `next`: the
 * next step. `done`: the job is complete.
 */
export type StepResult = 'again' | 'wait' | 'next' | 'done'

export interface ErasureSteps {
  /** Does one batch of the job's current step, in one transaction. `lost`: another process has claimed the job. */
  advance(job: ClaimedJob): Promise<StepResult | 'lost'>
}

export interface FoundExport extends Pick<ExportRecord, 'status' | 'sizeBytes' | 'sha256'> {
  readonly blobKey: string | null
}

export interface ContactJobs {
  /** Returns the open job where there is one. */
  requestErasure(by: Requester, address: string): Promise<{ record: ErasureRecord; isNew: boolean }>
  requestExport(by: Requester, address: string): Promise<{ record: ExportRecord; isNew: boolean }>
  findErasure(workspaceId: WorkspaceId, id: ErasureId): Promise<ErasureRecord | undefined>
  findExport(workspaceId: WorkspaceId, id: ExportId): Promise<ExportRecord | undefined>
  /** `blobKey` is null until there is a file. */
  findExportFile(workspaceId: WorkspaceId, id: ExportId): Promise<FoundExport | undefined>
  listErasures(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<ErasureRecord>>
  listExports(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<ExportRecord>>
}

export interface JobQueue {
  /** The job that has waited longest, for half a minute. */
  claim(): Promise<ClaimedJob | undefined>
  /** Keeps it for another half a minute. False where another process has claimed it. */
  keep(job: ClaimedJob, counts?: Partial<ContactCounts>): Promise<boolean>
  /** Lets any process take it after the delay. A failure is counted. */
  release(job: ClaimedJob, delayMs: number, failure?: string): Promise<void>
}
