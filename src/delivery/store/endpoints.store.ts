// Endpoints for their owner: configuration with decrypted secrets, epochs and the failure counter.

import type { SecretOpener } from '../../accounts/store/provider-account.ts'
import type { Owned } from '../../platform/actors/actor.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { type EndpointId, idFloor, type WorkspaceId } from '../../shared/ids.ts'
import { type EndpointConfig, transportOf } from '../endpoint.ts'

export type EndpointStore = ReturnType<typeof createEndpointStore>

interface EndpointRow {
  id: EndpointId
  workspaceId: EndpointConfig['workspaceId']
  url: string
  secret: Buffer
  previousSecret: Buffer | null
  previousSecretUntil: Date | null
  enabled: boolean
  configVersion: number
  turnedOnVersion: number
  consecutiveFailures: number
  staysOpen: boolean
}

interface OwnedRow extends EndpointRow {
  ownerEpoch: number
  silentMs: number
}

/** Nulls: it is gone. */
interface ChangedEndpoint {
  readonly id: string
  readonly ownerEpoch: number | null
  readonly hasOtherEpoch: boolean
  readonly configVersion: number | null
}

export interface LoadOptions {
  readonly sid: string
  /** The directory is unreachable: take only endpoints that no other session owns. */
  readonly exclusive: boolean
  /** How long a successor stays silent after an owner that did not release. */
  readonly silenceMs: number
  /** A session that is known to be dead: its successor need not stay silent. */
  readonly deadSid?: string | undefined
}

/** @param keepsOpen whether sockets to which calls are forwarded stay open */
export const createEndpointStore = (
  sql: Sql,
  secrets: SecretOpener,
  { keepsOpen }: { keepsOpen: boolean },
) => {
  const staysOpen = keepsOpen
    ? sql`exists (select from numbers n where n.endpoint_id = endpoints.id and n.forward_calls) as stays_open`
    : sql`false as stays_open`
  const toConfig = (row: EndpointRow): EndpointConfig => ({
    id: row.id,
    workspaceId: row.workspaceId,
    url: row.url,
    transport: transportOf(row.url),
    secret: secrets.open(row.secret),
    previousSecret:
      row.previousSecret && row.previousSecretUntil
        ? { secret: secrets.open(row.previousSecret), untilMs: row.previousSecretUntil.getTime() }
        : null,
    enabled: row.enabled,
    configVersion: row.configVersion,
    turnedOnVersion: row.turnedOnVersion,
    consecutiveFailures: row.consecutiveFailures,
    staysOpen: row.staysOpen,
  })

  return {
    async find(id: EndpointId): Promise<EndpointConfig | undefined> {
      const [row] = await sql<EndpointRow[]>`
        select id, workspace_id, url, secret, previous_secret, previous_secret_until, enabled, config_version,
          turned_on_version, consecutive_failures, ${staysOpen}
        from endpoints
        where id = ${id} and deleted_at is null`
      return row && toConfig(row)
    },

    /** Takes ownership: the caller may act for the endpoint only under the epoch that this returns. */
    async take(
      id: EndpointId,
      options: LoadOptions,
    ): Promise<{ config: EndpointConfig; epoch: number; silentMs: number } | undefined> {
      const [row] = await sql<OwnedRow[]>`
        update endpoints
        set owner_epoch = nextval('actor_epoch'),
          owner_sid = ${options.sid},
          act_after = case
            when owner_sid is null or owner_sid in (${options.sid}, ${options.deadSid ?? null}) then act_after
            else clock_timestamp() + ${options.silenceMs} * interval '1 millisecond'
          end
        where id = ${id}
          and deleted_at is null
          and (not ${options.exclusive} or owner_sid is null or owner_sid = ${options.sid})
        returning id, workspace_id, url, secret, previous_secret, previous_secret_until, enabled, config_version,
          turned_on_version, consecutive_failures, ${staysOpen}, owner_epoch,
          greatest(0, extract(epoch from act_after - clock_timestamp()) * 1000)::float8 as silent_ms`
      return row && { config: toConfig(row), epoch: row.ownerEpoch, silentMs: row.silentMs }
    },

    async ownerOf(id: string): Promise<string | null | undefined> {
      const [row] = await sql<{ ownerSid: string | null }[]>`
        select owner_sid from endpoints where id = ${id} and deleted_at is null`
      return row?.ownerSid
    },

    /**
     * Of the endpoints that this process believes it owns, those with another epoch or a newer configuration. What is
     * gone has neither.
     *
     * @param versionOf that of the configuration which this process has; 0: it has none
     */
    async changedSince(
      owned: readonly Owned[],
      versionOf: (id: string) => number,
    ): Promise<ChangedEndpoint[]> {
      return sql<ChangedEndpoint[]>`
        select known.id, e.owner_epoch, e.owner_epoch is distinct from known.epoch as has_other_epoch, e.config_version
        from unnest(${owned.map(({ id }) => id)}::uuid[], ${owned.map(({ epoch }) => epoch)}::bigint[],
            ${owned.map(({ id }) => versionOf(id))}::bigint[]) as known (id, epoch, version)
          left join endpoints e on e.id = known.id and e.deleted_at is null
        where e.owner_epoch is distinct from known.epoch or e.config_version > known.version`
    },

    /**
     * After a restore of Postgres: takes these endpoints again under the epochs that this process was given. What
     * the restored rows say of them is the configuration now, so they get a version that their owner has not seen.
     */
    async restore(
      owned: readonly { readonly id: string; readonly epoch: number }[],
      sid: string,
    ): Promise<{ rewritten: number; lost: number }> {
      const ids = owned.map(({ id }) => id)
      const [row] = await sql<{ rewritten: number; lost: number }[]>`
        with owned as (
          select * from unnest(${ids}::uuid[], ${owned.map(({ epoch }) => epoch)}::bigint[]) as one (id, epoch)
        ),
        taken as (
          update endpoints e
          set owner_epoch = owned.epoch, owner_sid = ${sid}, config_version = config_version + 1000
          from owned
          where e.id = owned.id and e.owner_epoch < owned.epoch
          returning e.id
        )
        select (select count(*) from taken)::int as rewritten,
          (select count(*) from owned where not exists (select from endpoints e where e.id = owned.id))::int as lost`
      return row ?? { rewritten: 0, lost: 0 }
    },

    /** Releases endpoints, so that the next owner need not stay silent. */
    async release(
      owned: readonly { readonly id: string; readonly epoch: number }[],
      sid: string,
    ): Promise<void> {
      await sql`
        update endpoints
        set owner_sid = null
        from unnest(${owned.map((one) => one.id)}::uuid[], ${owned.map((one) => one.epoch)}::bigint[]) as owned (id, epoch)
        where endpoints.id = owned.id and owner_sid = ${sid} and owner_epoch = owned.epoch`
    },
  }
}

/** What a worker reads of endpoints, without their secrets. */
export const createOwnedStore = (sql: Sql) => ({
  /** Those of a workspace that an owner may send to. */
  async owned(workspaceId: WorkspaceId): Promise<EndpointId[]> {
    const rows = await sql<{ id: EndpointId }[]>`
      select id from endpoints
      where workspace_id = ${workspaceId} and enabled and deleted_at is null and owner_sid is not null`
    return rows.map(({ id }) => id)
  },
})

/** The same, of those at which calls ring. */
export const createRingingStore = (sql: Sql) => ({
  /**
   * Enabled endpoints with a socket at which calls ring: somebody must own them to keep it open. In the order of their
   * ids, and without those that one of `owners` has.
   */
  async ringing({
    after,
    owners,
    limit,
  }: {
    readonly after: EndpointId | null
    readonly owners: readonly string[]
    readonly limit: number
  }): Promise<EndpointId[]> {
    const rows = await sql<{ id: EndpointId }[]>`
      select id
      from endpoints
      where enabled and deleted_at is null and url ~* '^wss?:'
        and id in (select endpoint_id from numbers where forward_calls)
        and id > ${after ?? idFloor(0)} and (owner_sid = any(${owners as string[]}::text[])) is not true
      order by id
      limit ${limit}`
    return rows.map(({ id }) => id)
  },
})
