// Erasures and exports that were asked for: one row each, read by those who asked, and claimed by workers.
import { writeAudit } from '../../accounts/store/audit.store.ts'
import type { Page, PageRequest } from '../../contract/page.ts'
import type { ContactCounts, ErasureRecord, ExportRecord } from '../../contract/records/privacy.ts'
import { isDue } from '../../platform/postgres/due.ts'
import { olderThan } from '../../platform/postgres/keyset.ts'
import { iso, newestFirst } from '../../platform/postgres/newest-first.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { encodeId, newId, type Uuid, type WorkspaceId } from '../../shared/ids.ts'
import type { ClaimedJob, ContactJobs, FoundExport, JobQueue, Requester } from '../ports.ts'

type Kind = ClaimedJob['kind']

interface Row {
  readonly id: Uuid
  readonly status: ExportRecord['status']
  readonly address: string | null
  readonly total: number | null
  readonly counts: Partial<ContactCounts>
  readonly error: string | null
  readonly sizeBytes: number | null
  readonly sha256: string | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly completedAt: Date | null
  readonly expiresAt: Date | null
}

export const createContactJobStore = (pool: Pool): ContactJobs => ({
  async requestErasure(by, address) {
    const { row, isNew } = await request(pool, by, { kind: 'ERASURE', address })
    return { record: toErasure(row), isNew }
  },
  async requestExport(by, address) {
    const { row, isNew } = await request(pool, by, { kind: 'EXPORT', address })
    return { record: toExport(row), isNew }
  },
  async findErasure(workspaceId, id) {
    const row = await find(pool, workspaceId, { kind: 'ERASURE', id })
    return row && toErasure(row)
  },
  async findExport(workspaceId, id) {
    const row = await find(pool, workspaceId, { kind: 'EXPORT', id })
    return row && toExport(row)
  },
  async findExportFile(workspaceId, id) {
    const [row] = await pool<FoundExport[]>`
      select status, size_bytes, sha256, blob_key
      from contact_jobs
      where id = ${id} and workspace_id = ${workspaceId} and kind = 'EXPORT'`
    return row
  },
  async listErasures(workspaceId, page) {
    return list(pool, workspaceId, { kind: 'ERASURE', page, show: toErasure })
  },
  async listExports(workspaceId, page) {
    return list(pool, workspaceId, { kind: 'EXPORT', page, show: toExport })
  },
})

const columns = (sql: Sql) => sql`
  id, status, address, total, counts, error, size_bytes, sha256, created_at, started_at, completed_at, expires_at`

const auditActions = { ERASURE: 'contact.erasure_requested', EXPORT: 'contact.export_requested' } as const
const subjectKinds = { ERASURE: 'erasure', EXPORT: 'export' } as const

/** Of two requests at once, one makes the job and the other finds it. */
function request(
  pool: Pool,
  by: Requester,
  { kind, address }: { readonly kind: Kind; readonly address: string },
): Promise<{ row: Row; isNew: boolean }> {
  return pool
    .begin(async (sql) => {
      const id = newId(subjectKinds[kind])
      const [made] = await sql<Row[]>`
      insert into contact_jobs (id, workspace_id, kind, address, api_key_id, operator_id)
      values (${id}, ${by.workspaceId}, ${kind}, ${address}, ${by.keyId}, ${by.operatorId})
      on conflict (workspace_id, kind, address) where status in ('PENDING', 'RUNNING') do nothing
      returning ${columns(sql)}`
      if (made) {
        const entry = { action: auditActions[kind], subjectKind: subjectKinds[kind], subjectId: id }
        await writeAudit(sql, by, { ...entry, after: by.keyId && { apiKeyId: encodeId('key', by.keyId) } })
        return { row: made, isNew: true }
      }
      const [open] = await sql<Row[]>`
      select ${columns(sql)}
      from contact_jobs
      where workspace_id = ${by.workspaceId} and kind = ${kind} and address = ${address}
        and status in ('PENDING', 'RUNNING')`
      if (open) return { row: open, isNew: false }
      throw new JobEnded()
    })
    .catch((error: unknown) => {
      // The job that was in the way ended in between.
      if (error instanceof JobEnded) return request(pool, by, { kind, address })
      throw error
    })
}

class JobEnded extends Error {}

async function find(
  sql: Sql,
  workspaceId: WorkspaceId,
  { kind, id }: { readonly kind: Kind; readonly id: Uuid },
): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`
    select ${columns(sql)}
    from contact_jobs
    where id = ${id} and workspace_id = ${workspaceId} and kind = ${kind}`
  return row
}

interface Listing<Shown> {
  readonly kind: Kind
  readonly page: PageRequest
  readonly show: (row: Row) => Shown
}

async function list<Shown>(
  sql: Sql,
  workspaceId: WorkspaceId,
  { kind, page, show }: Listing<Shown>,
): Promise<Page<Shown>> {
  const rows = await sql<Row[]>`
    select ${columns(sql)}
    from contact_jobs j
    where j.workspace_id = ${workspaceId} and j.kind = ${kind} ${olderThan(sql, 'j', page)}
    order by j.id desc
    limit ${page.limit + 1}`
  return newestFirst(rows, page, show)
}

const shown = (row: Row) => ({
  contact: row.address,
  total: row.total,
  counts: { recipients: 0, calls: 0, messages: 0, files: 0, events: 0, ...row.counts },
  createdAt: row.createdAt.toISOString(),
  startedAt: iso(row.startedAt),
  completedAt: iso(row.completedAt),
})

const toErasure = (row: Row): ErasureRecord => ({
  id: encodeId('erasure', row.id as Uuid<'erasure'>),
  // An erasure neither fails nor expires.
  status: row.status as ErasureRecord['status'],
  ...shown(row),
})

const errorTitles: Readonly<Record<string, string>> = {
  EXPORT_TOO_LARGE: 'What is known of this contact is more than one file can hold',
}

const toExport = (row: Row): ExportRecord => ({
  id: encodeId('export', row.id as Uuid<'export'>),
  status: row.status,
  ...shown(row),
  sizeBytes: row.sizeBytes,
  sha256: row.sha256,
  error:
    row.status === 'FAILED' && row.error !== null
      ? { code: row.error, title: errorTitles[row.error] ?? 'The export could not be made' }
      : null,
  expiresAt: iso(row.expiresAt),
})

/** A process that does not renew its claim within this time counts as dead. */
const leaseSeconds = 30

export const createJobQueue = (sql: Sql): JobQueue => ({
  async claim() {
    const [job] = await sql<ClaimedJob[]>`
      update contact_jobs
      set status = 'RUNNING', claim = claim + 1, due_at = now() + ${lease(sql)},
        started_at = coalesce(started_at, now())
      where id = (
        select id
        from contact_jobs
        where status in ('PENDING', 'RUNNING') and ${isDue(sql, 'due_at')}
        order by due_at
        limit 1
        for update skip locked)
      returning id, workspace_id, kind, address, claim, failures`
    return job
  },

  async keep(job, counts) {
    const kept = await sql`
      update contact_jobs
      set due_at = now() + ${lease(sql)}, counts = ${counts === undefined ? sql`counts` : sql.json(counts as never)}
      where id = ${job.id} and claim = ${job.claim} and status = 'RUNNING'`
    return kept.count > 0
  },

  async release(job, delayMs, failure) {
    await sql`
      update contact_jobs
      set due_at = now() + ${delayMs} * interval '1 millisecond',
        failures = ${failure === undefined ? 0 : sql`failures + 1`}, error = ${failure ?? null}
      where id = ${job.id} and claim = ${job.claim} and status = 'RUNNING'`
  },
})

const lease = (sql: Sql) => sql`${leaseSeconds} * interval '1 second'`
