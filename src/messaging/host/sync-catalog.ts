// Copies the provider's current numbers and templates into Postgres.

import type { Provider, ProviderAccount, ProviderResult } from '../../contract/provider.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import type { CatalogSyncStore } from '../store/catalog-sync.store.ts'
import type { TemplateStore } from '../store/templates.store.ts'

export interface CatalogSync {
  readonly store: CatalogSyncStore
  readonly templates: Pick<TemplateStore, 'upsert'>
  readonly provider: Pick<Provider, 'listNumbers' | 'listTemplates'>
  /** The limit that the provider told with its numbers. */
  readonly limitRead: (workspaceId: WorkspaceId, word: string, at: Date) => Promise<void>
  readonly log: Log
}

/** Syncs one workspace, or all, one after the other. A refusal for one does not stop the others. */
export async function syncCatalog(sync: CatalogSync, workspaceId?: WorkspaceId): Promise<void> {
  for (const account of await sync.store.accounts(workspaceId)) await syncAccount(sync, account)
}

async function syncAccount(
  { store, templates, provider, limitRead, log }: CatalogSync,
  account: ProviderAccount,
): Promise<void> {
  const workspaceId = account.workspaceId as WorkspaceId
  const askedAt = new Date()
  const [numbers, found] = await Promise.all([provider.listNumbers(account), provider.listTemplates(account)])
  const problem = errorOf(numbers) ?? errorOf(found)
  if (numbers.type === 'ok') await store.upsertNumbers(workspaceId, numbers.value)
  const limit =
    numbers.type === 'ok' && numbers.value.find(({ messagingLimit }) => messagingLimit)?.messagingLimit
  if (limit) await limitRead(workspaceId, limit, askedAt)
  if (found.type === 'ok') await templates.upsert(workspaceId, found.value, askedAt)
  if (problem) log.warn({ workspaceId, code: problem.code }, 'catalog.sync_failed')
  else log.info({ workspaceId }, 'catalog.synced')
}

const errorOf = (result: ProviderResult<unknown>) => (result.type === 'ok' ? undefined : result.error)
