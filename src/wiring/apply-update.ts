// Each update of the provider to the domain it concerns. Durable when resolved; a rejection makes the provider repeat it.
import type { ApplyCallUpdate } from '../calls/apply-call-update.ts'
import type { ApplyUpdate } from '../ingest/apply-in-order.ts'
import type { MessageUpdates } from '../messages/apply-message-updates.ts'
import type { CatalogSyncStore } from '../store/catalog-sync.store.ts'

export interface UpdateTargets {
  readonly messages: MessageUpdates
  readonly applyCallUpdate: ApplyCallUpdate
  readonly catalog: Pick<CatalogSyncStore, 'applyTemplateChange'>
  readonly ignored: (type: string) => void
}

export const createApplyUpdate = (targets: UpdateTargets): ApplyUpdate =>
  async function applyUpdate(update) {
    switch (update.type) {
      case 'messageStatus':
        return targets.messages.applyStatus(update)
      case 'inboundMessage':
        return targets.messages.applyInbound(update)
      case 'callConnect':
      case 'callStatus':
      case 'callTerminate':
        return targets.applyCallUpdate(update)
      case 'templateStatus':
      case 'templateCategory':
        if (!(await targets.catalog.applyTemplateChange(update))) targets.ignored(update.type)
        return
      // The next catalog sync brings a number's quality; marketing preferences are the provider's to enforce.
      case 'numberQuality':
      case 'userPreference':
        return targets.ignored(update.type)
    }
  }
