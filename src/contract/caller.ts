// Who a request of the public API comes from: an API key, and through it one workspace.
import type { KeyId, WorkspaceId } from '../shared/ids.ts'
import type { Scope } from './scopes.ts'

export interface Caller {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  readonly keyName: string
  readonly scopes: readonly Scope[]
}
