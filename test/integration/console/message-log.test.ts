// The message log: its filters, one message with all that is known of it, and both apart from other workspaces.
import assert from 'node:assert/strict'
import { encodeId, type MessageId, newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const { sql } = world
const [ours, theirs] = [await addTenant(sql), await addTenant(sql)]
const pathOf = (id: WorkspaceId) => `/workspaces/${encodeId('workspace', id)}`
const ws = pathOf(ours.workspaceId)
const agent = await world.as('AGENT', ours)
const stranger = await world.as('OWNER', theirs)

interface Given {
  readonly direction?: 'INBOUND' | 'OUTBOUND'
  readonly status?: string
  readonly template?: string
  readonly error?: { readonly code: string; readonly title: string }
  readonly keyId?: string
  readonly campaignId?: string
}

async function addThread({ workspaceId, numberId }: typeof ours, name: string | null, waId: string) {
  const [conversationId, contactId] = [newId('conversation'), newId('conversation')]
  await sql`insert into contacts (id, workspace_id, wa_id, name) values (${contactId}, ${workspaceId}, ${waId}, ${name})`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id)
    values (${conversationId}, ${workspaceId}, ${numberId}, ${contactId})`
  return conversationId
}

async function addMessage(conversationId: string, given: Given = {}): Promise<MessageId> {
  const id = newId('message')
  const { direction = 'OUTBOUND', status = 'SENT', template, error } = given
  const content =
    template === undefined ? null : { name: template, language: 'en_US', variables: { name: 'Mia' } }
  await sql`
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text,
      template, error, api_key_id, campaign_id, failed_at)
    select ${id}, workspace_id, id, number_id, contact_id, ${direction}, ${template ? 'TEMPLATE' : 'TEXT'}, ${status},
      'Hello', ${content && sql.json(content)}, ${error ? sql.json(error) : null}, ${given.keyId ?? null},
      ${given.campaignId ?? null}, ${error ? sql`now()` : null}
    from conversations
    where id = ${conversationId}`
  return id
}

async function addKey(workspaceId: WorkspaceId, name: string) {
  const id = newId('key')
  await sql`
    insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes, requests_per_second)
    values (${id}, ${workspaceId}, ${name}, ${id.slice(-8)}, ${Buffer.from(id)}, '{}', 10)`
  return id
}

const undeliverable = { code: '131026', title: 'Message undeliverable' }

describe('the message log', () => {
  test('is filtered by key, template, error, campaign, state and contact, and names the customer', async () => {
    const conversationId = await addThread(ours, 'Mia Chen', '4915100000001')
    const other = await addThread(ours, null, '4915100000002')
    const foreign = await addThread(theirs, 'Mia Chen', '4915100000001')
    const keyId = await addKey(ours.workspaceId, 'shop')
    const campaignId = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, status, template_name, template_language)
      values (${campaignId}, ${ours.workspaceId}, 'Spring', 'COMPLETED', 'spring', 'en_US')`
    const made = {
      inbound: await addMessage(conversationId, { direction: 'INBOUND', status: 'RECEIVED' }),
      byKey: await addMessage(conversationId, { keyId, template: 'order_ready' }),
      failed: await addMessage(other, {
        keyId,
        template: 'order_ready',
        status: 'FAILED',
        error: undeliverable,
      }),
      ofCampaign: await addMessage(other, { campaignId, template: 'spring', status: 'READ' }),
    }
    await addMessage(foreign, { template: 'order_ready', status: 'FAILED', error: undeliverable })
    const found = async (query: string): Promise<string[]> => {
      const { status, body } = await agent('GET', `${ws}/messages?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.data.map(({ id }: Json) => id)
    }
    const ids = (...names: (keyof typeof made)[]) => names.map((name) => encodeId('message', made[name]))
    const { byKey, failed } = { byKey: encodeId('key', keyId), failed: 'status=FAILED' }
    assert.deepEqual(await found(''), ids('ofCampaign', 'failed', 'byKey', 'inbound'))
    assert.deepEqual(await found(`apiKeyId=${byKey}`), ids('failed', 'byKey'))
    assert.deepEqual(await found(`apiKeyId=${byKey}&${failed}`), ids('failed'))
    assert.deepEqual(await found('template=order_ready'), ids('failed', 'byKey'))
    assert.deepEqual(await found('template=order'), [])
    assert.deepEqual(await found('errorCode=131026'), ids('failed'))
    assert.deepEqual(await found('errorCode=131047'), [])
    assert.deepEqual(await found(`campaignId=${encodeId('campaign', campaignId)}`), ids('ofCampaign'))
    assert.deepEqual(await found('contact=%2B4915100000001'), ids('byKey', 'inbound'))
    const first = await agent('GET', `${ws}/messages?template=order_ready&limit=1`)
    assert.deepEqual(
      await found(`template=order_ready&limit=1&cursor=${encodeURIComponent(first.body.nextCursor)}`),
      ids('byKey'),
    )
    assert.deepEqual(
      (await agent('GET', `${ws}/messages`)).body.data.map(({ contactName }: Json) => contactName),
      [null, null, 'Mia Chen', 'Mia Chen'],
    )
  })

  test('one message has its times, its sender, the help for its error, and the deliveries of its own events', async () => {
    const conversationId = await addThread(ours, 'Ines', '4915100000003')
    const keyId = await addKey(ours.workspaceId, 'desk')
    const id = await addMessage(conversationId, {
      ...{ keyId, template: 'order_ready', status: 'FAILED', error: undeliverable },
    })
    await sql`update messages set handed_at = '2026-11-22T10:00:00.123Z', send_attempts = 2 where id = ${id}`
    await addEndpoint(sql, ours.workspaceId, { events: ['message.status'] })
    const shown = encodeId('message', id)
    const [about] = await emitEvent(sql, ours.workspaceId, {
      ...{
        key: conversationId,
        body: JSON.stringify({ event: 'message.status', data: { messageId: shown } }),
      },
    })
    const [settled] = await emitEvent(sql, ours.workspaceId, {
      ...{
        key: conversationId,
        body: JSON.stringify({ event: 'message.status', data: { messageId: shown } }),
      },
    })
    await sql`update deliveries set state = 'DELIVERED', finished_at = now() where id = ${settled?.deliveryId ?? ''}`
    await emitEvent(sql, ours.workspaceId, {
      key: conversationId,
      body: '{"data":{"messageId":"msg_other"}}',
    })

    const { status, body } = await agent('GET', `${ws}/messages/${shown}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      [body.handedAt, body.attempts, body.contactName, body.error.code],
      ['2026-11-22T10:00:00.123Z', 2, 'Ines', '131026'],
    )
    assert.deepEqual(body.sentBy, { kind: 'KEY', id: encodeId('key', keyId), name: 'desk' })
    assert.match(body.help.meaning, /could not reach/)
    assert.match(body.help.remedy, /^Check the number/)
    assert.deepEqual(
      body.deliveries.map(({ id: delivery, event, state, endpoint }: Json) => [
        delivery,
        event,
        state,
        endpoint.name,
      ]),
      [about, settled].map((written, index) => [
        encodeId('delivery', written?.deliveryId ?? ''),
        ...['message.status', index === 0 ? 'PENDING' : 'DELIVERED', 'orders'],
      ]),
    )
    // Whoever sent it in the console is its sender.
    await world.services.audit.note(
      { ...ours, operatorId: agent.operatorId, ip: '127.0.0.1' },
      { action: 'message.sent', subjectKind: 'message', subjectId: id },
    )
    const again = await agent('GET', `${ws}/messages/${shown}`)
    assert.deepEqual(
      [again.body.sentBy.kind, again.body.sentBy.id],
      ['OPERATOR', encodeId('operator', agent.operatorId)],
    )

    assert.equal((await stranger('GET', `${pathOf(theirs.workspaceId)}/messages/${shown}`)).status, 404)
    assert.equal((await stranger('GET', `${ws}/messages/${shown}`)).status, 404)
    assert.equal((await agent('GET', `${ws}/messages/${encodeId('message', newId('message'))}`)).status, 404)
  })
})
