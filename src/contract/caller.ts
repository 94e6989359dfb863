// The caller of a request to the public API: an API key, and the workspace of that key.
import type { KeyId, WorkspaceId } from '../shared/ids.ts'
import type { Scope } from './scopes.ts'

export interface Caller {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  readonly keyName: string
  readonly scopes: readonly Scope[]
}

/** Who sends a message: a caller of the API, or an operator in the console, who has no key. */
export interface Sender {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId | null
  readonly keyName: string | null
}
