import assert from 'node:assert/strict'
import { encodeId, newId, type Uuid } from '../../../src/shared/ids.ts'
import { before, describe, test } from '../../support/harness.ts'
import { addEndpoint, emitEvent } from '../../support/rows.ts'
import { type Client, openWorld } from './console-world.ts'
import { searchRows } from './search-rows.ts'

const world = await openWorld()
const { sql, workspaceId } = world
const ws = `/workspaces/${world.ws}`
const { addPerson, addMessage, addCall } = searchRows(world)
let viewer: Client
const ids = (results: readonly { id: string }[]) => results.map(({ id }) => id)

describe('filters that name a contact', () => {
  let lena: Awaited<ReturnType<typeof addPerson>>
  let messageId: string
  let callId: string
  const list = async (path: string, status = 200) => {
    const reply = await viewer('GET', `${ws}${path}`)
    assert.equal(reply.status, status, JSON.stringify(reply.body))
    return status === 200 ? ids(reply.body.data) : reply.body.error.details
  }
  const encoded = (text: string) => encodeURIComponent(text)

  before(async () => {
    viewer = await world.as('VIEWER')
    lena = await addPerson(workspaceId, { address: '436601234567', name: 'Lena Ostrov', username: 'lena' })
    messageId = encodeId('message', await addMessage(lena.conversationId))
    callId = encodeId('call', await addCall(lena.conversationId, 'wacid.L'))
  })

  test('take a name, any spelling of a number, a username and ids', async () => {
    const conversation = encodeId('conversation', lena.conversationId)
    for (const typed of [
      ...['lena', 'OSTROV', '@lena', '+43 660 123-4567', '0660 1234567', '0043660', '4567', conversation],
      ...[messageId, callId],
    ]) {
      assert.deepEqual(await list(`/conversations?contact=${encoded(typed)}`), [conversation], typed)
      assert.deepEqual(await list(`/messages?contact=${encoded(typed)}`), [messageId], typed)
      assert.deepEqual(await list(`/calls?contact=${encoded(typed)}`), [callId], typed)
    }
    for (const typed of ['nobody known', '+999 999 999', encodeId('message', newId('message'))])
      assert.deepEqual(await list(`/messages?contact=${encoded(typed)}`), [], typed)
  })

  test('take several people of one name', async () => {
    const other = await addPerson(workspaceId, { address: '436607654321', name: 'Lena Bauer' })
    const second = encodeId('message', await addMessage(other.conversationId))
    assert.deepEqual(await list('/messages?contact=lena'), [second, messageId])
    await sql`update contacts set name = 'Gone' where id = ${other.id}`
  })

  test('say what they take, and of whom there are too many', async () => {
    for (let more = 0; more < 21; more += 1)
      await addPerson(workspaceId, { address: `85290000${100 + more}`, name: `Wong ${more}` })
    for (const name of ['/conversations', '/messages', '/calls']) {
      const [nonsense] = await list(`${name}?contact=${encoded('!?')}`, 400)
      assert.deepEqual(
        [nonsense.path, nonsense.message.startsWith('Enter a name, a phone number')],
        ['contact', true],
      )
      const [many] = await list(`${name}?contact=wong`, 400)
      assert.equal(many.message, 'More than 20 contacts fit “wong”. Enter more of the name or number.')
    }
    const [wrong] = await list(`/messages?contact=${encodeId('delivery', newId('delivery'))}`, 400)
    assert.equal(wrong.path, 'contact')
  })

  test('of deliveries mean the conversations and calls of the contact', async () => {
    const endpointId = await addEndpoint(sql, workspaceId)
    const made = async (key: string) =>
      encodeId(
        'delivery',
        (await emitEvent(sql, workspaceId, { key, routedTo: endpointId }))[0]?.deliveryId as Uuid<'delivery'>,
      )
    const first = await made(lena.conversationId)
    const second = await made(
      (await sql<{ id: string }[]>`select id from calls where wacid = 'wacid.L'`)[0]?.id ?? '',
    )
    await made(newId('conversation'))
    for (const typed of ['lena', '4567', messageId])
      assert.deepEqual(await list(`/deliveries?key=${encoded(typed)}`), [second, first], typed)
    assert.deepEqual(await list(`/deliveries?key=${callId}`), [second])
    assert.deepEqual(await list('/deliveries?key=nobody+known'), [])
    const page = (await viewer('GET', `${ws}/deliveries?key=lena&limit=1`)).body
    assert.deepEqual([ids(page.data), typeof page.nextCursor], [[second], 'string'])
    const next = (await viewer('GET', `${ws}/deliveries?key=lena&limit=1&cursor=${page.nextCursor}`)).body
    assert.deepEqual([ids(next.data), next.nextCursor], [[first], null])
    assert.equal((await list('/deliveries?key=wong', 400))[0].path, 'key')
  })

  test('of recipients find those who were never written to by their whole number', async () => {
    const campaignId = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language)
      values (${campaignId}, ${workspaceId}, 'Two', 'offer', 'en_US')`
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id)
      select new_uuid(), ${workspaceId}, ${campaignId}, wa_id from unnest(array['436601234567', '15559990000']) wa_id`
    const of = async (typed: string) => {
      const path = `/campaigns/${encodeId('campaign', campaignId)}/recipients?to=${encoded(typed)}`
      return ((await viewer('GET', `${ws}${path}`)).body.data as { to: string }[]).map(({ to }) => to)
    }
    for (const typed of ['lena', '0660/1234567']) assert.deepEqual(await of(typed), ['436601234567'], typed)
    for (const typed of ['+1 (555) 999-0000', '15559990000'])
      assert.deepEqual(await of(typed), ['15559990000'], typed)
  })
})
