import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { accepted, account, json, type Seen, withRig } from './rig.ts'

const success = json(200, { messaging_product: 'whatsapp', success: true })
const template = { name: 'pier_notice', language: 'pt_PT', components: [] }
const firstOf = (seen: readonly Seen[]): Seen => {
  const [request] = seen
  if (request === undefined) throw new Error('nothing arrived')
  return request
}

describe('a template message', () => {
  test('arrives as the provider wants it, with the token and what shall come back', async () => {
    const components = [
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'pier', text: 'Cais é 4' }] },
    ]
    await withRig(accepted, async ({ api, seen }) => {
      const message = { to: '+351910000077', template: { ...template, components }, opaque: 'msg_1' }
      assert.deepEqual(await api.sendTemplate(account, message), {
        type: 'ok',
        value: { providerMessageId: 'wamid.A1', held: false, recipientPhone: null },
      })
      const request = firstOf(seen)
      assert.deepEqual([request.method, request.url], ['POST', '/v24.0/880000000000001/messages'])
      assert.equal(request.headers.authorization, 'Bearer token-for-tests')
      assert.equal(request.headers['content-type'], 'application/json')
      assert.deepEqual(request.body, {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: '+351910000077',
        type: 'template',
        template: { name: 'pier_notice', language: { code: 'pt_PT' }, components },
        biz_opaque_callback_data: 'msg_1',
      })
    })
  })

  test('without parameters has no components at all', async () => {
    await withRig(accepted, async ({ api, seen }) => {
      await api.sendTemplate(account, { to: '+351910000077', template, opaque: 'msg_1' })
      const { template: sent } = firstOf(seen).body as { template: object }
      assert.deepEqual(sent, { name: 'pier_notice', language: { code: 'pt_PT' } })
    })
  })

  test('that the provider keeps back for its quality is held', async () => {
    const held = json(200, { messages: [{ id: 'wamid.A1', message_status: 'held_for_quality_assessment' }] })
    await withRig(held, async ({ api }) => {
      const result = await api.sendTemplate(account, { to: '+351910000077', template, opaque: 'msg_1' })
      assert.deepEqual(result, {
        type: 'ok',
        value: { providerMessageId: 'wamid.A1', held: true, recipientPhone: null },
      })
    })
  })
})

describe('a person without a number', () => {
  test('is given by the user id as recipient, and never as a number', async () => {
    const to = 'PT.44100928'
    await withRig(accepted, async ({ api, seen }) => {
      await api.sendTemplate(account, { to, template, opaque: 'msg_1' })
      await api.sendMessage(account, {
        to,
        content: { kind: 'text', body: 'Hi', previewUrl: false },
        about: null,
        opaque: 'msg_2',
      })
      await api.requestCallPermission(account, { to, opaque: 'msg_3' })
      await api.placeCall(account, { to, sdp: 'v=0\r\n', opaque: 'call_1' })
      for (const { body } of seen) {
        const { recipient, to: number } = body as { recipient?: string; to?: string }
        assert.deepEqual([recipient, number], [to, undefined])
      }
      assert.equal(seen.length, 4)
      await api.callPermission(account, to)
      assert.match(seen.at(-1)?.url ?? '', /\?recipient=PT\.44100928$/)
    })
  })
})

describe('a message', () => {
  test('is marked as read, with the typing indicator where asked for', async () => {
    await withRig(success, async ({ api, seen }) => {
      const read = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.U1' }
      assert.deepEqual(await api.markRead(account, 'wamid.U1'), { type: 'ok', value: null })
      await api.markRead(account, 'wamid.U1', { typing: true })
      assert.deepEqual(
        seen.map(({ body }) => body),
        [read, { ...read, typing_indicator: { type: 'text' } }],
      )
    })
  })

  test('asks for the permission to call', async () => {
    await withRig(accepted, async ({ api, seen }) => {
      await api.requestCallPermission(account, { to: '+351910000077', text: 'May we call?', opaque: 'msg_2' })
      const { interactive } = firstOf(seen).body as { interactive: object }
      assert.deepEqual(interactive, {
        type: 'call_permission_request',
        action: { name: 'call_permission_request' },
        body: { text: 'May we call?' },
      })
    })
  })
})

describe('a call', () => {
  test('is placed with its offer', async () => {
    await withRig(json(200, { calls: [{ id: 'wacid.C1' }] }), async ({ api, seen }) => {
      const placed = await api.placeCall(account, { to: '+351910000077', sdp: 'v=0\r\n', opaque: 'call_1' })
      assert.deepEqual(placed, { type: 'ok', value: { wacid: 'wacid.C1' } })
      assert.deepEqual(firstOf(seen).body, {
        messaging_product: 'whatsapp',
        action: 'connect',
        to: '+351910000077',
        session: { sdp_type: 'offer', sdp: 'v=0\r\n' },
        biz_opaque_callback_data: 'call_1',
      })
    })
  })

  test('is taken, accepted, rejected and ended by its id', async () => {
    await withRig(success, async ({ api, seen }) => {
      await api.preAccept(account, 'wacid.C1', 'v=0\r\n')
      await api.accept(account, 'wacid.C1', 'v=0\r\n', 'call_1')
      await api.reject(account, 'wacid.C1')
      await api.terminate(account, 'wacid.C1')
      const session = { sdp_type: 'answer', sdp: 'v=0\r\n' }
      const call = { messaging_product: 'whatsapp', call_id: 'wacid.C1' }
      assert.deepEqual(
        seen.map(({ body }) => body),
        [
          { ...call, action: 'pre_accept', session },
          { ...call, action: 'accept', session, biz_opaque_callback_data: 'call_1' },
          { ...call, action: 'reject' },
          { ...call, action: 'terminate' },
        ],
      )
      assert.equal(
        seen.every(({ url }) => url === '/v24.0/880000000000001/calls'),
        true,
      )
    })
  })

  test('is allowed for as long as the provider says', async () => {
    const body = {
      permission: { status: 'temporary', expiration_time: 1_790_604_800 },
      actions: [
        { action_name: 'send_call_permission_request', can_perform_action: false, limits: [] },
        { action_name: 'start_call', can_perform_action: true, limits: [] },
      ],
    }
    await withRig(json(200, body), async ({ api, seen }) => {
      assert.deepEqual(await api.callPermission(account, '351910000077'), {
        type: 'ok',
        value: {
          status: 'TEMPORARY',
          expiresAt: new Date(1_790_604_800_000),
          mayCall: true,
          mayRequest: false,
        },
      })
      assert.equal(firstOf(seen).url, '/v24.0/880000000000001/call_permissions?user_wa_id=351910000077')
    })
  })
})

describe('the account', () => {
  test('lists its numbers in international form', async () => {
    const number = {
      id: '880000000000001',
      display_phone_number: '+1 555-000-3333',
      verified_name: 'North Pier',
      quality_rating: 'GREEN',
      status: 'CONNECTED',
      throughput: { level: 'HIGH' },
    }
    await withRig(json(200, { data: [number] }), async ({ api }) => {
      assert.deepEqual(await api.listNumbers(account), {
        type: 'ok',
        value: [
          {
            phoneNumberId: '880000000000001',
            number: '+15550003333',
            displayName: 'North Pier',
            status: 'CONNECTED',
            qualityRating: 'GREEN',
            messagesPerSecond: 1000,
            messagingLimit: null,
          },
        ],
      })
    })
  })

  test('submits a template', async () => {
    await withRig(json(200, { id: '42', status: 'PENDING', category: 'UTILITY' }), async ({ api, seen }) => {
      const created = await api.createTemplate(account, {
        name: 'pier_notice',
        language: 'pt_PT',
        category: 'UTILITY',
        parameterFormat: 'NAMED',
        components: [{ type: 'BODY', text: 'Hello' }],
      })
      const value = { providerTemplateId: '42', status: 'PENDING', category: 'UTILITY' }
      assert.deepEqual(created, { type: 'ok', value })
      assert.equal((firstOf(seen).body as { parameter_format: string }).parameter_format, 'NAMED')
    })
  })

  test('without a business account asks for nothing', async () => {
    await withRig(accepted, async ({ api, seen }) => {
      const result = await api.listTemplates({ ...account, wabaId: null })
      assert.equal(result.type === 'refused' && result.error.code, 'NO_BUSINESS_ACCOUNT')
      assert.equal(seen.length, 0)
    })
  })
})

test('a request leaves one line: what, for whom, how long, and neither token nor content', async () => {
  const refused = json(
    401,
    { error: { code: 190, message: 'Malformed access token token-for-tests' } },
    { 'x-fb-trace-id': 'trace-1' },
  )
  await withRig(refused, async ({ api, lines, records }) => {
    await api.placeCall(account, { to: '+351910000077', sdp: 'v=0\r\ns=secret', opaque: 'call_1' })
    assert.equal(lines.length, 1)
    const { msg, operation, outcome, code, errorClass, traceId } = JSON.parse(lines[0] ?? '') as Record<
      string,
      unknown
    >
    assert.deepEqual(
      [msg, operation, outcome, code, errorClass, traceId],
      ['provider.requested', 'call.connect', 'refused', '190', 'account', 'trace-1'],
    )
    assert.doesNotMatch(lines.join(), /token-for-tests|secret|351910000077/)
    assert.equal(records.length, 1)
  })
})
