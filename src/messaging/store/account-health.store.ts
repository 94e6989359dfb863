// Stores what the provider reports about accounts: each report once, of each matter the latest state, and an event for
// each change. An older report never takes the place of a newer one.
import type { AccountChange } from '../../contract/account-health.ts'
import type { WrittenDelivery } from '../../contract/dispatch.ts'
import { accountBody } from '../../contract/events.ts'
import type { AccountStateFilter } from '../../contract/filters.ts'
import type { AccountStateRecord } from '../../contract/records/account.ts'
import { emit, writtenDeliveries } from '../../platform/postgres/emit.ts'
import { equals } from '../../platform/postgres/keyset.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { encodeId, newId, type WorkspaceId } from '../../shared/ids.ts'

/**
 * The CTE `halted`, and what it needs, which pauses what the states stop. `stated` names a CTE with the new states: workspace_id, status,
 * message, until, stops. Campaigns provide it, because the table is theirs.
 */
export type CampaignsHalted = (sql: Sql, stated: string) => Fragment

/** Which workspaces a report is about: those of a business account, or one. */
export type AccountOf = { readonly wabaId: string } | { readonly workspaceId: WorkspaceId }

export interface AccountReport {
  readonly of: AccountOf
  readonly at: Date
  /** Hex. */
  readonly digest: string
  readonly changes: readonly AccountChange[]
  /** Makes no event. */
  readonly isQuiet?: boolean
}

/** States that hold now: they have no end, or it is to come. */
const inForce = (sql: Sql, table: string) => sql`coalesce(${sql(`${table}.until`)}, 'infinity') > now()`

interface StateRow extends Omit<AccountStateRecord, 'occurredAt' | 'until'> {
  readonly at: Date
  readonly until: Date | null
}

const mostStates = 500

export const createAccountHealthStore = (sql: Sql) => ({
  /**
   * The states that hold now, the most serious first. Without the status of a template that has another one since: a list
   * of the provider told that.
   */
  async states(
    workspaceId: WorkspaceId,
    { templateId, ofTemplates }: AccountStateFilter = {},
  ): Promise<AccountStateRecord[]> {
    const rows = await sql<StateRow[]>`
      select s.topic, s.status, s.severity, s.number, s.template, s.message, s.advice, s.at, s.until, s.details
      from account_states s
      left join templates t on t.workspace_id = s.workspace_id and t.name = s.template ->> 'name'
        and t.language = s.template ->> 'language'
      where s.workspace_id = ${workspaceId} and ${inForce(sql, 's')}
        and (s.topic <> 'TEMPLATE_STATUS' or coalesce(t.status, s.status) = s.status)
        ${equals(sql, 't.id', templateId)}
        ${ofTemplates === undefined ? sql`` : sql`and (s.template is not null) = ${ofTemplates}`}
      order by array_position(array['CRITICAL', 'WARNING', 'INFO'], s.severity), s.at desc, s.topic, s.key
      limit ${mostStates}`
    return rows.map(({ at, until, ...row }) => ({
      ...row,
      occurredAt: at.toISOString(),
      until: until?.toISOString() ?? null,
    }))
  },

  async limitOf(workspaceId: WorkspaceId): Promise<string | null> {
    const [row] = await sql<[{ status: string }?]>`
      select status from account_states
      where workspace_id = ${workspaceId} and topic = 'MESSAGING_LIMIT' and key = ''`
    return row?.status ?? null
  },

  /**
   * Undefined when no workspace has the account. A state that still holds and has the same status makes no event, if
   * the change only prolongs it.
   */
  async apply(
    report: AccountReport,
    now: Date,
    halted: CampaignsHalted,
  ): Promise<readonly WrittenDelivery[] | undefined> {
    const rows = await sql<({ deliveryId: null } | WrittenDelivery)[]>`
      with space as (${spaces(sql, report.of)}),
      reported as (
        insert into account_reports (workspace_id, digest, at, changes)
        select id, decode(${report.digest}, 'hex'), ${report.at}::timestamptz, ${sql.json(report.changes as never)}::jsonb
        from space
        on conflict (workspace_id, digest) do nothing
        returning workspace_id
      ),
      input as (
        select *
        from jsonb_to_recordset(${sql.json(rowsOf(report, now) as never)}) as i (topic text, key text, status text,
          severity text, number text, template jsonb, message text, advice text, until timestamptz, stops text[],
          details jsonb, body text)
      ),
      before as (
        select s.workspace_id, s.topic, s.key, s.status
        from account_states s
        join reported on reported.workspace_id = s.workspace_id
        where ${inForce(sql, 's')}
      ),
      stated as (
        insert into account_states as s (workspace_id, topic, key, status, severity, number, template, message, advice,
          at, until, stops, details)
        select reported.workspace_id, topic, key, status, severity, number, template, message, advice,
          ${report.at}::timestamptz, until, stops, details
        from reported
        cross join input
        where ${notReinstated(sql, report)}
        -- Ordered, so that two reports cannot deadlock.
        order by reported.workspace_id, topic, key
        on conflict (workspace_id, topic, key) do update
        set status = excluded.status, severity = excluded.severity, number = excluded.number,
          template = excluded.template, message = excluded.message, advice = excluded.advice, at = excluded.at,
          until = excluded.until, stops = excluded.stops, details = excluded.details, updated_at = now()
        where s.at <= excluded.at
        returning s.workspace_id, s.topic, s.key, s.status, s.message, s.until, s.stops
      ),
      ${halted(sql, 'stated')},
      lifted as (${lift(sql, report)}),
      occurred as (
        select new_uuid() as event_id, stated.workspace_id, 'account.updated' as kind, stated.workspace_id as key,
          decode(input.body, 'base64') as body, null::uuid as routed_to, null::uuid as after
        from stated
        join input on input.topic = stated.topic and input.key = stated.key
        left join before on before.workspace_id = stated.workspace_id and before.topic = stated.topic
          and before.key = stated.key
        where (stated.topic <> 'PAYMENT' or before.status is null) and not ${report.isQuiet ?? false}::boolean
      ),
      ${emit(sql)}
      select written.*
      from space
      left join (${writtenDeliveries(sql)}) written on written.workspace_id = space.id`
    if (rows.length === 0) return undefined
    return rows.flatMap((row) => (row.deliveryId === null ? [] : [row]))
  },

  /** Forgets reports and ended states of more than so many days ago; true where there may be more. */
  async forget(days: number): Promise<boolean> {
    const age = sql`now() - ${days} * interval '1 day'`
    await sql`delete from account_states where until < ${age}`
    const { count } = await sql`
      delete from account_reports
      where (workspace_id, digest) in (
        select workspace_id, digest from account_reports where created_at < ${age} limit ${mostForgotten})`
    return count === mostForgotten
  },
})

const mostForgotten = 1_000

const spaces = (sql: Sql, of: AccountOf) =>
  'wabaId' in of
    ? sql`select id from workspaces where waba_id = ${of.wabaId}`
    : sql`select id from workspaces where id = ${of.workspaceId}`

/** An account that was enabled again has no restriction left that began before. */
function lift(sql: Sql, { changes, at }: AccountReport) {
  const isReinstated = changes.some(({ topic, status }) => topic === 'BAN' && status === 'REINSTATE')
  return isReinstated
    ? sql`
      update account_states s
      set until = ${at}, updated_at = now()
      from reported
      where s.workspace_id = reported.workspace_id and s.topic = 'RESTRICTION' and s.at <= ${at} and ${inForce(sql, 's')}`
    : sql`select`
}

/** The same for one that is told only after that. Other states may have taken the place of the one that says so. */
const notReinstated = (sql: Sql, { at }: AccountReport) => sql`(
  input.topic <> 'RESTRICTION' or not exists (
    select from account_reports later
    where later.workspace_id = reported.workspace_id and later.at >= ${at}::timestamptz
      and later.changes @> '[{"topic": "BAN", "status": "REINSTATE"}]')
)`

const rowsOf = ({ of, at, changes }: AccountReport, now: Date) =>
  changes.map((change) => {
    const { until, key: _, stops: _stops, ...data } = change
    const body = accountBody(now, {
      updateId: encodeId('accountUpdate', newId('accountUpdate')),
      wabaId: 'wabaId' in of ? of.wabaId : null,
      ...data,
      occurredAt: at.toISOString(),
      until: until?.toISOString() ?? null,
    })
    return { ...change, body: body.toString('base64') }
  })

/**
 * A scalar subquery: `{message, until}` of a state that stops one of these now, or null. Of several the one with the
 * latest known end. `of` limits the states, such as to one number.
 */
export const stoppedBy = (
  sql: Sql,
  {
    workspaceId,
    stops,
    of,
  }: { readonly workspaceId: Fragment; readonly stops: Fragment; readonly of?: Fragment },
) => sql`(
  select jsonb_build_object('message', s.message, 'advice', s.advice, 'until', s.until)
  from account_states s
  where s.workspace_id = ${workspaceId} and s.stops && ${stops} and ${inForce(sql, 's')}
    ${of ?? sql``}
  order by s.until desc nulls last
  limit 1
)`
