// Seeds the databases of the gateway and of the floor with the same data.

import { eventKinds } from '../../src/contract/events.ts'
import { syncDemoCatalog } from '../../src/dev/provider.ts'
import { demoNumbers, seedWorkspace } from '../../src/dev/seed.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../../src/platform/postgres/sql.ts'
import { newId } from '../../src/shared/ids.ts'
import { contactOf } from '../scenarios/scenario.ts'

export interface Seed {
  readonly databaseUrl: string
  readonly simulatorUrl: string
  readonly wabaId: string
  readonly endpoint: { readonly url: string; readonly sealedSecret: Buffer }
  readonly contacts: number
}

export interface SeededNumber {
  /** The provider's phone number id. */
  readonly id: string
  readonly digits: string
}

const statementTimeoutMs = 60_000

/** Creates empty databases with these names. Drops existing ones. */
export async function freshDatabases(adminUrl: string, names: readonly string[]): Promise<void> {
  const admin = connectPool({ url: adminUrl, max: 1, name: 'bench-admin', statementTimeoutMs })
  try {
    for (const name of names) {
      await admin`drop database if exists ${admin(name)} with (force)`
      await admin`create database ${admin(name)}`
    }
  } finally {
    await admin.end()
  }
}

/** Seeds a workspace with contacts. Its first number forwards its calls to one WebSocket endpoint. */
export async function seedDatabase(seed: Seed): Promise<SeededNumber> {
  const sql = connectPool({ url: seed.databaseUrl, max: 2, name: 'bench-seed', statementTimeoutMs })
  try {
    await migrate(sql)
    const operator = { email: 'bench@example.com', password: 'bench-operator', passwordLogN: 10 }
    const { workspaceId } = await seedWorkspace(sql, {
      wabaId: seed.wabaId,
      workspaceName: 'Bench',
      ...operator,
    })
    await syncDemoCatalog(sql, workspaceId, seed.simulatorUrl)
    const [number] = await demoNumbers(sql, workspaceId)
    if (!number) throw new Error('the simulator has no number')
    const endpointId = newId('endpoint')
    const { url, sealedSecret } = seed.endpoint
    await sql`
      insert into endpoints (id, workspace_id, name, url, events, secret)
      values (${endpointId}, ${workspaceId}, 'Receiver', ${url}, ${[...eventKinds]}, ${sealedSecret})`
    await sql`
      update numbers set endpoint_id = ${endpointId}, forward_calls = true
      where phone_number_id = ${number.phoneNumberId}`
    await seedContacts(sql, number.phoneNumberId, seed.contacts)
    return { id: number.phoneNumberId, digits: number.number.replace('+', '') }
  } finally {
    await sql.end()
  }
}

/** Autovacuum does this within a minute. Without statistics, or with those of empty tables, plans are bad. */
export async function analyze(databaseUrls: readonly string[]): Promise<void> {
  for (const url of databaseUrls) {
    const sql = connectPool({ url, max: 1, name: 'bench-analyze', statementTimeoutMs })
    try {
      await sql`analyze`
    } finally {
      await sql.end()
    }
  }
}

async function seedContacts(sql: Pool, phoneNumberId: string, count: number): Promise<void> {
  const people = Array.from({ length: count }, (_, index) => contactOf(index))
  await sql`
    with number as (
      select id, workspace_id from numbers where phone_number_id = ${phoneNumberId}
    ),
    contact as (
      insert into contacts (id, workspace_id, wa_id, name)
      select new_uuid(), number.workspace_id, person.wa_id, person.name
      from number, unnest(${people.map((one) => one.waId)}::text[], ${people.map((one) => one.name)}::text[])
        as person (wa_id, name)
      returning id, workspace_id
    )
    insert into conversations (id, workspace_id, number_id, contact_id)
    select new_uuid(), contact.workspace_id, number.id, contact.id
    from contact, number`
}
