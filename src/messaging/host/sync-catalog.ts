// Copies the provider's current numbers and templates into Postgres.

import type {
  Provider,
  ProviderAccount,
  ProviderNumber,
  ProviderResult,
  ProviderTemplate,
} from '../../contract/provider.ts'
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

export interface SyncScope {
  /** Only this one, or those of this account at the provider. */
  readonly workspaceId?: WorkspaceId
  readonly wabaId?: string
  /** Leaves the templates as they are. */
  readonly onlyNumbers?: boolean
  /** Ends the round after the workspace under way. */
  readonly signal?: AbortSignal | undefined
}

/** Syncs some workspaces or all, one after the other. What fails for one does not stop the others. */
export async function syncCatalog(
  sync: CatalogSync,
  { signal, onlyNumbers = false, ...accounts }: SyncScope = {},
): Promise<void> {
  for (const account of await sync.store.accounts(accounts)) {
    if (signal?.aborted) return
    try {
      await syncAccount(sync, account, onlyNumbers)
    } catch (error) {
      sync.log.warn({ workspaceId: account.workspaceId, error: String(error) }, 'catalog.sync_failed')
    }
  }
}

async function syncAccount(
  { store, templates, provider, limitRead, log }: CatalogSync,
  account: ProviderAccount,
  onlyNumbers: boolean,
): Promise<void> {
  const workspaceId = account.workspaceId as WorkspaceId
  const askedAt = new Date()
  const [numbers, found] = await Promise.all([
    provider.listNumbers(account),
    onlyNumbers ? null : provider.listTemplates(account),
  ])
  const problem = errorOf(numbers) ?? (found && errorOf(found))
  if (numbers.type === 'ok') {
    const elsewhere = await store.upsertNumbers(workspaceId, numbersOf(numbers.value))
    if (elsewhere.length > 0)
      log.warn({ workspaceId, phoneNumberIds: elsewhere }, 'catalog.number_of_other_workspace')
  }
  const limit =
    numbers.type === 'ok' && numbers.value.find(({ messagingLimit }) => messagingLimit)?.messagingLimit
  if (limit) await limitRead(workspaceId, limit, askedAt)
  if (found?.type === 'ok') {
    const { templates: listed, named } = found.value
    await templates.upsert(workspaceId, templatesOf(listed), { asOf: askedAt, named })
  }
  if (problem) log.warn({ workspaceId, code: problem.code }, 'catalog.sync_failed')
  else log.info({ workspaceId }, 'catalog.synced')
}

const errorOf = (result: ProviderResult<unknown>) => (result.type === 'ok' ? undefined : result.error)

// A list that changes between two of its pages has an element twice.
const onceEach = <T>(elements: readonly T[], keyOf: (element: T) => string): T[] => [
  ...new Map(elements.map((element) => [keyOf(element), element])).values(),
]

const templatesOf = (found: readonly ProviderTemplate[]) =>
  onceEach(found, ({ name, language }) => JSON.stringify([name, language]))

/**
 * In the provider's order. A number that was added again may also be there under the id that it had before, which is not
 * connected any more.
 */
function numbersOf(found: readonly ProviderNumber[]): ProviderNumber[] {
  const isConnected = ({ status }: ProviderNumber) => Number(status === 'CONNECTED')
  const byId = onceEach(found, ({ phoneNumberId }) => phoneNumberId)
  const connectedLast = [...byId].sort((one, other) => isConnected(one) - isConnected(other))
  const kept = new Set(onceEach(connectedLast, ({ number }) => number))
  return byId.filter((one) => kept.has(one))
}
