// What people and the provider do beside plain messages.
import assert from 'node:assert/strict'
import { after, before, describe, test } from '../../support/harness.ts'
import { ACCOUNT, NUMBER, NUMBER_ID, type Rig, startRig, templateTo, wamidOf } from './harness.ts'
import type { Loose, Seen } from './receiver.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
after(() => rig.close())

const control = async (path: string, body: unknown): Promise<Loose> => {
  const reply = await rig.control('POST', path, body)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body
}

const write = async (waId: string, body: Loose): Promise<Seen> => {
  const { id } = await control(`handsets/${waId}/messages`, { to: NUMBER, ...body })
  const [seen] = await rig.expect('message', { id })
  assert.ok(seen)
  return seen
}

/** The latest webhook of this field. */
const ofField = async (field: string, suits: (value: Loose) => boolean = () => true): Promise<Loose> => {
  const found = () => rig.receiver.seen.findLast((seen) => seen.field === field && suits(seen.value))
  await rig.receiver.until(
    () => found() !== undefined,
    () => field,
  )
  return found()?.value ?? {}
}

/** Sends the content to the handset inside its window. Returns the wamid. */
async function sendTo(to: string, type: string, content: unknown): Promise<string> {
  const reply = await rig.provider('messages', { messaging_product: 'whatsapp', to, type, [type]: content })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return wamidOf(reply)
}

describe('marketing preferences', () => {
  test('stop refuses marketing templates with 131050 and no others, until resume', async () => {
    const to = '15551230860'
    const { userId } = await control('handsets', { waId: to })
    const sale = templateTo(to, {
      template: {
        name: 'spring_sale',
        language: { code: 'en_US' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', parameter_name: 'first_name', text: 'I' },
              { type: 'text', parameter_name: 'discount', text: '5' },
            ],
          },
        ],
      },
    })
    await control(`handsets/${to}/preferences`, { to: NUMBER, value: 'stop' })
    const told = await ofField('user_preferences')
    assert.deepEqual(told['contacts'], [{ wa_id: to, user_id: userId }])
    const [preference] = told['user_preferences'] as Loose[]
    assert.deepEqual(
      { ...preference, timestamp: typeof preference?.['timestamp'] },
      {
        wa_id: to,
        user_id: userId,
        category: 'marketing_messages',
        value: 'stop',
        detail: 'User requested to stop marketing messages',
        timestamp: 'number',
      },
    )
    const [failed] = await rig.expect('status', {
      id: wamidOf(await rig.provider('messages', sale)),
      status: 'failed',
    })
    assert.match(JSON.stringify(failed?.update['errors']), /131050/)
    const utility = wamidOf(await rig.provider('messages', templateTo(to)))
    await rig.expect('status', { id: utility, status: 'delivered' })
    await control(`handsets/${to}/preferences`, { to: NUMBER, value: 'resume' })
    const again = wamidOf(await rig.provider('messages', sale))
    await rig.expect('status', { id: again, status: 'delivered' })
  })
})

describe('what happens to messages', () => {
  const waId = '15551230861'

  test('an edit and a revoke name the message, and the handset shows them', async () => {
    const { update } = await write(waId, { type: 'text', text: 'frist' })
    const edited = await write(waId, { type: 'edit', replyTo: update['id'], text: 'first' })
    assert.deepEqual(edited.update['edit'], {
      original_message_id: update['id'],
      message: { type: 'text', text: { body: 'first' } },
    })
    const revoked = await write(waId, { type: 'revoke', replyTo: update['id'] })
    assert.deepEqual(revoked.update['revoke'], { original_message_id: update['id'] })
    const { body } = await rig.control('GET', `handsets/${waId}`)
    const [item] = body['outbox'] as Loose[]
    assert.deepEqual([item?.['text'], item?.['isRevoked']], ['first', true])
  })

  test('a removed reaction has no emoji', async () => {
    const removed = await write(waId, { type: 'reaction', replyTo: 'wamid.OUT', text: '' })
    assert.deepEqual(removed.update['reaction'], { message_id: 'wamid.OUT' })
  })

  test('a message in a group has its id and opens no window', async () => {
    const member = '15551230862'
    const { update } = await write(member, { type: 'text', text: 'stop', groupId: 'group-1' })
    assert.deepEqual([update['group_id'], update['from']], ['group-1', member])
    const id = await sendTo(member, 'text', { body: 'b' })
    const [failed] = await rig.expect('status', { id, status: 'failed' })
    assert.match(JSON.stringify(failed?.update['errors']), /131047/)
  })

  test('what the business writes with its own app comes as an echo and stands in the inbox', async () => {
    const { id } = await control(`handsets/${waId}/echoes`, { from: NUMBER, text: 'From the shop' })
    const value = await ofField('smb_message_echoes')
    const [message] = value['message_echoes'] as Loose[]
    assert.deepEqual(
      [message?.['id'], message?.['from'], message?.['to'], message?.['text']],
      [id, NUMBER, waId, { body: 'From the shop' }],
    )
    const { body } = await rig.control('GET', `handsets/${waId}`)
    assert.equal((body['inbox'] as Loose[]).at(-1)?.['text'], 'From the shop')
  })
})

describe('what the user taps', () => {
  const waId = '15551230863'
  const action = (type: string, given: Loose) => ({ type, body: { text: 'B' }, action: given })
  before(() => write(waId, { type: 'text', text: 'hi' }))

  const tap = async (content: unknown, extra: Loose = {}): Promise<Loose> => {
    const sent = await sendTo(waId, 'interactive', content)
    const { id } = await control(`handsets/${waId}/choose`, { id: sent, ...extra })
    const [seen] = await rig.expect('message', { id })
    assert.deepEqual(seen?.update['context'], { from: NUMBER, id: sent })
    return seen?.update ?? {}
  }

  test('a reply button and a row come back with their ids', async () => {
    const buttons = ['keep', 'move'].map((id) => ({ type: 'reply', reply: { id, title: id } }))
    const button = await tap(action('button', { buttons }), { choice: 'move' })
    assert.deepEqual(button['interactive'], {
      type: 'button_reply',
      button_reply: { id: 'move', title: 'move' },
    })
    const sections = [{ rows: [{ id: 'r', title: 'R', description: 'D' }] }]
    const row = await tap(action('list', { button: 'Open', sections }))
    assert.deepEqual(row['interactive'], {
      type: 'list_reply',
      list_reply: { id: 'r', title: 'R', description: 'D' },
    })
  })

  test('a flow comes back with its token and what was filled in', async () => {
    const parameters = { flow_message_version: '3', flow_cta: 'Start', flow_id: '1', flow_token: 'tok' }
    const done = await tap(action('flow', { name: 'flow', parameters }), { response: { size: 'L' } })
    const { nfm_reply: reply } = done['interactive'] as { nfm_reply: { name: string; response_json: string } }
    assert.deepEqual(
      [reply.name, JSON.parse(reply.response_json)],
      ['flow', { flow_token: 'tok', size: 'L' }],
    )
  })

  test('an order, a place and the own number come back', async () => {
    const ordered = await tap(action('product', { catalog_id: '7', product_retailer_id: 'sku-1' }))
    assert.deepEqual(ordered['order'], {
      catalog_id: '7',
      text: '',
      product_items: [{ product_retailer_id: 'sku-1', quantity: 1, item_price: 30, currency: 'EUR' }],
    })
    const placed = await tap(action('location_request_message', { name: 'send_location' }), { latitude: 1 })
    assert.deepEqual(placed['location'], { latitude: 1, longitude: -9.1 })
    const shared = await tap(action('request_contact_info', { name: 'request_contact_info' }))
    assert.deepEqual(shared['contacts'], [
      { origin: 'contact_request', phones: [{ phone: `+${waId}`, wa_id: waId, type: 'CELL' }] },
    ])
  })

  test('a quick reply of a template comes back with its payload', async () => {
    const sent = await sendTo(waId, 'template', {
      name: 'appointment_reminder',
      language: { code: 'en_US' },
      components: [
        { type: 'body', parameters: ['a', 'b'].map((text) => ({ type: 'text', text })) },
        {
          type: 'button',
          ...{ sub_type: 'quick_reply', index: 0, parameters: [{ type: 'payload', payload: 'KEEP' }] },
        },
        { type: 'button', sub_type: 'url', index: 1, parameters: [{ type: 'text', text: '7' }] },
      ],
    })
    const { id } = await control(`handsets/${waId}/choose`, { id: sent })
    const [seen] = await rig.expect('message', { id })
    assert.deepEqual(seen?.update['button'], { payload: 'KEEP', text: 'Keep' })
  })

  test('under a plain text there is nothing to tap', async () => {
    const sent = await sendTo(waId, 'text', { body: 'b' })
    assert.equal((await rig.control('POST', `handsets/${waId}/choose`, { id: sent })).status, 409)
  })
})

describe('events of the account', () => {
  test('each field is reported by its name, complete, with what was asked for in it', async () => {
    const { body } = await rig.control('GET', 'account')
    const fields = body['fields'] as string[]
    assert.ok(fields.length > 15)
    for (const field of fields.filter((one) => one !== 'errors')) {
      await control(`account/${field}`, { note: field })
      const value = await ofField(field, ({ note }) => note === field)
      assert.ok(Object.keys(value).length > 1, field)
      assert.equal('metadata' in value, false, field)
    }
    assert.equal((await rig.control('POST', 'account/unheard_of', {})).status, 404)
  })

  test('an account update has the content of its kind, and a time', async () => {
    await control('account/account_update', { event: 'DISABLED_UPDATE' })
    const value = await ofField('account_update', ({ event }) => event === 'DISABLED_UPDATE')
    assert.equal((value['ban_info'] as Loose)['waba_ban_state'], 'DISABLE')
    const bodies = rig.receiver.bodies.filter((text) => text.includes('DISABLED_UPDATE'))
    const [{ id, time }] = (JSON.parse(bodies[0] ?? '{}') as { entry: [Loose] }).entry
    assert.deepEqual([id, typeof time], [ACCOUNT, 'number'])
  })

  test('limits and scores are then what the account shows', async () => {
    const limit = 'TIER_UNLIMITED'
    await control('account/business_capability_update', { max_daily_conversations_per_business: limit })
    await control('account/phone_number_quality_update', {})
    const fields = 'throughput,whatsapp_business_manager_messaging_limit'
    const { body } = await rig.request('GET', `/v24.0/${NUMBER_ID}?fields=${fields}`)
    assert.deepEqual(body, {
      throughput: { level: 'HIGH' },
      whatsapp_business_manager_messaging_limit: limit,
      id: NUMBER_ID,
    })
  })

  test('an edited template has its new text in the list', async () => {
    await control('account/message_template_components_update', { message_template_element: 'Edited.' })
    const { message_template_name: name } = await ofField(
      'message_template_components_update',
      ({ message_template_element: text }) => text === 'Edited.',
    )
    const { body } = await rig.request('GET', `/v24.0/${ACCOUNT}/message_templates?name=${name}`)
    assert.match(JSON.stringify(body), /"text":"Edited\."/)
  })

  test('a payment problem is an error that names a number and nobody', async () => {
    await control('account/errors', { code: 131042 })
    const value = await ofField('messages', ({ errors }) => errors !== undefined)
    assert.match(JSON.stringify(value['errors']), /131042/)
    assert.equal((value['metadata'] as Loose)['phone_number_id'], NUMBER_ID)
  })
})

describe('webhooks that are given as they are', () => {
  test('any value of any field, and any body, is signed and sent', async () => {
    await control('webhooks', { field: 'not_yet_known', value: { a: ['é/'] }, entryId: '9', time: 5 })
    assert.deepEqual(await ofField('not_yet_known'), { a: ['é/'] })
    const raw = rig.receiver.bodies.find((text) => text.includes('not_yet_known')) ?? ''
    assert.ok(raw.includes('\\u00e9\\/') && raw.includes('"time":5'))
    const body = { object: 'whatsapp_business_account', entry: [{ id: 'odd', changes: [] }] }
    await control('webhooks', { body })
    await rig.receiver.until(
      () => rig.receiver.bodies.includes(JSON.stringify(body)),
      () => 'the body as it was given',
    )
    assert.deepEqual(rig.receiver.forged, [])
    assert.equal((await rig.control('POST', 'webhooks', {})).status, 400)
  })
})
