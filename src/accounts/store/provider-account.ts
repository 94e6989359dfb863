// The provider account of a workspace: selects the token that a request carries.
import type { ProviderAccount } from '../../contract/provider.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import type { SecretBox } from '../secret-box.ts'

export type SecretOpener = Pick<SecretBox, 'open'>

export interface AccountOptions {
  readonly secrets: SecretOpener
  /** For workspaces without a token of their own. */
  readonly defaultToken: string | undefined
}

/** The columns that a statement must select for `toAccount`. */
export interface AccountColumns {
  workspaceId: WorkspaceId
  phoneNumberId: string
  wabaId: string | null
  providerToken: Buffer | null
}

/** Null where the workspace has no token and there is no default one. */
export const toAccount = (row: AccountColumns, options: AccountOptions): ProviderAccount | null => {
  const accessToken = row.providerToken ? options.secrets.open(row.providerToken) : options.defaultToken
  if (accessToken === undefined) return null
  return { workspaceId: row.workspaceId, phoneNumberId: row.phoneNumberId, wabaId: row.wabaId, accessToken }
}
