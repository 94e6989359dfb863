// Lists as CSV: with the filters of their pages, for admins, one at a time, and given up when the reader is gone.
import assert from 'node:assert/strict'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { eventually } from '../../e2e/scene.ts'
import { describe, test } from '../../support/harness.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const { sql } = world
const [ours, theirs] = [await addTenant(sql), await addTenant(sql)]
await sql`update workspaces set name = 'Nórth & Dock' where id = ${ours.workspaceId}`
const ws = `/workspaces/${encodeId('workspace', ours.workspaceId)}`
const [admin, agent] = [await world.as('ADMIN', ours), await world.as('AGENT', ours)]

const download = (path: string, { cookie, signal }: { cookie: string; signal?: AbortSignal }) =>
  fetch(`${world.origin}/console/api${ws}/exports/${path}`, { headers: { cookie }, signal: signal ?? null })

async function linesOf(path: string): Promise<string[]> {
  const answer = await download(path, admin)
  assert.equal(answer.status, 200)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  return bytes.subarray(3).toString('utf8').split('\r\n').slice(0, -1)
}

async function addThread({ workspaceId, numberId }: typeof ours) {
  const [conversationId, contactId] = [newId('conversation'), newId('conversation')]
  await sql`
    insert into contacts (id, workspace_id, wa_id, name)
    values (${contactId}, ${workspaceId}, '4915100000001', '=cmd()')`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id)
    values (${conversationId}, ${workspaceId}, ${numberId}, ${contactId})`
  return conversationId
}

const addMessages = (conversationId: string, { count, text }: { count: number; text: string }) => sql`
  insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text)
  select new_uuid(), workspace_id, id, number_id, contact_id, 'OUTBOUND', 'TEXT', 'SENT', ${text}
  from conversations
  cross join generate_series(1, ${count}::integer)
  where id = ${conversationId}`

describe('exports', () => {
  test('are for admins, have a name with workspace and date, and are in the audit without values', async () => {
    assert.equal((await download('messages', agent)).status, 403)
    const answer = await download('messages?contact=%2B4915100000001&status=FAILED', admin)
    const day = new Date(world.clock.now()).toISOString().slice(0, 10)
    assert.match(
      answer.headers.get('content-disposition') ?? '',
      new RegExp(`filename\\*=UTF-8''n%C3%B3rth-dock-messages-${day}.csv`),
    )
    assert.match(answer.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/)
    await answer.arrayBuffer()
    const { body } = await admin('GET', `${ws}/audit?action=workspace.exported`)
    assert.deepEqual(body.data[0].after, { list: 'messages', filters: ['contact', 'status'] })
    assert.equal(JSON.stringify(body).includes('4915100000001'), false)
    assert.equal((await download('messages?status=NONE', admin)).status, 400)
  })

  test('hold every page of the filtered list, of this workspace alone', async () => {
    const [conversationId, foreign] = [await addThread(ours), await addThread(theirs)]
    await addMessages(conversationId, { count: 2_500, text: 'Hello, "you"' })
    await addMessages(foreign, { count: 1, text: 'not yours' })
    const lines = await linesOf('messages?status=SENT')
    assert.equal(lines.length, 1 + 2_500)
    assert.match(lines[0] ?? '', /^id,createdAt,direction,status,type,from,to,contactName,/)
    assert.equal(new Set(lines.map((line) => line.split(',')[0])).size, 2_501)
    for (const line of lines.slice(1)) {
      assert.ok(line.includes(",'=cmd(),") && line.includes('"Hello, ""you"""'), line)
      assert.ok(line.includes(`,${ours.number.slice(1)},4915100000001,`), line)
    }
    assert.equal((await linesOf('messages?status=FAILED')).length, 1)

    await sql`
      insert into calls (id, workspace_id, conversation_id, number_id, contact_id, direction, status)
      select ${newId('call')}, workspace_id, id, number_id, contact_id, 'INBOUND', 'MISSED'
      from conversations
      where id = any(${[conversationId, foreign]})`.catch(() => undefined)
    const endpointId = await addEndpoint(sql, ours.workspaceId)
    await emitEvent(sql, ours.workspaceId)
    const deliveries = await linesOf(
      `deliveries?endpointId=${encodeId('endpoint', endpointId)}&state=PENDING`,
    )
    assert.equal(deliveries.length, 2)
    assert.match(deliveries[1] ?? '', /,message\.status,PENDING,orders,whe_/)
    assert.match((await linesOf('calls?status=MISSED'))[0] ?? '', /^id,createdAt,direction,status,/)
    const audit = await linesOf('audit?action=workspace')
    assert.ok(
      audit.some((line) => line.includes('Exported a list of workspace Nórth & Dock')),
      audit.join('\n'),
    )
  })

  test('are one at a time for an operator, and over when the reader is gone', async () => {
    const conversationId = await addThread(await addTenantWith(ours))
    // More than sockets hold: the export waits for its reader.
    await addMessages(conversationId, { count: 4_000, text: 'x'.repeat(4_000) })
    const abort = new AbortController()
    const first = await download('messages', { cookie: admin.cookie, signal: abort.signal })
    const reader = first.body?.getReader()
    await reader?.read()
    const second = await download('messages', admin)
    assert.equal(second.status, 429)
    const { error } = (await second.json()) as Json
    assert.match(error.message, /Another export of yours/)
    abort.abort()
    await reader?.cancel().catch(() => undefined)
    await eventually('there is a place again', async () => {
      const answer = await download('calls', admin)
      await answer.arrayBuffer()
      return answer.status === 200
    })
  })
})

test('an export of a client who is gone before it begins takes no place', async () => {
  const operator = await world.as('ADMIN', ours)
  const holder = await sql.reserve()
  await holder`begin`
  await holder`lock table sessions in access exclusive mode`
  const abort = new AbortController()
  const asked = download('messages', { cookie: operator.cookie, signal: abort.signal }).catch(() => undefined)
  // The request waits for its session.
  await eventually('it waits', async () => {
    const [row] = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return row !== undefined
  })
  abort.abort()
  await asked
  // With answers to later requests, the gateway has seen that this client is gone.
  for (let later = 0; later < 5; later += 1) await (await fetch(`${world.origin}/console/`)).arrayBuffer()
  await holder`commit`
  holder.release()
  // The first of these may be served before the one that waited goes on.
  for (let later = 0; later < 3; later += 1)
    await eventually('there is a place', async () => {
      const answer = await download('calls', operator)
      await answer.arrayBuffer()
      return answer.status === 200
    })
})

/** The same workspace with another number: a contact has one conversation with each. */
async function addTenantWith(tenant: typeof ours): Promise<typeof ours> {
  const numberId = newId('number')
  await sql`
    insert into numbers (id, workspace_id, phone_number_id, number)
    values (${numberId}, ${tenant.workspaceId}, ${numberId}, '+15557779999')`
  await sql`delete from messages where workspace_id = ${tenant.workspaceId}`
  await sql`delete from conversations where workspace_id = ${tenant.workspaceId}`
  await sql`delete from calls where workspace_id = ${tenant.workspaceId}`
  await sql`delete from contacts where workspace_id = ${tenant.workspaceId}`
  return { ...tenant, numberId }
}
