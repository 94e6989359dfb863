// Who the recipients of a claim are. Locks: addresses, contacts.

import type { FingerprintKey } from '../../messaging/opt-out-fingerprint.ts'
import { locked } from '../../messaging/store/contacts-at.ts'
import { isKeptOptOut, keptMarketing, keptOptOutTime } from '../../messaging/store/kept-opt-outs.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { spellingsOf } from '../../shared/address.ts'
import type { ConversationId, Uuid, WorkspaceId } from '../../shared/ids.ts'
import type { RunningCampaign } from '../send-ports.ts'

export interface Person {
  /** As on the list. */
  readonly waId: string
  /** Under which the person is written to now. */
  readonly address: string
  /** Null where an erased contact had opted out: then there is no row. */
  readonly contactId: Uuid | null
  readonly optedOut: boolean
  readonly marketingOptedOut: boolean
  readonly conversationId: ConversationId | null
}

interface Asked {
  readonly waIds: readonly string[]
  readonly optOutKey: FingerprintKey | undefined
}

/** An address on the list, and one of its spellings. */
type Pair = readonly [waId: string, address: string]

/**
 * Two claims that each see one spelling of a number would make two contacts of it. Where both spellings are on the
 * list, the claims come one after the other. Most numbers have one spelling only.
 */
async function awaitTwins(sql: Sql, { id }: RunningCampaign, waIds: readonly string[]): Promise<void> {
  const pairs = waIds.flatMap((waId) => spellingsOf(waId).map((other) => [waId, other] as const))
  if (pairs.length === 0) return
  await sql`
    select pg_advisory_xact_lock(key)
    from (
      select distinct hashtextextended(${id}::text || ' ' || least(asked.wa_id, asked.other), 2) as key
      from unnest(${pairs.map(([waId]) => waId)}::text[], ${pairs.map(([, other]) => other)}::text[])
        as asked (wa_id, other)
      join recipients twin on twin.campaign_id = ${id} and twin.wa_id = asked.other
      order by key
    ) keys`
}

/**
 * Whoever gives an address that nobody has to a contact waits for this claim, or this claim waits for them. Returns these
 * addresses. Before the locks on contacts, as whoever learns whose an address is.
 */
async function lockStrangers(sql: Sql, workspaceId: WorkspaceId, pairs: readonly Pair[]): Promise<string[]> {
  // Asked for one by one, as in contacts-at.ts.
  const rows = await sql<{ waId: string }[]>`
    select asked.wa_id
    from unnest(${pairs.map(([waId]) => waId)}::text[], ${pairs.map(([, address]) => address)}::text[])
      as asked (wa_id, address)
    left join lateral (
      select id from contacts where workspace_id = ${workspaceId} and wa_id = asked.address
      union all
      select contact_id from contact_aliases where workspace_id = ${workspaceId} and address = asked.address
      offset 0
    ) holder on true
    group by asked.wa_id
    having count(holder.id) = 0`
  const strangers = rows.map(({ waId }) => waId)
  if (strangers.length > 0) await locked(sql, workspaceId, strangers)
  return strangers
}

/**
 * Finds the contacts of the addresses, and their conversations; inserts missing ones. An address is that of the contact
 * that has it, now or as an alias; where nobody has it, of the contact with another spelling of the number. The
 * contacts are locked: a STOP that is committed before the claim is seen, a later one waits, and of two claims of one
 * person the second sees what the first has written. Whose contact was merged or erased while this waited for its lock
 * is not answered: only another statement sees who has the address now.
 */
export async function peopleOf(
  sql: Sql,
  campaign: RunningCampaign,
  { waIds, optOutKey }: Asked,
): Promise<Map<string, Person>> {
  const { workspaceId, numberId } = campaign
  await awaitTwins(sql, campaign, waIds)
  const pairs = waIds.flatMap((waId): Pair[] =>
    [waId, ...spellingsOf(waId)].map((address) => [waId, address]),
  )
  const strangers = await lockStrangers(sql, workspaceId, pairs)
  const addresses = pairs.map(([, address]) => address)
  const erased = { workspaceId, addresses: sql`array[asked.address]` }
  const people = await sql<Person[]>`
    with asked as (
      select *
      from unnest(${pairs.map(([waId]) => waId)}::text[], ${addresses}::text[]) as asked (wa_id, address)
    ),
    holder as (
      select wa_id as address, id as contact_id
      from contacts
      where workspace_id = ${workspaceId} and wa_id = any(${addresses}::text[])
      union all
      select address, contact_id
      from contact_aliases
      where workspace_id = ${workspaceId} and address = any(${addresses}::text[])
    ),
    known as (
      select id, wa_id, opt_state, marketing_opt_out_at
      from contacts
      where id in (select contact_id from holder) and workspace_id = ${workspaceId} and erased_at is null
      order by id
      for no key update
    ),
    gone as (
      select asked.wa_id
      from asked
      join holder on holder.address = asked.address
      where holder.contact_id not in (select id from known)
    ),
    person as (
      select distinct on (asked.wa_id) asked.wa_id, known.id, known.wa_id as address,
        bool_or(known.opt_state is not distinct from 'opted-out') over by_asked as opted_out,
        bool_or(known.marketing_opt_out_at is not null) over by_asked as marketing_opted_out
      from asked
      join holder on holder.address = asked.address
      join known on known.id = holder.contact_id
      where asked.wa_id not in (select wa_id from gone)
      window by_asked as (partition by asked.wa_id)
      order by asked.wa_id, asked.address = asked.wa_id desc, known.id
    ),
    strangers as (
      select asked.wa_id, bool_or(${isKeptOptOut(sql, optOutKey, erased)}) as is_erased,
        min(${keptOptOutTime(sql, optOutKey, erased, keptMarketing)}) as marketing_opt_out_at
      from asked
      where asked.wa_id = any(${strangers}::text[])
      group by asked.wa_id
      having not bool_or(asked.address in (select address from holder))
    ),
    made as (
      insert into contacts (id, workspace_id, wa_id, user_id, marketing_opt_out_at, marketing_changed_at)
      select new_uuid(), ${workspaceId}, wa_id, case when wa_id like '%.%' then wa_id end, marketing_opt_out_at,
        marketing_opt_out_at
      from strangers s
      where not is_erased
        -- Of two spellings of one number, the next claim finds the contact that the other one makes here.
        and not exists (
          select from asked
          where asked.wa_id = s.wa_id and asked.address < s.wa_id
            and asked.address in (select wa_id from strangers)
        )
      order by wa_id
      on conflict (workspace_id, wa_id) do nothing
      returning id, wa_id, marketing_opt_out_at
    ),
    people as (
      select * from person
      union all
      select wa_id, id, wa_id, false, marketing_opt_out_at is not null from made
      union all
      select wa_id, null::uuid, wa_id, true, true from strangers where is_erased
    ),
    talks as (
      insert into conversations (id, workspace_id, number_id, contact_id)
      select new_uuid(), ${workspaceId}, ${numberId}, people.id
      from people
      where people.id is not null and not exists (
        select from conversations v where v.number_id = ${numberId} and v.contact_id = people.id
      )
      group by people.id
      order by people.id
      on conflict (number_id, contact_id) do nothing
      returning id, contact_id
    )
    select p.id as contact_id, p.wa_id, p.address, p.opted_out, p.marketing_opted_out,
      coalesce(t.id, v.id) as conversation_id
    from people p
    left join talks t on t.contact_id = p.id
    left join conversations v on v.number_id = ${numberId} and v.contact_id = p.id`
  return new Map(
    people
      .filter(({ optedOut, conversationId }) => optedOut || conversationId !== null)
      .map((person) => [person.waId, person]),
  )
}
