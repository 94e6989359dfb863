// Idempotency keys of requests: the statement that makes a resource also takes its key, so that one key makes
// one resource, on whichever gateway the requests arrive. Messages have their keys in their own rows.
import type { EarlierRequest, RequestKey } from '../../contract/request-key.ts'
import type { Piece } from './keyset.ts'
import type { Sql } from './sql.ts'

export interface KeyedResource {
  readonly workspaceId: string
  readonly kind: 'call' | 'campaign'
  readonly id: string
}

/** To be put into a statement that makes a resource. Without a key, all parts are empty. */
export interface TakenKey {
  /** A CTE with a comma behind it. */
  readonly cte: Piece
  /** A `where` that holds if the key was free, or if there is none. */
  readonly isFree: Piece
}

/** A request that takes the key at the same time waits for the first one to commit, and finds it taken then. */
export const takeKey = (
  sql: Sql,
  { workspaceId, kind, id }: KeyedResource,
  key: RequestKey | null,
  /** A `where`: under which the key is taken. */
  given: Piece = sql``,
): TakenKey =>
  key === null
    ? { cte: sql``, isFree: sql`` }
    : {
        cte: sql`
          taken_key as (
            insert into request_keys (workspace_id, kind, key, hash, resource_id)
            select ${workspaceId}::uuid, ${kind}, ${key.key}, decode(${key.hash}, 'hex'), ${id}::uuid ${given}
            on conflict do nothing
            returning 1
          ),`,
        isFree: sql`where exists (select from taken_key)`,
      }

export async function earlierRequest(
  sql: Sql,
  { workspaceId, kind }: Omit<KeyedResource, 'id'>,
  key: string,
): Promise<EarlierRequest | undefined> {
  const [found] = await sql<EarlierRequest[]>`
    select resource_id as id, encode(hash, 'hex') as hash
    from request_keys
    where workspace_id = ${workspaceId} and kind = ${kind} and key = ${key}`
  return found
}

const forgottenAtOnce = 5_000

/** Forgets one batch of keys that are older than the time for which they are promised. True: there may be more. */
export async function forgetRequestKeys(sql: Sql, days: number): Promise<boolean> {
  const forgotten = await sql`
    delete from request_keys
    where (workspace_id, kind, key) in (
      select workspace_id, kind, key
      from request_keys
      where created_at < now() - ${days} * interval '1 day'
      limit ${forgottenAtOnce})`
  return forgotten.count === forgottenAtOnce
}
