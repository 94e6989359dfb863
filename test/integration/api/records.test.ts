import assert from 'node:assert/strict'
import { scopes } from '../../../src/contract/scopes.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { apiKey, call, endpoint, message, thread, workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { gateway } from './gateway.ts'

/** Nobody of these persons has shown a user id. */
const nobody = { userId: null, username: null }

const sql = testPool(await testDatabase())
const { call: ask, keyFor } = gateway(sql)

const day = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.127Z`

async function world() {
  const own = await thread(sql, await workspace(sql))
  const key = await keyFor(own.workspaceId, scopes)
  const read = async (path: string) => {
    const { status, json } = await ask(key, { path })
    assert.equal(status, 200, JSON.stringify(json))
    return json
  }
  return { own, read }
}

/**
 * Every field is set, so that the test sees the form of each: ids, times, numbers with and without a plus.
 */
describe('a record with nothing left out', () => {
  test('message, singly and in the list', async () => {
    const { own, read } = await world()
    const sender = await apiKey(sql, own.workspaceId, ['CHAT_SEND'])
    const campaignId = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language)
      values (${campaignId}, ${own.workspaceId}, 'c', 't', 'en')`
    const template = { name: 'order_ready', language: 'en_US', variables: { first_name: 'Ines' } }
    const callPermission = {
      ...{ response: 'accept', granted: true, isPermanent: false, expiresAt: day(20), source: 'user_action' },
    }
    const common = { numberId: own.numberId, metadata: sql.json({ order: 'A-1' }) }
    const times = { sentAt: day(1), deliveredAt: day(2), readAt: day(3), failedAt: day(4), createdAt: day(0) }
    const outId = await message(sql, own, {
      ...common,
      ...times,
      status: 'FAILED',
      template: sql.json(template),
      error: sql.json({ code: '131026', title: 'Undeliverable' }),
      providerMessageId: `wamid.${own.waId}`,
      apiKeyId: sender.id,
      idempotencyKey: 'order-1',
      campaignId,
    })
    const inId = await message(sql, own, {
      ...common,
      ...times,
      ...{ direction: 'INBOUND', type: 'DOCUMENT', status: 'READ', fromName: 'Ines' },
      providerMessageId: `wamid.in.${own.waId}`,
      details: sql.json({ callPermission }),
    })
    await sql`
      insert into media (message_id, workspace_id, provider_media_id, mime_type, file_name, size_bytes, sha256)
      values (${inId}, ${own.workspaceId}, 'm', 'application/pdf', 'a.pdf', 7, ${'ab'.repeat(32)})`
    const shared = {
      conversationId: encodeId('conversation', own.conversationId),
      numberId: encodeId('number', own.numberId),
      text: 'Hello',
      metadata: { order: 'A-1' },
      ...times,
    }
    const outbound = {
      ...shared,
      ...{ id: encodeId('message', outId), providerMessageId: `wamid.${own.waId}`, direction: 'OUTBOUND' },
      ...{
        type: 'TEMPLATE',
        status: 'FAILED',
        template,
        from: own.number,
        fromName: null,
        to: own.waId,
        ...nobody,
      },
      ...{ error: { code: '131026', title: 'Undeliverable' }, media: null, details: null },
      caller: {
        apiKeyId: encodeId('key', sender.id),
        apiKeyName: 'backend',
        idempotencyKey: 'order-1',
        campaignId: encodeId('campaign', campaignId),
      },
    }
    const inbound = {
      ...shared,
      ...{ id: encodeId('message', inId), providerMessageId: `wamid.in.${own.waId}`, direction: 'INBOUND' },
      ...{
        type: 'DOCUMENT',
        status: 'READ',
        template: null,
        from: own.waId,
        fromName: 'Ines',
        to: own.number,
        ...nobody,
      },
      ...{ error: null, details: { callPermission }, caller: null },
      media: { mimeType: 'application/pdf', fileName: 'a.pdf', sizeBytes: 7, sha256: 'ab'.repeat(32) },
    }
    assert.deepEqual(await read(`/messages/chat/${outbound.id}`), outbound)
    assert.deepEqual(await read(`/messages/chat/${inbound.id}`), inbound)
    assert.deepEqual((await read('/messages/chat')).data, [inbound, outbound])
  })

  test('call, singly and in the list', async () => {
    const { own, read } = await world()
    const failure = { code: 'TIMEOUT', message: 'no answer within 5 s', at: day(2) }
    const endpointId = await endpoint(sql, own.workspaceId)
    const callId = await call(sql, own, {
      ...{ direction: 'OUTBOUND', status: 'COMPLETED', fromName: 'Ines', endReason: 'HUNG_UP' },
      ...{ ringingAt: day(1), acceptedAt: day(2), endedAt: day(3), createdAt: day(0), durationSeconds: 60 },
      lastForwardError: sql.json({ ...failure, endpointId }),
    })
    const record = {
      ...{
        id: encodeId('call', callId),
        wacid: `wacid.${callId}`,
        direction: 'OUTBOUND',
        status: 'COMPLETED',
      },
      ...{ from: own.waId, fromName: 'Ines', to: own.number, contactWaId: own.waId, ...nobody },
      ...{ numberId: encodeId('number', own.numberId), phoneNumberId: `pn-${own.numberId}` },
      conversationId: encodeId('conversation', own.conversationId),
      ...{ ringingAt: day(1), acceptedAt: day(2), endedAt: day(3), createdAt: day(0) },
      ...{ durationSeconds: 60, endReason: 'HUNG_UP' },
      lastForwardError: { ...failure, endpointId: encodeId('endpoint', endpointId) },
    }
    assert.deepEqual(await read(`/calls/${record.id}`), record)
    assert.deepEqual((await read('/calls')).data, [record])
  })

  test('campaign, singly and in the list, and recipient', async () => {
    const { own, read } = await world()
    const paused = { code: '131042', title: 'Payment', subcode: '7', details: 'No card.', traceId: 'T1' }
    const [campaignId, recipientId] = [newId('campaign'), newId('recipient')]
    const times = { startAt: day(1), startedAt: day(2), pausedAt: day(3), completedAt: day(4) }
    const later = { cancelledAt: day(5), createdAt: day(0), updatedAt: day(6) }
    const row = {
      ...{ id: campaignId, workspaceId: own.workspaceId, name: 'Spring', status: 'PAUSED' },
      ...{ numberId: own.numberId, templateName: 'offer', templateLanguage: 'en_US' },
      ...{ variables: sql.json({ code: 'A1' }), messagesPerSecond: 20, pauseReason: 'BILLING' },
      pauseError: sql.json(paused),
      ...times,
      ...later,
    }
    await sql`insert into campaigns ${sql(row as never)}`
    const error = { code: '131026', title: 'Undeliverable' }
    const messageId = await message(sql, own, { campaignId })
    await sql`insert into recipients ${sql({
      ...{ id: recipientId, workspaceId: own.workspaceId, campaignId, waId: own.waId, status: 'FAILED' },
      ...{ variables: sql.json({ first_name: 'Ines' }), messageId, error: sql.json(error) },
      ...{ skippedReason: 'OPTED_OUT', repliedAt: day(7), updatedAt: day(8) },
    } as never)}`
    const none = { pending: 0, queued: 0, held: 0, unknown: 0, sent: 0, delivered: 0, read: 0 }
    const campaign = {
      ...{ id: encodeId('campaign', campaignId), name: 'Spring', status: 'PAUSED' },
      ...{ numberId: encodeId('number', own.numberId), template: { name: 'offer', language: 'en_US' } },
      ...{ variables: { code: 'A1' }, messagesPerSecond: 20, pauseReason: 'BILLING', pauseError: paused },
      counts: { total: 1, ...none, failed: 1, skipped: 0, cancelled: 0, replied: 1 },
      ...times,
      ...later,
    }
    assert.deepEqual(await read(`/campaigns/${campaign.id}`), campaign)
    assert.deepEqual((await read('/campaigns')).data, [campaign])
    assert.deepEqual((await read(`/campaigns/${campaign.id}/recipients`)).data, [
      {
        ...{
          id: encodeId('recipient', recipientId),
          to: own.waId,
          userId: null,
          variables: { first_name: 'Ines' },
        },
        ...{ status: 'FAILED', messageId: encodeId('message', messageId), error },
        ...{ skippedReason: 'OPTED_OUT', repliedAt: day(7), updatedAt: day(8) },
      },
    ])
  })

  test('conversation, singly and in the list', async () => {
    const { own, read } = await world()
    const permission = { response: 'accept', granted: true, isPermanent: true, source: 'user_action' }
    const messageId = await message(sql, own, { direction: 'INBOUND', type: 'TEXT', createdAt: day(1) })
    await sql`update contacts set name = 'Ines', opt_state = 'opted-out' where id = ${own.contactId}`
    await sql`
      update conversations
      set last_message_id = ${messageId}, unread_count = 3, last_inbound_at = ${day(1)},
        call_permission = ${sql.json(permission)}, created_at = ${day(0)}, updated_at = ${day(2)}
      where id = ${own.conversationId}`
    const record = {
      ...{ id: encodeId('conversation', own.conversationId), numberId: encodeId('number', own.numberId) },
      number: own.number,
      contact: {
        waId: own.waId,
        number: `+${own.waId}`,
        userId: null,
        username: null,
        name: 'Ines',
        optedOut: true,
      },
      lastMessage: {
        ...{ id: encodeId('message', messageId), direction: 'INBOUND', type: 'TEXT', text: 'Hello' },
        at: day(1),
      },
      ...{ unreadCount: 3, lastInboundAt: day(1), windowExpiresAt: '2026-11-21T01:00:00.127Z' },
      ...{ callPermission: { ...permission, expiresAt: null }, createdAt: day(0), updatedAt: day(2) },
    }
    assert.deepEqual(await read(`/conversations/${record.id}`), record)
    assert.deepEqual((await read('/conversations')).data, [record])
  })

  test('number and template, singly and in the list', async () => {
    const { own, read } = await world()
    const [endpointId, templateId] = [await endpoint(sql, own.workspaceId), newId('template')]
    await sql`
      update numbers
      set display_name = 'North Dock', quality_rating = 'GREEN', messages_per_second = 250, is_default = true,
        endpoint_id = ${endpointId}, forward_calls = true, created_at = ${day(0)}
      where id = ${own.numberId}`
    const number = {
      ...{ id: encodeId('number', own.numberId), phoneNumberId: `pn-${own.numberId}`, number: own.number },
      ...{ displayName: 'North Dock', status: 'CONNECTED', qualityRating: 'GREEN', messagesPerSecond: 250 },
      ...{ isDefault: true, forwardCalls: true, createdAt: day(0) },
      replyRouting: { endpointId: encodeId('endpoint', endpointId), endpointName: 'CRM' },
    }
    assert.deepEqual(await read(`/numbers/${number.id}`), number)
    assert.deepEqual((await read('/numbers')).data, [number])
    const named = [{ param_name: 'first_name', example: 'Ines' }]
    const components = [
      { type: 'BODY', text: 'Hi {{first_name}}', example: { body_text_named_params: named } },
    ]
    const row = {
      ...{ id: templateId, workspaceId: own.workspaceId, name: 'order_ready', language: 'en_US' },
      ...{
        category: 'UTILITY',
        status: 'PAUSED',
        parameterFormat: 'NAMED',
        components: sql.json(components),
      },
      ...{ createdAt: day(0), updatedAt: day(1) },
    }
    await sql`insert into templates ${sql(row as never)}`
    const template = {
      ...{ id: encodeId('template', templateId), name: 'order_ready', language: 'en_US' },
      ...{ category: 'UTILITY', status: 'PAUSED', components, createdAt: day(0), updatedAt: day(1) },
      variables: [{ name: 'first_name', example: 'Ines', in: 'BODY', kind: 'TEXT' }],
      optionalVariables: [],
      unsupported: [],
    }
    assert.deepEqual(await read(`/templates/${template.id}`), template)
    assert.deepEqual((await read('/templates')).data, [template])
  })
})
