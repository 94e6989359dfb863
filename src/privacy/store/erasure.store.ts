// Erases a contact in batches. Each batch is one transaction that holds the row of the job, so that of two processes
// that both believe to have the job only one counts what it did, and repeating a batch erases nothing twice.
import { callMachines } from '../../calls/call.machine.ts'
import type { ContactCounts } from '../../contract/records/privacy.ts'
import { createDeliveryEraser } from '../../delivery/store/erase-deliveries.ts'
import type { FingerprintKey } from '../../messaging/opt-out-fingerprint.ts'
import { moveRows } from '../../messaging/store/contact-merge.ts'
import type { ReadOptOutKey } from '../../messaging/store/kept-opt-outs.ts'
import { eraseElementsOf, erasePeople } from '../../platform/postgres/inbound-elements.store.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { literals } from '../../platform/postgres/states.ts'
import { idFloor, idTimeMs, type Uuid, type WorkspaceId } from '../../shared/ids.ts'
import { isTerminal } from '../../shared/machine.ts'
import {
  type ClaimedJob,
  type ErasureStep,
  type ErasureSteps,
  erasureSteps,
  type StepResult,
} from '../ports.ts'
import { eraseMessages, expireExports } from './erase-messages.ts'
import { eraseRecipients, isListed } from './erase-recipients.ts'
import { showWhatIsLeft } from './group-conversations.ts'
import { keepOptOut } from './keep-opt-out.ts'
import { type JobPerson, personOf } from './person.ts'

interface State {
  readonly step: ErasureStep
  /** Where the current step goes on. */
  readonly cursor: Uuid | null
}

/** What a batch did, and how the job goes on. `step` overrides the next one. */
export interface Batch {
  /** `readAnew`: the owners of endpoints are to be told what was erased, then the step is over. */
  readonly result: StepResult | 'readAnew'
  readonly counts?: Partial<ContactCounts>
  readonly cursor?: Uuid | null
  readonly step?: ErasureStep
}

export interface ErasureStoreOptions {
  readonly optOutKey: ReadOptOutKey
  /** Has the owners of endpoints forget what they have queued. False where one was not reached. */
  readonly readAnew: (workspaceId: WorkspaceId) => Promise<boolean>
}

interface Task {
  readonly sql: Sql
  readonly job: ClaimedJob
  readonly cursor: Uuid | null
  readonly person: JobPerson
  readonly optOutKey: FingerprintKey
}

export const createErasureStore = (
  pool: Pool,
  { optOutKey, readAnew }: ErasureStoreOptions,
): ErasureSteps => ({
  async advance(job) {
    const key = await optOutKey()
    if (!key) throw new Error('there is no key for opt-outs')
    const result = await advanceBy(pool, job, async (sql, { step, cursor }) => {
      const task = { sql, job, cursor, person: await personOf(sql, job), optOutKey: key }
      return (await joinMerged(task)) ?? steps[step](task)
    })
    if (result !== 'readAnew') return result
    // Between two transactions: it asks other processes, and takes a connection of the same pool.
    const isRead = await readAnew(job.workspaceId)
    return advanceBy(pool, job, async (_, { cursor }) => ({ result: isRead ? 'next' : 'wait', cursor }))
  },
})

/** Saves where the job is after the batch, in the transaction of the batch. */
const advanceBy = <Result extends Batch['result']>(
  pool: Pool,
  job: ClaimedJob,
  work: (sql: Sql, state: State) => Promise<Batch & { readonly result: Result }>,
): Promise<Result | 'lost'> =>
  pool.begin(async (sql) => {
    const state = await stateOf(sql, job)
    if (!state) return 'lost'
    const batch = await work(sql, state)
    await save(sql, job, { ...state, batch })
    return batch.result
  }) as Promise<Result | 'lost'>

async function stateOf(sql: Sql, job: ClaimedJob): Promise<State | undefined> {
  const [row] = await sql<{ step: ErasureStep | null; cursor: Uuid | null }[]>`
    select step, cursor
    from contact_jobs
    where id = ${job.id} and claim = ${job.claim} and status = 'RUNNING'
    for update`
  if (!row) return undefined
  if (row.step !== null) return { step: row.step, cursor: row.cursor }
  const { contactIds } = await personOf(sql, job)
  await sql`
    update contact_jobs
    set total = (
      select (select count(*) from messages where workspace_id = ${job.workspaceId} and contact_id = any(c.ids))
        + (select count(*) from calls where workspace_id = ${job.workspaceId} and contact_id = any(c.ids))
      from (select ${contactIds as Uuid[]}::uuid[] as ids) c
    )
    where id = ${job.id}`
  return { step: erasureSteps[0], cursor: null }
}

/** What is still written about a contact that became part of this one is moved first. */
async function joinMerged({ sql, job, cursor, person }: Task): Promise<Batch | undefined> {
  for (const from of person.mergedIds)
    if ((await moveRows(sql, job.workspaceId, from)) > 0) return { result: 'again', cursor }
  return undefined
}

async function save(
  sql: Sql,
  job: ClaimedJob,
  { step, cursor, batch }: State & { readonly batch: Batch },
): Promise<void> {
  const isNext = batch.result === 'next'
  const next = batch.step ?? (isNext ? erasureSteps[erasureSteps.indexOf(step) + 1] : step)
  const following = isNext ? null : cursor
  const nextCursor = batch.cursor === undefined ? following : batch.cursor
  const { recipients = 0, calls = 0, messages = 0, files = 0, events = 0 } = batch.counts ?? {}
  const added = { recipients, calls, messages, files, events }
  await sql`
    update contact_jobs
    set step = ${next ?? step}, cursor = ${nextCursor},
      counts = (
        select jsonb_object_agg(key, coalesce((counts ->> key)::integer, 0) + value::integer)
        from jsonb_each_text(${sql.json(added)}::jsonb)
      ),
      due_at = now() + interval '30 seconds',
      status = ${batch.result === 'done' ? 'COMPLETED' : 'RUNNING'},
      address = ${batch.result === 'done' ? null : job.address},
      completed_at = ${batch.result === 'done' ? sql`now()` : null}
    where id = ${job.id}`
}

/** What the provider told about the person, and nothing was made of. The rest goes with its message or call. */
async function eraseElements({ sql, job, person, cursor }: Task): Promise<Batch> {
  const { workspaceId } = job
  const next = await erasePeople(sql, { workspaceId, addresses: person.addresses, cursor })
  return next === null ? { result: 'next' } : { result: 'again', cursor: next }
}

/** Clocks of gateways, which give the elements their ids, may differ by so much. */
const clockMs = 5 * 60_000

/** What the provider told since the job began, of messages and calls that were gone by then. */
async function eraseLateElements({ sql, job, person: { addresses } }: Task): Promise<void> {
  const { workspaceId } = job
  let cursor: string | null = idFloor(idTimeMs(job.id) - clockMs)
  while (cursor !== null) cursor = await erasePeople(sql, { workspaceId, addresses, cursor: cursor as Uuid })
}

interface ContactTask extends Task {
  readonly contactId: Uuid
}

/** Of one contact after the other: together, an index could not give the newest first. */
const ofEach =
  (erase: (task: ContactTask) => Promise<Batch>) =>
  async (task: Task): Promise<Batch> => {
    for (const { id } of task.person.contacts) {
      const batch = await erase({ ...task, contactId: id })
      if (batch.result !== 'next') return batch
    }
    return { result: 'next' }
  }

const callsAtOnce = 20
const ended = Object.entries(callMachines.INBOUND)
  .map(([status]) => status as keyof typeof callMachines.INBOUND)
  .filter((status) => isTerminal(callMachines.OUTBOUND, status))

/** A live call is waited for: its owner still writes to it. */
async function eraseCalls({ sql, job, contactId }: ContactTask): Promise<Batch> {
  const { workspaceId } = job
  const found = await sql<{ id: Uuid }[]>`
    select id
    from calls
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and status in (${literals(sql, ended)})
    order by id desc
    limit ${callsAtOnce}
    for update skip locked`
  if (found.length === 0) {
    const live = await sql`
      select from calls where workspace_id = ${workspaceId} and contact_id = ${contactId} limit 1`
    return { result: live.count > 0 ? 'wait' : 'next' }
  }
  const ids = found.map(({ id }) => id)
  const { events } = await createDeliveryEraser(sql).ofKeys(workspaceId, ids)
  await eraseElementsOf(sql, workspaceId, ids)
  await sql`delete from call_timeline where call_id = any(${ids}::uuid[]) and workspace_id = ${workspaceId}`
  await sql`delete from calls where id = any(${ids}::uuid[]) and workspace_id = ${workspaceId}`
  await sql`
    delete from request_keys
    where workspace_id = ${workspaceId} and kind = 'call' and resource_id = any(${ids}::uuid[])`
  return { result: 'again', counts: { calls: ids.length, events } }
}

/** Owners of endpoints hold bodies in memory. They are told when all is erased, also what the steps before have. */
async function eraseEvents({ sql, job, person, cursor }: Task): Promise<Batch> {
  if (person.contacts.length === 0) return { result: 'next' }
  const keys = await eventKeysOf(sql, job, person)
  const { events, last } = await createDeliveryEraser(sql).ofKeys(job.workspaceId, keys, cursor)
  if (last !== null) return { result: 'again', counts: { events }, cursor: last }
  return { result: 'readAnew', cursor }
}

/** The files are deleted by the sweep of deleted files; an erasure is complete only when they are gone. */
async function awaitFiles({ sql, job, cursor }: Task): Promise<Batch> {
  const left = await sql`
    select from blob_deletions where job_id = ${job.id} and again_at is null limit 1`
  return { result: left.count > 0 ? 'wait' : 'next', cursor }
}

const eventKeysOf = async (
  sql: Sql,
  { workspaceId }: ClaimedJob,
  { contactIds }: JobPerson,
): Promise<Uuid[]> => {
  const rows = await sql<{ id: Uuid }[]>`
    select id from conversations
    where workspace_id = ${workspaceId} and contact_id = any(${contactIds as Uuid[]}::uuid[])`
  // Events of what the person wrote in groups have the person as their key.
  return [...rows.map(({ id }) => id), ...contactIds]
}

/**
 * Under the locks nobody can write a message of these contacts. What came since the steps before begins them again. What
 * remains are empty rows, so that nothing refers to a row that is gone; the number is free for a new contact.
 */
async function eraseContact(task: Task): Promise<Batch> {
  const { sql, job, person, optOutKey, cursor } = task
  const { workspaceId } = job
  const { contactIds, addresses } = person
  const ids = contactIds as Uuid[]
  const anew = { result: 'again', step: 'recipients', cursor: null } as const
  if (await isListed(task)) return anew
  if (ids.length > 0) {
    await sql`
      select from contacts
      where id = any(${ids}::uuid[]) and workspace_id = ${workspaceId}
      order by id
      for update`
    // Before the locks a merge may have come, and what it has moved is the new contact's; or another address was learnt,
    // for which no opt-out would be kept, and no list or element was searched.
    const locked = await personOf(sql, job)
    if (!isSame(contactIds, locked.contactIds) || !isSame(addresses, locked.addresses)) return anew
    if (await isWritten(task)) return { result: 'again', step: 'calls', cursor }
    await keepOptOut(sql, optOutKey, { workspaceId, contactIds, addresses })
    await emptyContacts(task)
  }
  await eraseLateElements(task)
  const files = await expireExports(sql, job, addresses)
  return { result: 'done', counts: { files } }
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((id) => others.includes(id))

async function isWritten({ sql, job, person, cursor }: Task): Promise<boolean> {
  const { workspaceId } = job
  const ids = person.contactIds as Uuid[]
  const left = await sql`
    select from messages where workspace_id = ${workspaceId} and contact_id = any(${ids}::uuid[])
    union all
    select from calls where workspace_id = ${workspaceId} and contact_id = any(${ids}::uuid[])
    limit 1`
  const keys = await eventKeysOf(sql, job, person)
  return left.count > 0 || (await createDeliveryEraser(sql).hasMore(workspaceId, keys, cursor))
}

async function emptyContacts({ sql, job: { workspaceId }, person }: Task): Promise<void> {
  const ids = person.contacts.map(({ id }) => id)
  await sql`
    update conversations
    set last_message_id = null, last_message_at = null, unread_count = 0, last_inbound_at = null,
      last_call_at = null,
      call_permission = null, call_permission_at = null, last_event_id = null, campaign_recipient_id = null,
      campaign_sent_at = null, erased_at = now(), updated_at = now()
    where workspace_id = ${workspaceId} and contact_id = any(${person.contactIds as Uuid[]}::uuid[])`
  await showWhatIsLeft(sql, workspaceId)
  await sql`delete from contact_aliases where contact_id = any(${ids}::uuid[]) and workspace_id = ${workspaceId}`
  await sql`
    update contacts
    set wa_id = 'erased:' || id, address_at = null, user_id = null, parent_user_id = null, username = null, name = null,
      name_at = null, opt_state = null, opt_changed_at = null, marketing_opt_out_at = null,
      marketing_changed_at = null, erased_at = now(), updated_at = now()
    where id = any(${ids}::uuid[]) and workspace_id = ${workspaceId}`
}

const steps: Readonly<Record<ErasureStep, (task: Task) => Promise<Batch>>> = {
  recipients: eraseRecipients,
  elements: eraseElements,
  calls: ofEach(eraseCalls),
  messages: ofEach(eraseMessages),
  events: eraseEvents,
  files: awaitFiles,
  contact: eraseContact,
}
