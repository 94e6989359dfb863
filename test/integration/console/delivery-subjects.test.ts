import assert from 'node:assert/strict'
import { sampleEvent } from '../../../src/console/sample-event.ts'
import type { DeliverySubject } from '../../../src/contract/records/console.ts'
import { type DeliveryId, encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { addEndpoint, emitEvent } from '../../support/rows.ts'
import { openWorld } from './console-world.ts'

const world = await openWorld()
const viewer = await world.as('VIEWER')
const ws = `/workspaces/${world.ws}`

async function newDelivery(key: string = newId('conversation')): Promise<DeliveryId> {
  const routedTo = await addEndpoint(world.sql, world.workspaceId)
  const [written] = await emitEvent(world.sql, world.workspaceId, { routedTo, key })
  return written?.deliveryId ?? assert.fail()
}

describe('what a delivery is about', () => {
  const subjectOf = async (id: string) =>
    (await viewer('GET', `${ws}/deliveries/${id}`)).body.subject as DeliverySubject

  /** A delivery whose event has this body. */
  async function told(kind: string, body: object, key: string = newId('conversation')): Promise<string> {
    const deliveryId = await newDelivery(key)
    await world.sql`
      with event as (
        update events set body = ${Buffer.from(JSON.stringify({ event: kind, data: body }))}, kind = ${kind}
        where id = (select event_id from deliveries where id = ${deliveryId}))
      update deliveries set kind = ${kind} where id = ${deliveryId}`
    return encodeId('delivery', deliveryId)
  }

  async function person() {
    const { workspaceId } = world
    const [numberId, contactId] = [newId('number'), newId('conversation')]
    const [conversationId, messageId, callId] = [newId('conversation'), newId('message'), newId('call')]
    const campaignId = newId('campaign')
    const waId = `1555${String(Date.now()).slice(-7)}`
    await world.sql`
      insert into numbers (id, workspace_id, phone_number_id, number)
      values (${numberId}, ${workspaceId}, ${numberId}, ${`+${waId}`})`
    await world.sql`
      insert into contacts (id, workspace_id, wa_id, name) values (${contactId}, ${workspaceId}, ${waId}, 'Ines')`
    await world.sql`
      insert into conversations (id, workspace_id, number_id, contact_id)
      values (${conversationId}, ${workspaceId}, ${numberId}, ${contactId})`
    await world.sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language)
      values (${campaignId}, ${workspaceId}, 'Spring', 'hello', 'en_US')`
    await world.sql`
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, template,
        campaign_id)
      values (${messageId}, ${workspaceId}, ${conversationId}, ${numberId}, ${contactId}, 'OUTBOUND', 'TEMPLATE', 'SENT',
        ${world.sql.json({ name: 'hello', language: 'en_US', variables: {} })}, ${campaignId})`
    await world.sql`
      insert into calls (id, workspace_id, conversation_id, number_id, contact_id, direction, status)
      values (${callId}, ${workspaceId}, ${conversationId}, ${numberId}, ${contactId}, 'INBOUND', 'MISSED')`
    return {
      ...{ conversationId, campaign: { id: encodeId('campaign', campaignId), name: 'Spring' } },
      contact: { name: 'Ines', number: waId, username: null },
      ids: {
        message: encodeId('message', messageId),
        call: encodeId('call', callId),
        conversation: encodeId('conversation', conversationId),
      },
    }
  }

  test('is the message with its contact, template and campaign', async () => {
    const { ids, contact, campaign, conversationId } = await person()
    const id = await told('message.status', { messageId: ids.message, status: 'READ' }, conversationId)
    const rest = { kind: 'message', status: 'READ', contact }
    assert.deepEqual(await subjectOf(id), { ...rest, id: ids.message, template: 'hello', campaign })
    const unknown = { messageId: encodeId('message', newId('message')), text: '"messageId":"x"' }
    const gone = await told('message.received', unknown, conversationId)
    assert.deepEqual(await subjectOf(gone), {
      ...{ ...rest, status: null },
      ...{ id: null, template: null, campaign: null },
    })
  })

  test('is the call, or the contact who chose', async () => {
    const { ids, contact, conversationId } = await person()
    const call = await told('call.status', { callId: ids.call, status: 'MISSED' })
    const rest = { contact, template: null, campaign: null }
    assert.deepEqual(await subjectOf(call), { ...rest, kind: 'call', id: ids.call, status: 'MISSED' })
    const choice = await told('contact.updated', { marketingOptedOut: true }, conversationId)
    assert.deepEqual(await subjectOf(choice), {
      ...rest,
      ...{ kind: 'contact', id: ids.conversation, status: 'OPTED_OUT' },
    })
  })

  test('is the account, or nothing that exists', async () => {
    const nobody = { id: null, contact: null, campaign: null }
    const template = { name: 'hello', language: 'en_US' }
    const account = await told('account.updated', { topic: 'TEMPLATE_STATUS', template })
    assert.deepEqual(await subjectOf(account), {
      ...nobody,
      ...{ kind: 'account', status: 'TEMPLATE_STATUS', template: 'hello' },
    })
    for (const kind of ['message.status', 'message.received', 'call.status', 'account.updated'] as const) {
      const deliveryId = await newDelivery()
      const { body } = sampleEvent(kind, new Date())
      await world.sql`
        with event as (
          update events set body = ${body} where id = (select event_id from deliveries where id = ${deliveryId}))
        update deliveries set kind = ${kind} where id = ${deliveryId}`
      const shown = await subjectOf(encodeId('delivery', deliveryId))
      assert.deepEqual(shown, { ...nobody, kind: 'test', status: null, template: null }, kind)
    }
  })

  test('is nobody of another workspace', async () => {
    const { ids, conversationId } = await person()
    const other = await world.addWorkspace('Elsewhere')
    const body = JSON.stringify({ event: 'message.status', data: { messageId: ids.message, status: 'READ' } })
    await addEndpoint(world.sql, other)
    const [written] = await emitEvent(world.sql, other, { key: conversationId, body })
    const stranger = await world.as('OWNER', { workspaceId: other })
    const id = encodeId('delivery', written?.deliveryId ?? '')
    const { body: shown } = await stranger(
      'GET',
      `/workspaces/${encodeId('workspace', other)}/deliveries/${id}`,
    )
    assert.deepEqual([shown.subject.id, shown.subject.contact, shown.subject.campaign], [null, null, null])
  })
})
