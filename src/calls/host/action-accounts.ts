// The provider account of an action: read while its intent is committed, and once for all of its requests. Between a
// pre-accept and its accept a caller waits for audio.

import type { ProviderAccount } from '../../contract/provider.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import type { CallRow } from '../call.ts'

/** Null: the workspace has no token. */
type Account = ProviderAccount | null
export type ReadAccount = (workspaceId: WorkspaceId, phoneNumberId: string) => Promise<Account>

export interface ActionAccounts {
  /** The row that is about to be committed: what is pending in it is asked for next. */
  begin(row: CallRow): void
  /** Rejects where the account cannot be read. */
  of(row: CallRow, actionId: string | null): Promise<Account>
}

/** What another owner settles stays until then. One that is forgotten is read when it is asked for. */
const mostRemembered = 20_000

export function createActionAccounts(read: ReadAccount): ActionAccounts {
  const known = new Map<string, { readonly actionId: string; readonly account: Promise<Account> }>()
  const readFor = ({ workspaceId, phoneNumberId }: CallRow) => read(workspaceId, phoneNumberId)
  return {
    begin(row) {
      const { id, actionId } = row
      if (actionId === null) return void known.delete(id)
      if (known.get(id)?.actionId === actionId) return
      if (known.size >= mostRemembered) known.clear()
      const account = readFor(row)
      // Nobody waits for it yet. Whoever asks reads again.
      account.catch(() => undefined)
      known.set(id, { actionId, account })
    },
    of(row, actionId) {
      const one = known.get(row.id)
      return one?.actionId === actionId ? one.account.catch(() => readFor(row)) : readFor(row)
    },
  }
}
