import assert from 'node:assert/strict'
import { after, before, describe, test } from '../../support/harness.ts'
import { ACCOUNT, codeOf, NUMBER_ID, type Reply, type Rig, startRig, templateTo } from './harness.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
after(() => rig.close())

const account = (method: string, edge: string, body?: unknown): Promise<Reply> =>
  rig.request(method, `/v24.0/${ACCOUNT}/${edge}`, body)

const draft = (name: string, extra: object = {}) => ({
  name,
  language: 'en_US',
  category: 'utility',
  components: [{ type: 'body', text: 'Your order {{1}} is here.', example: { body_text: [['A-1']] } }],
  ...extra,
})

describe('templates', () => {
  test('pages follow one another through the cursors without gap or repetition', async () => {
    const names: string[] = []
    let after: string | undefined
    do {
      const page = await account(
        'GET',
        `message_templates?limit=3&fields=name,language${after ? `&after=${after}` : ''}`,
      )
      const data = page.body['data'] as { name: string; language: string }[]
      assert.ok(data.length <= 3)
      names.push(...data.map(({ name, language }) => `${name}/${language}`))
      const paging = page.body['paging'] as { cursors: { after: string }; next?: string }
      after = paging.next === undefined ? undefined : paging.cursors.after
    } while (after !== undefined)
    assert.equal(new Set(names).size, names.length)
    assert.ok(names.includes('order_ready/en_US') && names.includes('order_ready/pt_PT'))
  })

  test('a list has the asked-for figures of the account beside it', async () => {
    const { body } = await account(
      'GET',
      'message_templates?limit=1&summary=total_count,message_template_limit',
    )
    const all = await account('GET', 'message_templates?limit=500')
    const total = (all.body['data'] as unknown[]).length
    assert.deepEqual(body['summary'], { total_count: total, message_template_limit: 6000 })
    assert.equal('summary' in all.body, false)
  })

  test('a new template is pending, is approved after review, and can then be sent', async () => {
    const { status, body } = await account('POST', 'message_templates', draft('parcel_here'))
    assert.deepEqual([status, body['status'], body['category']], [200, 'PENDING', 'UTILITY'])
    const send = templateTo('15551230400', {
      template: {
        name: 'parcel_here',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-9' }] }],
      },
    })
    await rig.expect('other', { message_template_id: Number(body['id']), event: 'APPROVED', reason: 'NONE' })
    assert.equal((await rig.provider('messages', send)).status, 200)
    const one = await rig.request('GET', `/v24.0/${body['id']}?fields=status`)
    assert.deepEqual(one.body, { status: 'APPROVED', id: body['id'] })
  })

  test('a name that says reject is rejected, and a status can be set and is reported', async () => {
    const { body } = await account('POST', 'message_templates', draft('reject_me'))
    await rig.expect('other', { message_template_id: Number(body['id']), event: 'REJECTED' })
    await rig.control('POST', `templates/${body['id']}/status`, { status: 'PAUSED' })
    await rig.expect('other', { message_template_id: Number(body['id']), event: 'PAUSED' })
  })

  test('a repeated name, a missing example and a bad name are refused', async () => {
    const bare = [{ type: 'body', text: 'Your order {{1}} is here.' }]
    for (const body of [draft('hello_world'), draft('no_example', { components: bare }), draft('Bad Name')]) {
      assert.equal(codeOf(await account('POST', 'message_templates', body)), 100)
    }
  })

  test('a deleted template is gone in all its languages', async () => {
    assert.deepEqual((await account('DELETE', 'message_templates?name=spring_sale')).body, { success: true })
    assert.deepEqual((await account('GET', 'message_templates?name=spring_sale')).body['data'], [])
  })
})

describe('numbers and settings', () => {
  test('a number shows the asked-for fields, written for people', async () => {
    const fields = 'display_phone_number,throughput,whatsapp_business_manager_messaging_limit'
    const { body } = await rig.request('GET', `/v24.0/${NUMBER_ID}?fields=${fields}`)
    assert.deepEqual(body, {
      display_phone_number: '+1 555-000-1111',
      throughput: { level: 'STANDARD' },
      whatsapp_business_manager_messaging_limit: 'TIER_2K',
      id: NUMBER_ID,
    })
  })

  test('settings accept either case, keep what was not named and report the change', async () => {
    const reply = await rig.provider('settings', { calling: { callback_permission_status: 'enabled' } })
    assert.deepEqual(reply.body, { success: true })
    await rig.expect('other', { type: 'phone_number_settings' })
    const { body } = await rig.request('GET', `/v24.0/${NUMBER_ID}/settings`)
    const { status, callback_permission_status } = body['calling'] as Record<string, unknown>
    assert.deepEqual([status, callback_permission_status], ['ENABLED', 'ENABLED'])
  })

  test('opening hours that close before they open are refused', async () => {
    const hours = [{ day_of_week: 'MONDAY', open_time: '1200', close_time: '0800' }]
    const call_hours = { status: 'ENABLED', timezone_id: 'Europe/Lisbon', weekly_operating_hours: hours }
    assert.equal(codeOf(await rig.provider('settings', { calling: { call_hours } })), 100)
  })
})

describe('requests to nothing', () => {
  const errorOf = async (path: string, method = 'GET') => {
    const { status, body } = await rig.request(method, path)
    const { message, fbtrace_id, ...rest } = body['error'] as Record<string, unknown>
    assert.match(String(fbtrace_id), /^A/)
    return { status, message: String(message), rest }
  }

  test('an object that is not there, or not visible, is a GraphMethodException with subcode 33', async () => {
    for (const [path, method] of [
      ['/v24.0/999999', 'GET'],
      ['/v24.0/999999/messages', 'POST'],
      ['/v24.0/999999/phone_numbers', 'GET'],
      ['/v24.0/999999', 'DELETE'],
    ] as const) {
      const { status, message, rest } = await errorOf(path, method)
      assert.equal(status, 400)
      assert.match(
        message,
        new RegExp(`^Unsupported ${method.toLowerCase()} request. Object with ID '999999' does not exist`),
      )
      assert.deepEqual(rest, { type: 'GraphMethodException', code: 100, error_subcode: 33 })
    }
  })

  test('an edge that an object does not have is 2500', async () => {
    const { rest } = await errorOf(`/v24.0/${NUMBER_ID}/nothing`)
    assert.deepEqual(rest, { type: 'OAuthException', code: 2500 })
  })

  test('a path without a version, and one with any, is the same', async () => {
    const answers = await Promise.all(
      ['', '/v19.0', '/v26.0'].map((version) =>
        rig.request('GET', `${version}/${NUMBER_ID}?fields=verified_name`),
      ),
    )
    for (const { body } of answers) assert.deepEqual(body, { verified_name: 'North Dock', id: NUMBER_ID })
  })
})

describe('subscriptions', () => {
  test('an override address is verified with the challenge before it is taken', async () => {
    const override_callback_uri = rig.receiver.url
    const wrong = await account('POST', 'subscribed_apps', { override_callback_uri, verify_token: 'wrong' })
    assert.equal(wrong.status, 400)
    const right = await account('POST', 'subscribed_apps', { override_callback_uri })
    assert.deepEqual(right.body, { success: true })
    const listed = await account('GET', 'subscribed_apps')
    assert.match(JSON.stringify(listed.body), /whatsapp_business_api_data/)
    const { body } = await rig.control('POST', 'verify')
    assert.deepEqual(body['results'], [{ url: rig.receiver.url, status: 200, ok: true }])
  })

  test('without a subscription nothing is delivered', async () => {
    await account('DELETE', 'subscribed_apps')
    const to = '15550001111'
    const quiet = await rig.control('POST', 'handsets/15551230401/messages', {
      to,
      type: 'text',
      text: 'one',
    })
    await account('POST', 'subscribed_apps')
    const loud = await rig.control('POST', 'handsets/15551230401/messages', { to, type: 'text', text: 'two' })
    await rig.expect('message', { id: loud.body['id'] })
    assert.equal(rig.matching('message', { id: quiet.body['id'] }).length, 0)
  })
})
