// The table of template statuses. The provider decides about templates, and its updates can get lost between
// two syncs of the catalog, so every status may follow every other one.
import { type TemplateStatus, templateStatuses } from '../contract/records/catalog.ts'
import type { Machine } from '../shared/machine.ts'

const others = (status: TemplateStatus) => templateStatuses.filter((other) => other !== status)

export const templateMachine: Machine<TemplateStatus> = {
  PENDING: others('PENDING'),
  APPROVED: others('APPROVED'),
  REJECTED: others('REJECTED'),
  PAUSED: others('PAUSED'),
  DISABLED: others('DISABLED'),
  DELETED: others('DELETED'),
}

/** Whether the provider sends a template with this status. */
export const isSendable = (status: string): boolean => status === 'APPROVED'
