// Seeds the database that every variant gets a copy of.
import { makeKey } from '../../src/accounts/key-format.ts'
import { createSecretBox } from '../../src/accounts/secret-box.ts'
import { eventKinds } from '../../src/contract/events.ts'
import { limits } from '../../src/contract/limits.ts'
import { createSecret } from '../../src/delivery/signature.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { connectPool, type Pool, type Sql } from '../../src/platform/postgres/sql.ts'
import { type EndpointId, type NumberId, newId, type WorkspaceId } from '../../src/shared/ids.ts'
import { contactNumber, contactOf, type PlannedNumber } from '../scenarios/work.ts'

export interface Seed {
  /** Endpoints over a socket, each with a number of its own; one more is over HTTPS. */
  readonly endpoints: number
  readonly contacts: number
  /** Messages that are there already. */
  readonly rows: number
  /** False: no call rings at an endpoint, so that a gateway opens no socket before there is an event. */
  readonly rings?: boolean
  readonly secretsKey: Buffer
  readonly socketUrl: string
  readonly httpsUrl: string
}

export interface SeededNumber extends PlannedNumber {
  readonly numberId: NumberId
  readonly endpointId: EndpointId
  readonly workspaceId: WorkspaceId
}

export interface Seeded {
  readonly workspaceId: WorkspaceId
  readonly apiKey: string
  /** Those over a socket. */
  readonly numbers: readonly SeededNumber[]
  readonly https: SeededNumber
  /** Over a socket of its own; only a backlog uses it. */
  readonly spare: SeededNumber
}

const statementTimeoutMs = 900_000
/** What goes to the endpoint of the number alone. */
const ofNumber = ['message.received', 'call.ringing', 'call.accepted']
const scopes = ['CHAT_SEND', 'MESSAGES_READ', 'CONVERSATIONS_READ', 'CALLS_READ', 'CALLS_WRITE']

/** Creates empty databases with these names, or copies of `template`. Drops existing ones. */
export async function freshDatabases(
  adminUrl: string,
  names: readonly string[],
  template = 'template1',
): Promise<void> {
  const admin = connectPool({ url: adminUrl, max: 1, name: 'bench-admin', statementTimeoutMs })
  try {
    for (const name of names) {
      await admin`drop database if exists ${admin(name)} with (force)`
      await admin`create database ${admin(name)} template ${admin(template)}`
    }
  } finally {
    await admin.end()
  }
}

/**
 * Statements about tables that were empty when they were planned scan them, however large they are by now, until they
 * are analysed.
 */
export async function vacuumed(databaseUrl: string): Promise<void> {
  const sql = connectPool({ url: databaseUrl, max: 1, name: 'bench-vacuum', statementTimeoutMs })
  try {
    await sql`vacuum analyze`
  } finally {
    await sql.end()
  }
}

export async function seedDatabase(databaseUrl: string, seed: Seed): Promise<Seeded> {
  const sql = connectPool({ url: databaseUrl, max: 1, name: 'bench-seed', statementTimeoutMs })
  try {
    await migrate(sql)
    const seeded = await seedNumbers(sql, seed)
    await seedContacts(sql, [...seeded.numbers, seeded.https, seeded.spare])
    if (seed.rows > 0) await seedRows(sql, seeded.workspaceId, seed.rows)
    await sql`analyze`
    return seeded
  } finally {
    await sql.end()
  }
}

/**
 * The workspaces have no `waba_id`: the catalog sync skips them. Each has as many endpoints as is permitted, and the
 * first one has the API key. Only the first endpoint of each hears of statuses: they go to all that listen.
 */
async function seedNumbers(sql: Pool, seed: Seed): Promise<Seeded> {
  const secret = createSecretBox([{ id: '1', bytes: seed.secretsKey }]).seal(createSecret())
  const workspaces: WorkspaceId[] = []
  const perNumber = Math.max(1, Math.ceil(seed.contacts / seed.endpoints))
  const made = Array.from({ length: seed.endpoints + 2 }, (_, index): SeededNumber => {
    const isHttps = index === seed.endpoints
    const last = Math.floor((seed.endpoints - 1) / limits.endpointsPerWorkspace)
    const place =
      index < seed.endpoints
        ? Math.floor(index / limits.endpointsPerWorkspace)
        : last + 1 + index - seed.endpoints
    workspaces[place] ??= newId('workspace')
    const digits = String(15_550_200_000 + index)
    const first = index < seed.endpoints ? index * perNumber : 0
    return {
      id: `90${digits}`,
      digits,
      contacts: Array.from({ length: perNumber }, (_, one) => contactNumber(first + one)),
      transport: isHttps ? 'https' : 'socket',
      numberId: newId('number'),
      endpointId: newId('endpoint'),
      workspaceId: workspaces[place],
    }
  })
  const [workspaceId] = workspaces
  const [spare, https] = [made.pop(), made.pop()]
  if (!workspaceId || !https || !spare) throw new Error('unreachable')
  await sql`
    insert into workspaces (id, name)
    select id, 'Bench' from unnest(${workspaces}::uuid[]) as w (id)`
  await insertNumbers(sql, [...made, https, spare], { seed, secret, spareId: spare.id })
  await sql`
    insert into templates (id, workspace_id, name, language, category, status, parameter_format, components)
    values (${newId('template')}, ${workspaceId}, 'hello_world', 'en_US', 'MARKETING', 'APPROVED', 'POSITIONAL',
      ${sql.json([{ type: 'BODY', text: 'Hello' }])})`
  const { key, prefix, secretHash } = makeKey('test')
  await sql`
    insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes, requests_per_second)
    values (${newId('key')}, ${workspaceId}, 'bench', ${prefix}, ${secretHash}, ${scopes}, 0)`
  return { workspaceId, apiKey: key, numbers: made, https, spare }
}

async function insertNumbers(
  sql: Pool,
  numbers: readonly SeededNumber[],
  { seed, secret, spareId }: { seed: Seed; secret: Buffer; spareId: string },
): Promise<void> {
  const rows = numbers.map(({ id, digits, transport, numberId, endpointId, workspaceId }) => ({
    ...{ id, digits, number_id: numberId, endpoint_id: endpointId, workspace_id: workspaceId },
    // Opponents know their number by this address.
    events: numbers.find((one) => one.workspaceId === workspaceId)?.id === id ? eventKinds : ofNumber,
    url: { https: seed.httpsUrl, socket: id === spareId ? `${seed.socketUrl}/spare` : seed.socketUrl }[
      transport
    ],
  }))
  const given = sql`
    jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as given (id text, digits text, number_id uuid,
      endpoint_id uuid, workspace_id uuid, url text, events text[])`
  await sql`
    insert into endpoints (id, workspace_id, name, url, events, secret)
    select endpoint_id, workspace_id, 'Receiver ' || digits, url, events, ${secret} from ${given}`
  await sql`
    insert into numbers (id, workspace_id, phone_number_id, number, endpoint_id, forward_calls, messages_per_second)
    select number_id, workspace_id, id, '+' || digits, endpoint_id, ${seed.rings ?? true} and url like 'ws%', 100000 from ${given}`
}

/** A customer is one contact of the workspace, however many of its numbers it writes to. */
async function seedContacts(sql: Pool, numbers: readonly SeededNumber[]): Promise<void> {
  for (const { numberId, workspaceId, contacts } of numbers) {
    const people = contacts.map(contactOf)
    await sql`
      insert into contacts (id, workspace_id, wa_id, name)
      select new_uuid(), ${workspaceId}, person.wa_id, person.name
      from unnest(${people.map((one) => one.waId)}::text[], ${people.map((one) => one.name)}::text[])
        as person (wa_id, name)
      on conflict do nothing`
    await sql`
      insert into conversations (id, workspace_id, number_id, contact_id, last_inbound_at)
      select new_uuid(), ${workspaceId}, ${numberId}, id, now()
      from contacts
      where workspace_id = ${workspaceId} and wa_id = any(${[...contacts]}::text[])`
  }
}

/** Messages of the last ninety days, spread over the conversations of the workspace. */
async function seedRows(sql: Pool, workspaceId: WorkspaceId, rows: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction, type,
        status, text, created_at)
      select made.id, v.workspace_id, v.id, v.number_id, v.contact_id, 'wamid.seed.' || n, 'INBOUND', 'TEXT', 'READ',
        'Order ' || n || ' has arrived.', uuid_extract_timestamp(made.id)
      from (
        select n, uuidv7(-(${rows}::integer - n) * interval '90 days' / ${rows}::integer) as id
        from generate_series(1, ${rows}::integer) as n
      ) made
      join (
        select *, row_number() over (order by id) - 1 as place, count(*) over () as places
        from conversations
        where workspace_id = ${workspaceId}
      ) v on v.place = made.n % v.places`
    await seedActivity(tx as unknown as Sql, workspaceId)
  })
}

/** Gives each conversation the latest of the messages that were written for it. */
export const seedActivity = (sql: Sql, workspaceId: WorkspaceId) => sql`
  update conversations v
  set last_message_id = latest.id, last_message_at = latest.created_at, updated_at = latest.created_at
  from (
    select distinct on (conversation_id) conversation_id, id, created_at
    from messages
    where workspace_id = ${workspaceId}
    order by conversation_id, id desc
  ) latest
  where v.id = latest.conversation_id`
