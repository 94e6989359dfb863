// The simulator's provider account, with which the gateway of a development start is configured.
import pino from 'pino'
import { syncCatalog } from '../messaging/host/sync-catalog.ts'
import { createCatalogSyncStore } from '../messaging/store/catalog-sync.store.ts'
import { createTemplateStore } from '../messaging/store/templates.store.ts'
import type { Pool } from '../platform/postgres/sql.ts'
import { createCloudApi } from '../provider/outgoing/cloud-api.ts'
import type { WorkspaceId } from '../shared/ids.ts'

export const provider = {
  wabaId: '102290129340398',
  appSecret: 'sim-app-secret',
  verifyToken: 'sim-verify-token',
  accessToken: 'sim-access-token',
} as const

/** Copies the simulator's numbers and templates into the demo workspace before the first request. */
export async function syncDemoCatalog(sql: Pool, workspaceId: WorkspaceId, baseUrl: string): Promise<void> {
  const log = pino({ level: 'silent' })
  const api = createCloudApi({ baseUrl, version: 'v24.0', timeoutMs: 5_000, log, connections: 2 })
  // The demo workspace has no access token of its own, so there is no sealed secret to open.
  const secrets = { open: () => provider.accessToken }
  try {
    const store = createCatalogSyncStore(sql, { secrets, defaultToken: provider.accessToken })
    const limitRead = async () => undefined
    const sync = { store, templates: createTemplateStore(sql), provider: api, limitRead, log }
    await syncCatalog(sync, { workspaceId })
  } finally {
    await api.close()
  }
}
