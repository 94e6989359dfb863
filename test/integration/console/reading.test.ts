import assert from 'node:assert/strict'
import type { ProviderError } from '../../../src/contract/provider.ts'
import { createTemplateSubmissionStore } from '../../../src/messaging/store/template-submission.store.ts'
import { type ConversationId, encodeId, type NumberId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const viewer = await world.as('VIEWER')
const admin = await world.as('ADMIN')
const ws = `/workspaces/${world.ws}`
const { sql, workspaceId } = world

const numberId = newId('number')
await sql`
  insert into numbers (id, workspace_id, phone_number_id, number)
  values (${numberId}, ${workspaceId}, '777', '+15557770000')`

interface Thread {
  readonly id: ConversationId
  readonly waId: string
}

async function addConversation(
  waId: string,
  given: { unread?: number; minutesAgo?: number; optState?: string } = {},
): Promise<Thread> {
  const { unread = 0, minutesAgo = 0, optState = null } = given
  const [id, contactId] = [newId('conversation'), newId('conversation')]
  await sql`
    insert into contacts (id, workspace_id, wa_id, name, opt_state)
    values (${contactId}, ${workspaceId}, ${waId}, 'Mia', ${optState})`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id, unread_count, updated_at)
    values (${id}, ${workspaceId}, ${numberId}, ${contactId}, ${unread},
      now() - ${minutesAgo} * interval '1 minute')`
  return { id, waId }
}

async function addMessage(thread: Thread, text: string) {
  const id = newId('message')
  await sql`
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text)
    select ${id}, workspace_id, id, number_id, contact_id, 'INBOUND', 'TEXT', 'RECEIVED', ${text}
    from conversations
    where id = ${thread.id}`
  await sql`
    update conversations
    set last_message_id = ${id}, last_inbound_at = now() - interval '1 hour'
    where id = ${thread.id}`
  return id
}

const list = async (path: string): Promise<Json[]> => {
  const reply = await viewer('GET', `${ws}${path}`)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.data
}
const ids = (rows: Json[]): string[] => rows.map(({ id }) => id)
const shown = (thread: Thread) => encodeId('conversation', thread.id)

describe('reading', () => {
  test('the messages around one of them are a page like every other', async () => {
    const thread = await addConversation('4915100000099')
    const other = await addConversation('4915100000098')
    const all: string[] = []
    for (let index = 0; index < 12; index += 1)
      all.unshift(encodeId('message', await addMessage(thread, `line ${index}`)))
    const elsewhere = encodeId('message', await addMessage(other, 'elsewhere'))
    const path = `${ws}/conversations/${shown(thread)}/messages`
    const around = async (id: string, query = ''): Promise<Json> =>
      (await viewer('GET', `${path}?limit=5&around=${id}${query}`)).body
    const { data, nextCursor } = await around(all[6] ?? '')
    assert.deepEqual(ids(data), all.slice(4, 9))
    const next = await around(all[6] ?? '', `&cursor=${encodeURIComponent(nextCursor)}`)
    assert.deepEqual(ids(next.data), all.slice(9))
    // When fewer messages precede it, the page begins with the newest.
    for (const index of [0, 1, 2])
      assert.deepEqual(ids((await around(all[index] ?? '')).data), all.slice(0, 5))
    assert.deepEqual(ids((await around(all[3] ?? '')).data), all.slice(1, 6))
    assert.deepEqual(ids((await around(all[11] ?? '')).data), all.slice(9))
    for (const id of [elsewhere, encodeId('message', newId('message'))])
      assert.equal((await viewer('GET', `${path}?around=${id}`)).status, 404)
    // The id of a conversation that became part of this one.
    await sql`update conversations set merged_into = ${thread.id}, erased_at = now() where id = ${other.id}`
    const former = await list(`/conversations/${shown(other)}/messages?limit=5&around=${all[6]}`)
    assert.deepEqual(ids(former), all.slice(4, 9))
    await sql`delete from messages where conversation_id in (${thread.id}, ${other.id})`
    await sql`delete from conversations where id in (${thread.id}, ${other.id})`
  })

  test('conversations come with contact, last message and window, the latest activity first', async () => {
    const old = await addConversation('4915100000001', { minutesAgo: 60, optState: 'opted-out' })
    const busy = await addConversation('4915100000002', { unread: 2, minutesAgo: 5 })
    const messageId = await addMessage(busy, 'hello')
    const rows = await list('/conversations')
    assert.deepEqual(ids(rows), [shown(busy), shown(old)])
    const [first, second] = rows
    assert.deepEqual(first.contact, {
      waId: busy.waId,
      number: `+${busy.waId}`,
      userId: null,
      username: null,
      name: 'Mia',
      optedOut: false,
      marketingOptedOut: false,
    })
    assert.deepEqual(
      { ...first.lastMessage, at: undefined },
      {
        id: encodeId('message', messageId),
        direction: 'INBOUND',
        type: 'TEXT',
        text: 'hello',
        at: undefined,
      },
    )
    const windowMs = Date.parse(first.windowExpiresAt) - Date.parse(first.lastInboundAt)
    assert.equal(windowMs, 24 * 3_600_000)
    assert.deepEqual(
      [second.contact.optedOut, second.lastMessage, second.windowExpiresAt],
      [true, null, null],
    )
    assert.deepEqual(ids(await list('/conversations?unread=true')), [shown(busy)])
    assert.deepEqual(ids(await list('/conversations?unread=false')), [shown(old)])
    assert.deepEqual(ids(await list(`/conversations?contact=%2B${old.waId}`)), [shown(old)])
    const since = new Date(Date.now() - 1_800_000).toISOString()
    assert.deepEqual(ids(await list(`/conversations?since=${since}`)), [shown(busy)])
    assert.deepEqual(ids(await list(`/conversations?until=${since}`)), [shown(old)])
    assert.deepEqual(await list(`/conversations?numberId=${encodeId('number', newId('number'))}`), [])
  })

  test('pages of conversations neither skip nor repeat those of one millisecond', async () => {
    for (let more = 0; more < 5; more += 1) await addConversation(`49152000000${more}`)
    await sql`update conversations set updated_at = '2026-01-01T00:00:00.123Z'`
    const all = ids(await list('/conversations'))
    const seen: string[] = []
    for (let path = '/conversations?limit=2'; ; ) {
      const page = (await viewer('GET', `${ws}${path}`)).body
      seen.push(...ids(page.data))
      if (page.nextCursor === null) break
      path = `/conversations?limit=2&cursor=${page.nextCursor}`
    }
    assert.equal(all.length, 7)
    assert.deepEqual(seen, all)
  })

  test('messages and calls can be narrowed to a conversation, and a call shows its timeline', async () => {
    const thread = await addConversation('4915300000001')
    const messageId = await addMessage(thread, 'one')
    const callId = newId('call')
    await sql`
      insert into calls (id, workspace_id, conversation_id, number_id, contact_id, direction, status, last_forward_error)
      select ${callId}, workspace_id, id, number_id, contact_id, 'INBOUND', 'MISSED',
        ${sql.json({ code: 'TIMEOUT', message: 'no answer', endpointId: null, at: '2026-01-01T00:00:00.000Z' })}
      from conversations
      where id = ${thread.id}`
    await sql`
      insert into call_timeline (id, workspace_id, call_id, at, kind, detail)
      values (new_uuid(), ${workspaceId}, ${callId}, now(), 'forward.attempted', ${sql.json({ ms: 12 })})`
    assert.deepEqual(ids(await list(`/messages?conversationId=${shown(thread)}`)), [
      encodeId('message', messageId),
    ])
    const [call] = await list(`/calls?conversationId=${shown(thread)}`)
    assert.equal(call.id, encodeId('call', callId))
    assert.equal(call.lastForwardError.code, 'TIMEOUT')
    const single = (await viewer('GET', `${ws}/calls/${call.id}`)).body
    assert.deepEqual([single.timeline[0].kind, single.timeline[0].detail], ['forward.attempted', { ms: 12 }])
    assert.deepEqual(await list('/calls?live=true'), [])
  })

  test('a campaign lists every count, also those that are still nothing', async () => {
    const id = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, number_id, template_name, template_language)
      values (${id}, ${workspaceId}, 'Spring', ${numberId as NumberId}, 'offer', 'en_US')`
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id, status)
      select gen_random_uuid(), ${workspaceId}, ${id}, n::text, 'SENT' from generate_series(1, 3) n`
    const [campaign] = await list('/campaigns')
    assert.equal(campaign.id, encodeId('campaign', id))
    assert.deepEqual([campaign.counts.total, campaign.counts.failed, campaign.status], [3, 0, 'DRAFT'])
  })

  test('another workspace sees none of it', async () => {
    const other = await world.addWorkspace('Other')
    const stranger = await world.as('OWNER', { workspaceId: other })
    for (const path of [
      'messages',
      'calls',
      'conversations',
      'campaigns',
      'templates',
      'numbers',
      'keys',
      'endpoints',
    ]) {
      const reply = await stranger('GET', `/workspaces/${encodeId('workspace', other)}/${path}`)
      assert.deepEqual(reply.body, { data: [], nextCursor: null }, path)
    }
  })
})

describe('templates', () => {
  const draft = {
    name: 'order_ready',
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hi {{name}}' }],
  } as const
  const submit = (body: object = {}) => admin('POST', `${ws}/templates`, { ...draft, ...body })

  test('one that the provider took is listed with its status, and audited', async () => {
    const author = { workspaceId, operatorId: admin.operatorId, ip: '127.0.0.1' }
    const definition = { ...draft, parameterFormat: 'NAMED' } as const
    const created = { providerTemplateId: '1', status: 'PENDING', category: 'UTILITY' } as const
    world.submission = { type: 'ok', value: created }
    const reply = await submit()
    assert.equal(reply.status, 201)
    assert.deepEqual((await list('/templates?status=PENDING'))[0], reply.body)
    const [entry] = (await viewer('GET', `${ws}/audit?limit=1`)).body.data
    assert.deepEqual([entry.action, entry.after.name], ['template.submitted', 'order_ready'])
    // A row that a sync inserted first is kept.
    const { id } = await createTemplateSubmissionStore(sql).keep(author, definition, created)
    assert.equal(id, reply.body.id)
  })

  test('one is shown with the provider’s reason and its examples filled in, to its workspace alone', async () => {
    const id = newId('template')
    const components = [
      { type: 'HEADER', format: 'TEXT', text: '{{1}}', example: { header_text: ['Dock 7'] } },
      { type: 'BODY', text: 'Hi {{1}}, {{2}}', example: { body_text: [['Ines']] } },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] },
    ]
    await sql`
      insert into templates (id, workspace_id, name, language, category, status, status_reason, components)
      values (${id}, ${workspaceId}, 'parcel_here', 'en_US', 'UTILITY', 'REJECTED', 'INVALID_FORMAT',
        ${sql.json(components)})`
    const path = `/templates/${encodeId('template', id)}`
    const { status, body } = await viewer('GET', ws + path)
    assert.deepEqual([status, body.name, body.statusReason], [200, 'parcel_here', 'INVALID_FORMAT'])
    const { header, body: text, footer, buttons } = body.preview
    assert.deepEqual(
      [header, text, footer, buttons],
      ['Dock 7', 'Hi Ines, {{2}}', null, [{ type: 'QUICK_REPLY', text: 'Thanks' }]],
    )
    assert.deepEqual(
      (await list('/templates?name=cel_he')).map(({ name }) => name),
      ['parcel_here'],
    )
    assert.deepEqual(await list('/templates?exactName=cel_he'), [])
    assert.deepEqual(
      (await list('/templates?exactName=parcel_here&language=en_US')).map(({ name }) => name),
      ['parcel_here'],
    )
    const other = await world.addWorkspace('Elsewhere')
    const stranger = await world.as('OWNER', { workspaceId: other })
    assert.equal((await stranger('GET', `/workspaces/${encodeId('workspace', other)}${path}`)).status, 404)
  })

  test('what the provider says no to is told with its reason', async () => {
    const error: ProviderError = {
      ...{ code: '2388023', title: 'The language is being deleted', details: null, traceId: 'AbC' },
      ...{ httpStatus: 400, class: 'permanent' as const, retryAfterMs: null },
    }
    world.submission = { type: 'refused', error }
    const reply = await submit({ name: 'other' })
    assert.equal(reply.status, 502)
    assert.deepEqual(reply.body.error.details, [
      { path: 'provider.code', message: '2388023' },
      { path: 'provider.title', message: 'The language is being deleted' },
      { path: 'provider.traceId', message: 'AbC' },
    ])
    assert.equal((await submit()).body.error.code, 'INVALID_STATE')
  })

  test('a draft that cannot be one is refused here', async () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 1_000; level += 1) deep = [deep]
    const refused: [object, string][] = [
      [{ name: 'Order Ready' }, 'name'],
      [{ language: 'english' }, 'language'],
      [{ category: 'SPAM' }, 'category'],
      [{ components: [] }, 'components'],
      [{ components: [{ type: 'BODY', text: deep }] }, 'components'],
    ]
    for (const [body, path] of refused) {
      const reply = await submit(body)
      assert.equal(reply.status, 400, path)
      assert.equal(reply.body.error.details[0].path, path)
    }
  })
})
