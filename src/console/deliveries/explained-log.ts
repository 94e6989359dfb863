// The delivery log with what each event was about.
import type { DeliveryFilter, DeliveryLog, LoggedDelivery } from '../../contract/administration.ts'
import type { Page, PageRequest } from '../../contract/page.ts'
import type { DeliveryDetail, DeliveryRecord } from '../../contract/records/console.ts'
import type { DeliveryId, Uuid, WorkspaceId } from '../../shared/ids.ts'
import { type Found, type Named, namedBy, subjectOf } from './subject.ts'

export interface ExplainedLog {
  list(workspaceId: WorkspaceId, filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliveryRecord>>
  find(workspaceId: WorkspaceId, id: DeliveryId): Promise<DeliveryDetail | undefined>
}

export interface SubjectStore {
  /** What is known of these, by id; one statement, however many they are. */
  find(workspaceId: WorkspaceId, named: readonly Named[]): Promise<ReadonlyMap<Uuid, Found>>
}

export function explainLog(log: DeliveryLog, subjects: SubjectStore): ExplainedLog {
  async function explain<Row extends LoggedDelivery>(workspaceId: WorkspaceId, rows: readonly Row[]) {
    const named = rows.map(namedBy)
    const found = await subjects.find(workspaceId, named)
    return rows.map(({ told: _, ...row }, index) => {
      const subject = subjectOf(named[index] as Named, (id) => (id === undefined ? undefined : found.get(id)))
      return { ...row, subject }
    })
  }
  return {
    async list(workspaceId, filter, page) {
      const listed = await log.list(workspaceId, filter, page)
      return { ...listed, data: await explain(workspaceId, listed.data) }
    },
    async find(workspaceId, id) {
      const detail = await log.find(workspaceId, id)
      return detail && (await explain(workspaceId, [detail]))[0]
    },
  }
}
