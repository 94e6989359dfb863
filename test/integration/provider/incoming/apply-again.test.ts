import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { listen } from '../../../../src/platform/http/uws.ts'
import type { UnlinkedElement } from '../../../../src/platform/postgres/inbound-elements.store.ts'
import { applyAgain } from '../../../../src/provider/incoming/apply-again.ts'
import { idFloor, newId } from '../../../../src/shared/ids.ts'
import { afterFile, describe, test } from '../../../support/harness.ts'
import { addTenant, type Tenant } from '../../../support/rows.ts'
import { appSecret, openKept } from './kept-world.ts'

const { database, deliver, keptOf, post, receiver, sql, store } = await openKept()

const server = await listen({ host: '127.0.0.1', port: 0, maxInFlight: 10, handler: receiver() })
afterFile(() => server.close())

const change = (phoneNumberId: string, content: object, field = 'messages') => ({
  field,
  value: { messaging_product: 'whatsapp', metadata: { phone_number_id: phoneNumberId }, ...content },
})

const textOf = (id: string) => ({
  ...{ id, from: '351910000077', type: 'text', timestamp: String(Math.floor(Date.now() / 1000)) },
  text: { body: 'Is the pier open?' },
})

/** As an earlier version kept it, which did not understand it. */
const earlier = (tenant: Tenant, body: object, patch: Partial<UnlinkedElement> = {}): UnlinkedElement => ({
  ...{ id: newId('element'), field: 'messages', part: 'messages', phoneNumberId: tenant.phoneNumberId },
  ...{ wabaId: null, entryAt: null, reason: 'noSender', people: ['351910000077'], fullBytes: null },
  body: JSON.stringify(body),
  ...patch,
})

const messagesOf = async ({ workspaceId }: Tenant) =>
  (await sql`select from messages where workspace_id = ${workspaceId}`).count

const all = (reasons: string[]) => ({ reasons, from: idFloor(0), until: idFloor(Date.now() + 60_000) })
const posting = async (body: string) => (await post(body)).body

describe('what an earlier version made nothing of', () => {
  test('is counted by a dry run, applied once, linked, and kept no second time', async () => {
    const tenant = await addTenant(sql)
    const wamid = `wamid.AGAIN.${newId('message')}`
    await store.keepUnlinked([
      earlier(tenant, change(tenant.phoneNumberId, { messages: [textOf(wamid)] })),
      earlier(tenant, change(tenant.phoneNumberId, { messages: [{ from: '351910000077' }] })),
      earlier(tenant, change(tenant.phoneNumberId, { messages: [textOf(`${wamid}.cut`)] }), {
        fullBytes: 99_999,
      }),
    ])
    const given = { store, post: posting, filter: all(['noSender']) }
    const counted = await applyAgain({ ...given, isDryRun: true })
    assert.deepEqual([...counted.found], [['noSender', { all: 3, understood: 1 }]])
    assert.deepEqual([counted.applied, await messagesOf(tenant)], [0, 0])
    for (const applied of [1, 0])
      assert.equal((await applyAgain({ ...given, isDryRun: false })).applied, applied)
    assert.equal(await messagesOf(tenant), 1)
    const kept = await keptOf(tenant.workspaceId)
    assert.deepEqual(
      kept.map(({ appliedAt, subjectKind }) => [appliedAt !== null, subjectKind]),
      [
        [true, 'message'],
        [false, null],
        [false, null],
      ],
    )
  })

  test('and is understood now, but concerns nobody here, gets the present reason', async () => {
    const tenant = await addTenant(sql)
    const status = { id: `wamid.${newId('message')}`, status: 'read', recipient_id: '351910000077' }
    const body = change(tenant.phoneNumberId, { statuses: [status] })
    await store.keepUnlinked([earlier(tenant, body, { reason: 'malformed', part: 'statuses' })])
    const { applied, left } = await applyAgain({
      ...{ store, post: posting, isDryRun: false },
      filter: all(['malformed']),
    })
    assert.deepEqual([applied, [...left]], [0, [['unknownMessage', 1]]])
    assert.deepEqual(
      (await keptOf(tenant.workspaceId)).map(({ reason }) => reason),
      ['unknownMessage'],
    )
  })

  test('has the time of its entry again, by which statuses of templates are ordered', async () => {
    const time = Math.floor(Date.now() / 1_000) - 7_200
    const value = {
      ...{ event: 'PAUSED', message_template_id: 1, message_template_name: 'dock_times' },
      ...{ message_template_language: 'en_US', reason: 'NONE' },
    }
    const entry = [
      { id: '770000000000081', time, changes: [{ field: 'message_template_status_update', value }] },
    ]
    assert.equal((await post(JSON.stringify({ object: 'whatsapp_business_account', entry }))).status, 200)
    const bodies: string[] = []
    const keeping = (text: string) => {
      bodies.push(text)
      return posting(text)
    }
    await applyAgain({ store, post: keeping, filter: all(['unknownTemplate']), isDryRun: false })
    const sent = bodies.map((text) => JSON.parse(text).entry[0]).find(({ id }) => id === '770000000000081')
    assert.deepEqual([sent?.time, sent?.changes], [time, entry[0]?.changes])
  })

  test('a call is recorded without an offer', async () => {
    const tenant = await addTenant(sql)
    const wacid = `wacid.${newId('call')}`
    const hourAgo = Math.floor(Date.now() / 1000) - 3_600
    const call = {
      ...{ id: wacid, from: '351910000077', event: 'connect', direction: 'USER_INITIATED' },
      ...{ timestamp: String(hourAgo), session: { sdp_type: 'offer', sdp: '[SDP of 99 bytes, not kept]' } },
    }
    const body = change(tenant.phoneNumberId, { calls: [call] }, 'calls')
    await store.keepUnlinked([earlier(tenant, body, { field: 'calls', part: 'calls', reason: 'unknown' })])
    const bodies: string[] = []
    const keeping = (text: string) => {
      bodies.push(text)
      return posting(text)
    }
    await applyAgain({ store, post: keeping, filter: all(['unknown']), isDryRun: false })
    const [row] = await sql`select status from calls where wacid = ${wacid}`
    assert.equal(row?.['status'], 'MISSED')
    assert.ok(bodies.every((text) => !text.includes('SDP of')))
  })
})

describe('npm run reapply', () => {
  const run = async (args: string[], secret = appSecret) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', 'src/provider/apply-again-main.ts', ...args],
      { env: { ...process.env, DATABASE_URL: database.url, PROVIDER_APP_SECRET: secret } },
    )
    return stdout.trim().split('\n')
  }

  interface Ended {
    readonly code: number
    readonly stdout: string
    readonly stderr: string
  }
  const failing = (...given: Parameters<typeof run>): Promise<Ended> =>
    run(...given).then(
      () => assert.fail('it did not fail'),
      (error: Ended) => error,
    )

  test('applies what came for a number before it was connected', async () => {
    const wamid = `wamid.${newId('message')}`
    const phoneNumberId = `pn-${newId('number')}`
    await deliver(change(phoneNumberId, { messages: [textOf(wamid)] }))
    const tenant = await addTenant(sql)
    await sql`update numbers set phone_number_id = ${phoneNumberId} where id = ${tenant.numberId}`
    const gateway = ['--reason', 'unknownNumber', '--gateway', `http://127.0.0.1:${server.port}`]
    assert.deepEqual(await run(gateway), ['unknownNumber: 1 kept, 1 understood now', 'applied: 1'])
    assert.equal(await messagesOf(tenant), 1)
    const [kept] = await keptOf(tenant.workspaceId)
    assert.ok(kept?.appliedAt)
  })

  test('goes on after what the gateway cannot apply, and ends at once where it takes no signature', async () => {
    const tenant = await addTenant(sql)
    await store.keepUnlinked(
      ['fails', 'follows'].map((name) =>
        earlier(tenant, change(tenant.phoneNumberId, { messages: [textOf(`wamid.${name}`)] }), {
          reason: 'accountError',
        }),
      ),
    )
    const asked: string[] = []
    const half = await listen({
      ...{ host: '127.0.0.1', port: 0, maxInFlight: 10 },
      async handler(request) {
        const body = Buffer.from(await request.body(1_000_000)).toString()
        asked.push(body)
        return body.includes('wamid.fails')
          ? { status: 503 }
          : { status: 200, body: JSON.stringify({ outcomes: ['applied'] }) }
      },
    })
    const elements = ['--reason', 'accountError', '--gateway']
    const { code, stdout, stderr } = await failing([...elements, `http://127.0.0.1:${half.port}`]).finally(
      () => half.close(),
    )
    assert.deepEqual(stdout.trim().split('\n'), [
      ...['accountError: 2 kept, 2 understood now', 'applied: 1', 'failed (the gateway answered 503): 1'],
    ])
    assert.deepEqual([code, asked.length], [1, 2])
    assert.match(stderr, /Run this again/)
    const [failed, followed] = await keptOf(tenant.workspaceId)
    assert.deepEqual([failed?.appliedAt, followed?.appliedAt !== null], [null, true])

    const refused = await failing([...elements, `http://127.0.0.1:${server.port}`], 'another-secret')
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /answered 401/)
  })
})
