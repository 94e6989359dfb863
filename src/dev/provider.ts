// The simulator's account, as the gateway of a development start is told of it.
import pino from 'pino'
import { createCloudApi } from '../provider/cloud-api.ts'
import type { WorkspaceId } from '../shared/ids.ts'
import { catalogSyncStore } from '../store/catalog-sync.store.ts'
import type { Pool } from '../store/sql.ts'
import { createTemplateStore } from '../store/templates.store.ts'
import { syncCatalog } from '../wiring/sync-catalog.ts'

export const provider = {
  wabaId: '102290129340398',
  appSecret: 'sim-app-secret',
  verifyToken: 'sim-verify-token',
  accessToken: 'sim-access-token',
} as const

/** Numbers and templates of the simulator into the demo workspace, before the first request can ask for them. */
export async function syncDemoCatalog(sql: Pool, workspaceId: WorkspaceId, baseUrl: string): Promise<void> {
  const log = pino({ level: 'silent' })
  const api = createCloudApi({ baseUrl, version: 'v24.0', timeoutMs: 5_000, log, connections: 2 })
  // The demo workspace has no token of its own, so nothing sealed is opened here.
  const secrets = { open: () => provider.accessToken }
  try {
    const store = catalogSyncStore(sql, { secrets, defaultToken: provider.accessToken })
    await syncCatalog({ store, templates: createTemplateStore(sql), provider: api, log }, workspaceId)
  } finally {
    await api.close()
  }
}
