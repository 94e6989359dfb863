// On whose behalf the provider is asked for one of a workspace's numbers.
import type { SenderAccounts } from '../messages/upload-media.ts'
import { type AccountColumns, type AccountOptions, toAccount } from './messages.store.ts'
import type { Sql } from './sql.ts'

export const createSenderAccounts =
  (sql: Sql, options: AccountOptions): SenderAccounts =>
  async (workspaceId, numberId) => {
    const [row] = await sql<AccountColumns[]>`
      select w.id as workspace_id, n.phone_number_id, w.waba_id, w.provider_token
      from numbers n
      join workspaces w on w.id = n.workspace_id
      where n.workspace_id = ${workspaceId}
        and ${numberId === null ? sql`n.is_default` : sql`n.id = ${numberId}`}`
    return row && toAccount(row, options)
  }
