// The provider account for requests from one of a workspace's numbers.

import { type AccountColumns, type AccountOptions, toAccount } from '../../accounts/store/provider-account.ts'
import type { ProviderAccount } from '../../contract/provider.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { NumberId, WorkspaceId } from '../../shared/ids.ts'

export const createSenderAccountStore = (sql: Sql, options: AccountOptions) => ({
  /** Null as `numberId`: the default number. Undefined: no such number. Null: no token to send with. */
  async ofNumber(
    workspaceId: WorkspaceId,
    numberId: NumberId | null,
  ): Promise<ProviderAccount | null | undefined> {
    const [row] = await sql<AccountColumns[]>`
      select w.id as workspace_id, n.phone_number_id, w.waba_id, w.provider_token
      from numbers n
      join workspaces w on w.id = n.workspace_id
      where n.workspace_id = ${workspaceId}
        and ${numberId === null ? sql`n.is_default` : sql`n.id = ${numberId}`}`
    return row && toAccount(row, options)
  },

  /** For a number whose id at the provider is known already. Null: no token to send with. */
  async ofPhoneNumber(workspaceId: WorkspaceId, phoneNumberId: string): Promise<ProviderAccount | null> {
    const [row] = await sql<AccountColumns[]>`
      select w.id as workspace_id, ${phoneNumberId}::text as phone_number_id, w.waba_id, w.provider_token
      from workspaces w
      where w.id = ${workspaceId}`
    return row ? toAccount(row, options) : null
  },
})
