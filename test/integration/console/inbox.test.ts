// The inbox: unread first, windows that are open, and a thread of messages, calls and campaign sends.
import assert from 'node:assert/strict'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const viewer = await world.as('VIEWER')
const ws = `/workspaces/${world.ws}`
const { sql, workspaceId } = world

const numberId = newId('number')
await sql`
  insert into numbers (id, workspace_id, phone_number_id, number)
  values (${numberId}, ${workspaceId}, '778', '+15557780000')`

let people = 0
async function addConversation(
  given: { unread?: number; minutesAgo?: number; inboundHoursAgo?: number } = {},
) {
  const { unread = 0, minutesAgo = 0, inboundHoursAgo = 100 } = given
  const [id, contactId] = [newId('conversation'), newId('conversation')]
  people += 1
  await sql`
    insert into contacts (id, workspace_id, wa_id) values (${contactId}, ${workspaceId}, ${`491700000${people}`})`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id, unread_count, updated_at, last_inbound_at)
    values (${id}, ${workspaceId}, ${numberId}, ${contactId}, ${unread}, now() - ${minutesAgo} * interval '1 minute',
      now() - ${inboundHoursAgo} * interval '1 hour')`
  return id
}

async function addMessage(conversationId: string, campaignId: string | null = null): Promise<string> {
  const id = newId('message')
  await sql`
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text, campaign_id)
    select ${id}, workspace_id, id, number_id, contact_id, ${campaignId ? 'OUTBOUND' : 'INBOUND'}, 'TEXT',
      ${campaignId ? 'SENT' : 'RECEIVED'}, 'said', ${campaignId}
    from conversations
    where id = ${conversationId}`
  return encodeId('message', id)
}

async function addCall(conversationId: string): Promise<string> {
  const id = newId('call')
  await sql`
    insert into calls (id, workspace_id, conversation_id, number_id, contact_id, direction, status)
    select ${id}, workspace_id, id, number_id, contact_id, 'INBOUND', 'MISSED'
    from conversations
    where id = ${conversationId}`
  return encodeId('call', id)
}

const ids = (rows: Json[]): string[] => rows.map(({ id }) => id)

/** All pages, with the size of each. */
async function pages(path: string): Promise<{ all: string[]; sizes: number[] }> {
  const [all, sizes]: [string[], number[]] = [[], []]
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Json = await viewer('GET', `${ws}${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    assert.equal(page.status, 200, JSON.stringify(page.body))
    all.push(...ids(page.body.data))
    sizes.push(page.body.data.length)
    cursor = page.body.nextCursor
  }
  return { all, sizes }
}

describe('the inbox', () => {
  test('unread conversations come first, each part by its latest activity, whatever the size of a page', async () => {
    const shown = async (given: Parameters<typeof addConversation>[0]) =>
      encodeId('conversation', await addConversation(given))
    const read = [
      await shown({ minutesAgo: 1 }),
      await shown({ minutesAgo: 20 }),
      await shown({ minutesAgo: 40 }),
    ]
    const unread = [await shown({ unread: 1, minutesAgo: 10 }), await shown({ unread: 3, minutesAgo: 30 })]
    for (const limit of [1, 2, 3, 4, 5, 50]) {
      const { all, sizes } = await pages(`/conversations?order=unread&limit=${limit}`)
      assert.deepEqual(all, [...unread, ...read], `${limit} a page`)
      assert.ok(Math.max(...sizes) <= limit)
    }
    const byActivity = await pages('/conversations?limit=50')
    assert.deepEqual(byActivity.all, [read[0], unread[0], read[1], unread[1], read[2]])
    assert.deepEqual((await pages('/conversations?order=unread&unread=true&limit=1')).all, unread)
    const foreign = await viewer('GET', `${ws}/conversations?order=unread&cursor=${'A'.repeat(40)}`)
    assert.equal(foreign.status, 400)
    await sql`delete from conversations`
  })

  test('those whose window is open are listed, and a page that searched enough says where to go on', async () => {
    const [open, closed, called] = [
      await addConversation({ minutesAgo: 5, inboundHoursAgo: 23 }),
      await addConversation({ minutesAgo: 3, inboundHoursAgo: 25 }),
      await addConversation({ minutesAgo: 1, inboundHoursAgo: 90 }),
    ]
    await sql`update conversations set last_call_at = now() - interval '1 hour' where id = ${called}`
    const shown = [called, open].map((id) => encodeId('conversation', id))
    for (const limit of [1, 50])
      assert.deepEqual((await pages(`/conversations?windowOpen=true&limit=${limit}`)).all, shown)
    // A campaign that reaches more people than one page searches.
    await sql`
      insert into contacts (id, workspace_id, wa_id)
      select gen_random_uuid(), ${workspaceId}, '77' || n from generate_series(1, 1100) as n`
    await sql`
      insert into conversations (id, workspace_id, number_id, contact_id, updated_at)
      select gen_random_uuid(), ${workspaceId}, ${numberId}, id, now() from contacts where wa_id like '77%'`
    for (const order of ['activity', 'unread']) {
      const { all, sizes } = await pages(`/conversations?windowOpen=true&limit=50&order=${order}`)
      assert.deepEqual(all, shown, order)
      assert.deepEqual(sizes, [0, 2], order)
    }
    assert.ok(closed)
    await sql`delete from conversations`
    await sql`delete from contacts`
  })

  test('messages and calls are one list in the order of time, and campaigns have names', async () => {
    const [thread, other] = [await addConversation(), await addConversation()]
    const campaignId = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, status, template_name, template_language)
      values (${campaignId}, ${workspaceId}, 'Spring', 'COMPLETED', 'order_ready', 'en_US')`
    const all: string[] = []
    for (const kind of 'mmcmccccmmcmm') all.unshift(await (kind === 'm' ? addMessage : addCall)(thread))
    all.unshift(await addMessage(thread, campaignId))
    await addMessage(other)
    const elsewhere = await addCall(other)
    const path = `/conversations/${encodeId('conversation', thread)}`
    for (const limit of [1, 2, 3, 5, 13, 14, 50])
      assert.deepEqual((await pages(`${path}/thread?limit=${limit}`)).all, all, `${limit} a page`)
    for (const [index, id] of all.entries()) await pageAround(path, id, all.slice(Math.max(0, index - 2)))
    for (const id of [elsewhere, encodeId('message', newId('message'))])
      assert.equal((await viewer('GET', `${ws}${path}/thread?around=${id}`)).status, 404)
    const [sent] = (await viewer('GET', `${ws}${path}/thread?limit=1`)).body.data
    const campaign = { id: encodeId('campaign', campaignId), name: 'Spring' }
    assert.deepEqual([sent.kind, sent.campaign], ['message', campaign])
    const details = (await viewer('GET', `${ws}${path}/details`)).body
    assert.equal(details.calls.length, 5)
    assert.deepEqual(details.campaigns, [
      { ...campaign, status: 'COMPLETED', lastSentAt: sent.message.createdAt },
    ])
    assert.deepEqual(details.others, [])
  })

  /** A page around an entry, and the one behind it. */
  async function pageAround(path: string, id: string, expected: string[]): Promise<void> {
    const around = `${ws}${path}/thread?limit=5&around=${id}`
    const { data, nextCursor } = (await viewer('GET', around)).body
    assert.deepEqual(ids(data), expected.slice(0, 5))
    assert.equal(nextCursor === null, expected.length <= 5)
    if (nextCursor === null) return
    const next = await viewer('GET', `${around}&cursor=${encodeURIComponent(nextCursor)}`)
    assert.deepEqual(ids(next.body.data), expected.slice(5, 10))
  }

  test('another workspace sees nothing of a thread', async () => {
    const thread = encodeId('conversation', await addConversation())
    const foreign = await world.addWorkspace('Other')
    const stranger = await world.as('OWNER', { workspaceId: foreign })
    const theirs = `/workspaces/${encodeId('workspace', foreign)}/conversations`
    for (const path of ['/thread', '/details'])
      assert.equal((await stranger('GET', `${theirs}/${thread}${path}`)).status, 404)
    assert.deepEqual((await stranger('GET', `${theirs}?order=unread`)).body.data, [])
    assert.deepEqual((await stranger('GET', `${theirs}?windowOpen=true`)).body.data, [])
  })

  test('a contact with several numbers of the workspace has its other conversations beside the thread', async () => {
    const thread = await addConversation()
    const second = newId('number')
    await sql`
      insert into numbers (id, workspace_id, phone_number_id, number)
      values (${second}, ${workspaceId}, '779', '+15557790000')`
    const other = newId('conversation')
    await sql`
      insert into conversations (id, workspace_id, number_id, contact_id)
      select ${other}, workspace_id, ${second}, contact_id from conversations where id = ${thread}`
    const { body } = await viewer('GET', `${ws}/conversations/${encodeId('conversation', thread)}/details`)
    assert.deepEqual(ids(body.others), [encodeId('conversation', other)])
  })
})
