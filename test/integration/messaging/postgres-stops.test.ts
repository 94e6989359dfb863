// Postgres stops between the provider's answer to a send and the write of that answer, and comes back: what the provider
// took is accepted, what it refused has failed, once each, and nothing is asked for twice. Single sends and campaigns alike.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createCampaignHooks, createCampaignSending } from '../../../src/campaigns/campaigns.module.ts'
import { type EmbeddedPostgres, startPostgres } from '../../../src/dev/embedded/postgres.ts'
import {
  createMessaging,
  type Messaging,
  templateRendering,
} from '../../../src/messaging/messaging.module.ts'
import { openBlobs } from '../../../src/platform/blobs/open-blobs.ts'
import { loadSettings } from '../../../src/platform/config/config.ts'
import { migrate } from '../../../src/platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../../../src/platform/postgres/sql.ts'
import { closeRedis, connectRedis, type Redis } from '../../../src/platform/redis/client.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { decodeId, type MessageId, type NumberId, newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { ownFolder } from '../../support/embedded.ts'
import { after, before, beforeEach, describe, test } from '../../support/harness.ts'
import { type TestRedis, testRedis } from '../../support/redis.ts'
import { account, type Circle, startCircle } from '../provider/incoming/circle.ts'

const variables = { store: 'North Dock', first_name: 'Ines', order_number: 'A-1' }
const template = { name: 'order_ready', language: 'en_US' }

let dataDir: string
let postgres: EmbeddedPostgres
let port: number
let sql: Pool
let circle: Circle
let redisServer: TestRedis
let redis: Redis
let messaging: Messaging
let workspaceId: WorkspaceId
let numberId: NumberId
const events: string[] = []
/** Runs between the provider's answer and the write of it. */
let answered: () => Promise<void> = async () => undefined
const accounts = { secrets: { open: () => '' }, defaultToken: account.accessToken }
const log = { info: () => undefined, warn: (_fields: object, event: string) => void events.push(event) }

before(async () => {
  dataDir = mkdtempSync(join(ownFolder(), 'postgres-'))
  ;[postgres, circle, redisServer] = await Promise.all([
    startPostgres({ dataDir, mode: 'test' }),
    startCircle(),
    testRedis(),
  ])
  port = Number(new URL(postgres.url).port)
  redis = await connectRedis({ url: redisServer.url, role: 'commands', onError: () => {} })
  sql = connectPool({ url: postgres.url, max: 4, name: 'test' })
  await migrate(sql)
  const provider: typeof circle.api = {
    ...circle.api,
    sendTemplate: async (...request) => {
      const answer = await circle.api.sendTemplate(...request)
      await answered()
      return answer
    },
  }
  messaging = createMessaging({
    ...{ sql, accounts, provider, dispatch: () => undefined, clock: systemClock, log },
    blobs: openBlobs(loadSettings({ DATA_DIR: dataDir })),
    campaigns: createCampaignHooks(sql, log),
    ignored: () => undefined,
    spent: () => undefined,
  })
  workspaceId = newId('workspace')
  await sql`insert into workspaces (id, name, waba_id) values (${workspaceId}, 'Acme', ${account.wabaId})`
  await messaging.syncCatalog()
  const [number] = await sql<[{ id: NumberId }]>`
    select id from numbers where phone_number_id = ${account.phoneNumberId}`
  numberId = number.id
  await sql`
    insert into endpoints (id, workspace_id, name, url, events, secret)
    values (${newId('endpoint')}, ${workspaceId}, 'orders', 'https://receiver.example/hook', '{message.status}', '\\x00')`
})

after(async () => {
  await circle.close()
  await sql.end({ timeout: 1 })
  await closeRedis(redis)
  await redisServer.stop()
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

beforeEach(async () => {
  events.splice(0)
  await circle.control('PUT', 'faults', { api: [] })
})

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it never came: ${what}`)
    await sleep(20)
  }
}

const asked = async (to: string): Promise<number> => {
  const { data } = (await circle.control('GET', 'requests?limit=10000')) as {
    data: { method: string; path: string; body: { to?: string } | null }[]
  }
  return data.filter(
    ({ method, path, body }) => method === 'POST' && /\/messages$/.test(path) && body?.to === `+${to}`,
  ).length
}

/** Runs `send`, stops Postgres between the answer and its write, and starts it again once the write has failed. */
async function withoutPostgres(send: () => Promise<unknown>): Promise<void> {
  answered = async () => {
    answered = async () => undefined
    await postgres.stop()
  }
  const sent = send().catch(() => undefined)
  await until('a write that failed', () => events.includes('message.outcome_not_written'))
  postgres = await startPostgres({ dataDir, mode: 'test', port })
  await sent
}

const rowOf = async (to: string) => {
  const [row] = await sql<
    {
      id: MessageId
      sendState: string
      status: string
      sendAttempts: number
      providerMessageId: string | null
    }[]
  >`
    select m.id, m.send_state, m.status, m.send_attempts, m.provider_message_id
    from messages m
    join contacts c on c.id = m.contact_id
    where c.wa_id = ${to}`
  return row
}

const eventsOf = async (id: MessageId) => {
  const rows = await sql<{ body: Buffer }[]>`select body from events where workspace_id = ${workspaceId}`
  return rows
    .map(({ body }) => JSON.parse(body.toString()))
    .filter(({ data }) => decodeId('message', data.messageId) === id)
    .map(({ data }) => data.status)
}

const settled = async (to: string) => {
  await until('the outcome is written', async () => {
    const state = await rowOf(to).catch(() => undefined)
    return state !== undefined && state.sendState !== 'SENDING'
  })
  return (await rowOf(to)) ?? assert.fail()
}

describe('a single send', () => {
  const send = (to: string) =>
    messaging.send(
      { workspaceId, keyId: null, keyName: null },
      {
        ...{ to, template: { ...template, variables }, idempotencyKey: null },
        ...{ from: null, metadata: {} },
      },
    )

  test('that the provider took is accepted', async () => {
    await withoutPostgres(() => send('15557000007'))
    const row = await settled('15557000007')
    assert.deepEqual([row.sendState, row.status, row.sendAttempts], ['ACCEPTED', 'QUEUED', 1])
    assert.match(row.providerMessageId ?? '', /^wamid\./)
    assert.equal(await messaging.sweepSends(), 0, 'the sweep finds nothing to send or to give up')
    assert.equal(await asked('15557000007'), 1)
  })

  test('that the provider refused has failed, and says so once', async () => {
    await circle.control('PUT', 'faults', { api: [{ match: 'messages', status: 400, code: 131026 }] })
    await withoutPostgres(() => send('15557000107'))
    const row = await settled('15557000107')
    assert.deepEqual([row.sendState, row.status], ['REFUSED', 'FAILED'])
    assert.deepEqual(await eventsOf(row.id), ['FAILED'])
    assert.equal(await asked('15557000107'), 1)
  })
})

describe('a send of a campaign', () => {
  test('that the provider took is accepted, and its recipient is no longer in flight', async () => {
    const to = '15557000207'
    const [campaignId, recipientId] = [newId('campaign'), newId('recipient')]
    await sql`
      insert into campaigns (id, workspace_id, name, status, number_id, template_name, template_language)
      values (${campaignId}, ${workspaceId}, 'Spring', 'RUNNING', ${numberId}, ${template.name}, ${template.language})`
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id, variables)
      values (${recipientId}, ${workspaceId}, ${campaignId}, ${to}, ${sql.json(variables)})`
    const sending = createCampaignSending({
      ...{ sql, bulk: sql, redis, accounts, messaging, clock: systemClock },
      scheduler: { wake: () => undefined, beginAt: () => undefined },
      rendering: templateRendering,
      dispatch: () => undefined,
      sent: () => undefined,
      log: { ...pino({ level: 'silent' }), ...log },
    })
    await withoutPostgres(() => sending.pump(numberId))
    const row = await settled(to)
    assert.deepEqual([row.sendState, row.status, row.sendAttempts], ['ACCEPTED', 'QUEUED', 1])
    const [recipient] = await sql`
      select status, claimed_until from recipients where id = ${recipientId}`
    assert.deepEqual(recipient, { status: 'QUEUED', claimedUntil: null })
    assert.equal(await asked(to), 1)
    await sending.drain()
  })
})
