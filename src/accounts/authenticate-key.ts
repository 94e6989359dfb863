// Authenticates API keys. Reads the key and its workspace from the database for every request, so that a
// revocation, a change of scopes or a suspension applies from the next request on every node. Requests that
// arrive together share one query. Keeps no copy.
import type { Caller } from '../contract/caller.ts'
import type { Scope } from '../contract/scopes.ts'
import { Batcher } from '../shared/batcher.ts'
import type { Clock } from '../shared/clock.ts'
import { oneUnlessHeldUp } from '../shared/concurrency.ts'
import type { KeyId, WorkspaceId } from '../shared/ids.ts'
import { isSecret, type KeyEnvironment, parseKey } from './key-format.ts'

export interface KeyRow {
  readonly keyId: KeyId
  readonly workspaceId: WorkspaceId
  readonly workspaceStatus: 'ACTIVE' | 'SUSPENDED'
  readonly name: string
  readonly prefix: string
  readonly secretHash: Uint8Array
  readonly scopes: readonly Scope[]
  readonly requestsPerSecond: number
  /** Empty: every address. */
  readonly allowedIps: readonly string[]
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
}

export interface KeyPort {
  /** Keys of these prefixes, in any order. */
  findByPrefixes(prefixes: readonly string[]): Promise<readonly KeyRow[]>
  /** Writes last_used_at = now. */
  touch(ids: readonly KeyId[]): Promise<void>
}

export type KeyVerdict =
  | {
      readonly type: 'authenticated'
      readonly caller: Caller
      readonly suspended: boolean
      readonly requestsPerSecond: number
      /** Ranges of addresses that may use the key; empty: every address. */
      readonly allowedIps: readonly string[]
    }
  /**
   * Malformed, of the other environment, unknown, wrong, revoked or expired; the caller cannot tell which.
   */
  | { readonly type: 'refused' }

export interface AuthenticatorOptions {
  readonly keys: KeyPort
  readonly environment: KeyEnvironment
  readonly clock: Clock
  /** Called where writing last_used_at failed. It is only logged and never refuses a request. */
  readonly onTouchFailed: (error: unknown) => void
}

const touchEveryMs = 60_000
const touchDelayMs = 1_000
const refused: KeyVerdict = { type: 'refused' }

export type AuthenticateKey = (text: string) => Promise<KeyVerdict>

export function createAuthenticator(options: AuthenticatorOptions): AuthenticateKey {
  const { keys, environment, clock } = options
  const lookup = new Batcher<string, KeyRow | undefined>({
    flush: async (prefixes) => {
      const rows = await keys.findByPrefixes([...new Set(prefixes)])
      const byPrefix = new Map(rows.map((row) => [row.prefix, row]))
      return prefixes.map((prefix) => byPrefix.get(prefix))
    },
    maxItems: 500,
    maxWaiting: 5_000,
    ...oneUnlessHeldUp,
  })
  const touch = createToucher(options)
  return async (text) => {
    const parsed = parseKey(text)
    if (parsed?.environment !== environment) return refused
    const row = await lookup.add(parsed.prefix)
    if (!row || !isSecret(parsed.secret, row.secretHash)) return refused
    const now = clock.now()
    if (row.revokedAt !== null || (row.expiresAt !== null && row.expiresAt.getTime() <= now)) return refused
    if (row.lastUsedAt === null || now - row.lastUsedAt.getTime() >= touchEveryMs) touch(row.keyId)
    return {
      type: 'authenticated',
      caller: { workspaceId: row.workspaceId, keyId: row.keyId, keyName: row.name, scopes: row.scopes },
      suspended: row.workspaceStatus === 'SUSPENDED',
      requestsPerSecond: row.requestsPerSecond,
      allowedIps: row.allowedIps,
    }
  }
}

// The row holds the time of the last use, so this set holds at most the keys of one second.
function createToucher({ keys, clock, onTouchFailed }: AuthenticatorOptions): (id: KeyId) => void {
  const due = new Set<KeyId>()
  const flush = (): void => {
    const ids = [...due]
    due.clear()
    keys.touch(ids).catch(onTouchFailed)
  }
  return (id) => {
    if (due.size === 0) clock.after(touchDelayMs, flush)
    due.add(id)
  }
}
