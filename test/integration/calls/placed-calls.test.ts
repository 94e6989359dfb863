import assert from 'node:assert/strict'
import type { AppError } from '../../../src/contract/errors.ts'
import { personAt } from '../../../src/contract/person.ts'
import { type CallId, decodeId, encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testContacts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import {
  answerOf,
  Cluster,
  connectUpdate,
  offerSdp,
  providerError,
  terminateUpdate,
  until,
} from './gateway.ts'
import { addWorkspace } from './rows.ts'

const sql = testPool(await testDatabase())
const session = { sdpType: 'offer', sdp: offerSdp } as const
const offer = { session, idempotencyKey: null }
const code = (wanted: string) => (error: { code?: string }) => error.code === wanted

async function conversation(permission: object | null = null, forward = false) {
  const workspace = await addWorkspace(sql, {
    forward,
    events: ['call.status', 'call.accepted', 'call.ringing'],
  })
  const { phoneNumberId, workspaceId } = workspace
  const from = { phoneNumberId, person: personAt('15551230000', 'Ines') }
  const parties = await testContacts(sql).resolveParties(from)
  if (!parties) throw new Error('no such number')
  await sql`
    update conversations set call_permission = ${permission as never}::jsonb where id = ${parties.conversationId}`
  const cluster = new Cluster(sql)
  const node = cluster.node()
  const caller = { workspaceId, apiKeyId: null }
  const place = async () => (await node.commands.place(caller, parties.conversationId, offer)).record
  return { workspace, cluster, node, caller, place, parties }
}

const updateOf = (workspace: Awaited<ReturnType<typeof addWorkspace>>, opaque: string) => {
  const common = { wacid: `wacid.${opaque}`, opaque, direction: 'OUTBOUND' } as const
  const session = { sdpType: 'answer', sdp: `${offerSdp}a=answered\r\n` } as const
  const connect = connectUpdate(workspace, { ...common, session })
  const { wacid, phoneNumberId, at } = connect
  const status = (value: 'RINGING' | 'ACCEPTED' | 'REJECTED') =>
    ({ type: 'callStatus', wacid, phoneNumberId, at, opaque, status: value, recipient: null }) as const
  return { connect, status, terminate: terminateUpdate(connect, common) }
}

describe('a placed call', () => {
  test('is INITIATED without an answer, rings, and its answer goes out when it is accepted', async () => {
    const { workspace, cluster, node, place } = await conversation()
    const record = await place()
    assert.deepEqual([record.status, record.direction, record.fromName], ['INITIATED', 'OUTBOUND', 'Ines'])
    assert.deepEqual([record.from, record.to], ['15551230000', workspace.number])
    assert.equal(record.wacid, `wacid.${record.id}`)
    const { connect, status, terminate } = updateOf(workspace, record.id)
    for (const update of [connect, status('RINGING'), status('ACCEPTED'), status('ACCEPTED')])
      await node.applyCallUpdate(update)
    await until(() => cluster.direct.length > 0)
    const [accepted] = cluster.direct
    assert.deepEqual([accepted?.kind, accepted?.endpointId], ['call.accepted', workspace.endpointId])
    const { call } = JSON.parse(Buffer.from(accepted?.body ?? []).toString())
    assert.deepEqual(call.session, connect.session)
    await node.applyCallUpdate({ ...terminate, durationSeconds: 3 })
    assert.deepEqual(cluster.statuses(), ['INITIATED', 'RINGING', 'ACCEPTED', 'COMPLETED'])
    assert.equal(cluster.direct.length, 1)
  })

  test('is found by the id that travelled with it when its webhooks overtake the provider’s answer', async () => {
    const { workspace, cluster, node, place } = await conversation()
    let said: (() => void) | undefined
    cluster.provider.on(
      'place',
      () => new Promise((resolve) => (said = () => resolve({ type: 'ok', value: null }))),
    )
    const placing = place()
    await until(() => said !== undefined)
    const opaque = cluster.provider.requests[0]?.wacid ?? ''
    await node.applyCallUpdate(updateOf(workspace, opaque).status('RINGING'))
    assert.equal((await placing).status, 'RINGING')
    said?.()
    const foreign = await addWorkspace(sql)
    await node.applyCallUpdate({
      ...updateOf(foreign, opaque).status('ACCEPTED'),
      wacid: 'wacid.other',
    })
    const id = decodeId('call', opaque)
    const [row] = await sql`select status, wacid from calls where id = ${id ?? null}`
    assert.deepEqual({ ...row }, { status: 'RINGING', wacid: `wacid.${opaque}` })
  })

  test('to a contact that was erased at this moment is none, and uses up no key', async () => {
    const { cluster, node, caller, parties } = await conversation()
    const place = () => node.commands.place(caller, parties.conversationId, { session, idempotencyKey: 'o' })
    await sql`update contacts set erased_at = now() where id = ${parties.contactId}`
    await assert.rejects(place(), code('UNAVAILABLE'))
    assert.deepEqual([cluster.provider.kinds(), cluster.statuses()], [[], []])
    await sql`update contacts set erased_at = null where id = ${parties.contactId}`
    assert.deepEqual([(await place()).replayed, (await place()).replayed], [false, true])
  })

  test('that the provider refuses for want of permission is FAILED and says so', async () => {
    const { cluster, place } = await conversation()
    cluster.provider.on('place', async () => providerError({ code: '138006', class: 'callPermission' }))
    await assert.rejects(place(), code('CALL_PERMISSION_REQUIRED'))
    assert.deepEqual(cluster.statuses(), ['INITIATED', 'FAILED'])
  })

  test('that the provider refuses leaves one trace: the row and the events have the id that the error names', async () => {
    const { cluster, place, parties } = await conversation()
    cluster.provider.on('place', async () => providerError({ code: '131044', class: 'account' }))
    const named = await place().catch(({ details }: AppError) =>
      details?.find(({ path }) => path === 'callId'),
    )
    const rows = await sql<{ id: CallId; status: string; endReason: string }[]>`
      select id, status, end_reason from calls where conversation_id = ${parties.conversationId}`
    assert.deepEqual(
      rows.map(({ id, status, endReason }) => [encodeId('call', id), status, endReason]),
      [[named && 'message' in named && named.message, 'FAILED', 'PROVIDER_ERROR']],
    )
    const told = cluster.dispatched.map(({ body }) => JSON.parse(Buffer.from(body).toString()).data)
    assert.deepEqual(
      told.map(({ callId, status }) => [callId, status]),
      [
        [named && 'message' in named && named.message, 'INITIATED'],
        [named && 'message' in named && named.message, 'FAILED'],
      ],
    )
  })

  test('while the provider restricts calls of the account, or calling is off, is refused and leaves no row', async () => {
    const { cluster, workspace, place } = await conversation()
    const state = (key: string, number: string | null) => sql`
      insert into account_states (workspace_id, topic, key, status, severity, number, message, advice, at, until, stops)
      values (${workspace.workspaceId}, 'RESTRICTION', ${key}, ${key}, 'CRITICAL', ${number}, 'Restricted.', 'Ask.', now(),
        now() + interval '1 hour', array['PLACING_CALLS'])`
    for (const number of [null, workspace.phoneNumberId]) {
      await state('CALLING', number)
      await assert.rejects(place(), { code: 'CALLING_RESTRICTED', message: /ends at .+Z\. Ask\.$/ })
      await sql`delete from account_states where workspace_id = ${workspace.workspaceId}`
    }
    assert.deepEqual(cluster.statuses(), [])
    await state('ELSEWHERE', '+15559999999')
    await state('OVER', null)
    await sql`update account_states set until = now() - interval '1 second' where key = 'OVER'`
    cluster.provider.on('place', async () => providerError({ code: '138006', class: 'callPermission' }))
    await assert.rejects(place(), code('CALL_PERMISSION_REQUIRED'))
    assert.deepEqual(cluster.statuses(), ['INITIATED', 'FAILED'])
  })

  test('is refused before anything is stored by a gateway that gives its actors up', async () => {
    const { cluster, node, place, parties } = await conversation()
    cluster.node()
    node.directory.cutOff()
    await assert.rejects(place(), code('UNAVAILABLE'))
    const rows = await sql`select from calls where conversation_id = ${parties.conversationId}`
    assert.deepEqual([rows.length, cluster.provider.requests], [0, []])
  })

  test('that is written while its gateway gives its actors up is FAILED at once, and the error names it', async () => {
    const { cluster, node, place, parties } = await conversation()
    cluster.node()
    const blocker = await sql.reserve()
    await blocker`begin`
    await blocker`lock table calls in exclusive mode`
    const placing = place().catch((error: AppError) => error)
    await until(
      async () =>
        (
          await sql`
          select from pg_locks
          where relation = 'calls'::regclass and not granted and database = (select oid from pg_database where datname = current_database())`
        ).length > 0,
    )
    node.directory.cutOff()
    await blocker`commit`
    blocker.release()
    const error = (await placing) as AppError
    const [row] = await sql<
      { id: CallId; status: string; endReason: string; ownerSid: string; wakeAt: Date }[]
    >`
      select id, status, end_reason, owner_sid, wake_at from calls where conversation_id = ${parties.conversationId}`
    assert.ok(row)
    assert.deepEqual(
      [error.code, error.details],
      ['UNAVAILABLE', [{ path: 'callId', message: encodeId('call', row.id) }]],
    )
    assert.deepEqual([row.status, row.ownerSid, row.wakeAt], ['FAILED', null, null])
    assert.deepEqual([cluster.statuses(), cluster.provider.requests], [['INITIATED', 'FAILED'], []])
  })

  const past = new Date(Date.now() - 1_000).toISOString()
  const future = new Date(Date.now() + 60_000).toISOString()
  const granted = { response: 'accept', granted: true, isPermanent: false, source: 'user_action' }
  for (const [what, permission] of [
    ['refused', { ...granted, granted: false }],
    ['expired', { ...granted, expiresAt: past }],
  ] as const)
    test(`is refused before anything is stored when the permission is ${what}`, async () => {
      const { cluster, place, parties } = await conversation(permission)
      await assert.rejects(place(), code('CALL_PERMISSION_REQUIRED'))
      assert.deepEqual(cluster.provider.requests, [])
      assert.equal(
        (await sql`select 1 from calls where conversation_id = ${parties.conversationId}`).length,
        0,
      )
    })

  for (const permission of [
    { ...granted, expiresAt: future },
    { ...granted, isPermanent: true },
  ])
    test(`is placed with a ${permission.isPermanent ? 'permanent' : 'valid'} permission`, async () => {
      const { place } = await conversation(permission)
      assert.equal((await place()).status, 'INITIATED')
    })

  test('to somebody who is just calling is two calls in one conversation, and theirs can be answered', async () => {
    const { workspace, cluster, node, place, parties } = await conversation(null, true)
    const { workspaceId } = workspace
    let refuse: () => void = () => undefined
    const busy = providerError({ code: '138003', title: 'A call is going on', class: 'callBusy' })
    cluster.provider.on('place', () => new Promise((resolve) => (refuse = () => resolve(busy))))
    const placing = assert.rejects(place(), ({ code, details }: AppError) => {
      assert.deepEqual([code, details?.[0]], ['PROVIDER_ERROR', { path: 'provider.code', message: '138003' }])
      return true
    })
    await until(() => cluster.provider.kinds().length === 1)
    await node.applyCallUpdate(connectUpdate(workspace))
    await until(() => cluster.direct.length === 1)
    refuse()
    await placing
    const rows = await sql<{ id: CallId; direction: string; status: string; code: string | null }[]>`
      select id, direction, status, error ->> 'code' as code
      from calls
      where conversation_id = ${parties.conversationId}
      order by id`
    assert.deepEqual(
      rows.map(({ direction, status, code }) => [direction, status, code]),
      [
        ['OUTBOUND', 'FAILED', '138003'],
        ['INBOUND', 'RINGING', null],
      ],
    )
    const theirs = rows[1]?.id as CallId
    assert.equal((await node.commands.answer(workspaceId, theirs, answerOf(1))).status, 'ACCEPTED')
    assert.deepEqual(cluster.statuses(), ['INITIATED', 'RINGING', 'FAILED', 'ACCEPTED'])
  })

  test('is not placed with broken SDP or from another workspace', async () => {
    const { node, parties } = await conversation()
    const caller = { workspaceId: newId('workspace'), apiKeyId: null }
    await assert.rejects(node.commands.place(caller, parties.conversationId, offer), code('NOT_FOUND'))
    const broken = { ...offer, session: { sdpType: 'offer', sdp: 'v=0' } as const }
    await assert.rejects(
      node.commands.place({ ...caller, workspaceId: parties.workspaceId }, parties.conversationId, broken),
      code('INVALID_SDP'),
    )
  })

  test('with an Idempotency-Key is placed once, however many requests come at once on two nodes', async () => {
    const { cluster, node, caller, parties } = await conversation()
    const input = { session, idempotencyKey: 'order-1' }
    const nodes = [node, cluster.node()]
    const placed = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        nodes[index % 2]?.commands.place(caller, parties.conversationId, input),
      ),
    )
    assert.deepEqual(cluster.provider.kinds(), ['place'])
    assert.equal(placed.filter((one) => one?.replayed === false).length, 1)
    assert.equal(new Set(placed.map((one) => one?.record.id)).size, 1)
    const other = { session: { ...session, sdp: `${offerSdp}a=other\r\n` }, idempotencyKey: 'order-1' }
    await assert.rejects(
      node.commands.place(caller, parties.conversationId, other),
      code('IDEMPOTENCY_KEY_REUSED'),
    )
    const elsewhere = await conversation()
    const theirs = await elsewhere.node.commands.place(
      elsewhere.caller,
      elsewhere.parties.conversationId,
      input,
    )
    assert.equal(theirs.replayed, false)
  })

  test('that the provider has refused is not placed again by its key; what nobody asked the provider is', async () => {
    const { cluster, node, caller, parties } = await conversation()
    const place = (input: object) =>
      node.commands.place(caller, parties.conversationId, { session, idempotencyKey: 'order-2', ...input })
    const broken = { session: { sdpType: 'offer', sdp: 'v=0' } as const }
    await assert.rejects(place(broken), code('INVALID_SDP'))
    cluster.provider.on('place', async () => providerError({ code: '131044', class: 'account' }))
    await assert.rejects(place({}), code('PROVIDER_ERROR'))
    const { record, replayed } = await place({})
    assert.deepEqual([record.status, replayed, cluster.provider.kinds()], ['FAILED', true, ['place']])
  })

  test('that is hung up before an answer is CANCELLED', async () => {
    const { workspace, cluster, node, place } = await conversation()
    const { id: text } = await place()
    const id = decodeId('call', text)
    assert.ok(id)
    const record = await node.commands.act(workspace.workspaceId, id, { action: 'HANG_UP' })
    assert.deepEqual([record.status, encodeId('call', id)], ['CANCELLED', text])
    await node.applyCallUpdate(updateOf(workspace, text).terminate)
    assert.deepEqual(cluster.statuses(), ['INITIATED', 'CANCELLED'])
  })
})
