import assert from 'node:assert/strict'
import { after, before, describe, test } from '../../support/harness.ts'
import {
  ACCOUNT,
  codeOf,
  detailsOf,
  NUMBER,
  NUMBER_ID,
  type Rig,
  startRig,
  templateTo,
  wamidOf,
} from './harness.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
after(() => rig.close())

const orderReady = (parameters: { header: string[]; body: [name: string | undefined, text: string][] }) => ({
  messaging_product: 'whatsapp',
  to: '15551230900',
  type: 'template',
  template: {
    name: 'order_ready',
    language: { code: 'en_US' },
    components: [
      {
        type: 'header',
        parameters: parameters.header.map((text) => ({ type: 'text', parameter_name: 'store', text })),
      },
      {
        type: 'body',
        parameters: parameters.body.map(([name, text]) => ({
          type: 'text',
          text,
          ...(name === undefined ? {} : { parameter_name: name }),
        })),
      },
    ],
  },
})

describe('sending to handsets', () => {
  test('a template is accepted and reported sent, delivered and read with its callback data', async () => {
    const reply = await rig.provider(
      'messages',
      templateTo('+15551230001', { biz_opaque_callback_data: 'msg_1' }),
    )
    assert.equal(reply.status, 200)
    const id = wamidOf(reply)
    const seen = await rig.expect('status', { id }, 3)
    // Each is a request of its own, so two that are sent close together may arrive in either order.
    const order = ['sent', 'delivered', 'read']
    const statuses = order.map((status) => seen.find(({ update }) => update['status'] === status)?.update)
    assert.equal(seen.length, order.length)
    const times = statuses.map((one) => Number(one?.['timestamp']))
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    )
    assert.ok(statuses.every((one) => one?.['biz_opaque_callback_data'] === 'msg_1'))
    assert.equal(statuses[0]?.['recipient_id'], '15551230001')
    const metadata = { display_phone_number: NUMBER, phone_number_id: NUMBER_ID }
    for (const { value } of seen) assert.deepEqual(value['metadata'], metadata)
    assert.deepEqual(rig.receiver.forged, [])
  })

  test('0005 is refused with 130429 three times and then accepted', async () => {
    const codes: unknown[] = []
    for (let n = 0; n < 4; n += 1)
      codes.push(codeOf(await rig.provider('messages', templateTo('15551230005'))))
    assert.deepEqual(codes, [130429, 130429, 130429, undefined])
  })

  test('0009 is held for quality and then dropped with 132015', async () => {
    const reply = await rig.provider('messages', templateTo('15551230009'))
    assert.match(JSON.stringify(reply.body), /held_for_quality_assessment/)
    const [failed] = await rig.expect('status', { id: wamidOf(reply), status: 'failed' })
    assert.match(JSON.stringify(failed?.update['errors']), /132015/)
  })

  test('0011 answers STOP', async () => {
    await rig.provider('messages', templateTo('15551230011'))
    const [stop] = await rig.expect('message', { from: '15551230011' })
    assert.deepEqual(stop?.update['text'], { body: 'STOP' })
  })

  test('a free-form text to a closed window is accepted and fails with 131047, to an open one it arrives', async () => {
    const text = {
      messaging_product: 'whatsapp',
      to: '15551230901',
      type: 'text',
      text: { body: 'On our way' },
    }
    const closed = wamidOf(await rig.provider('messages', text))
    const [failed] = await rig.expect('status', { id: closed, status: 'failed' })
    assert.match(JSON.stringify(failed?.update['errors']), /131047/)
    await rig.control('POST', 'handsets/15551230901/messages', { to: NUMBER, type: 'text', text: 'hi' })
    const open = wamidOf(await rig.provider('messages', text))
    await rig.expect('status', { id: open, status: 'delivered' })
  })

  test('an offline handset gets the message when it is back, and can be told to read it', async () => {
    await rig.control('PUT', 'handsets/15551230902', { online: false })
    const id = wamidOf(await rig.provider('messages', templateTo('15551230902')))
    await rig.expect('status', { id, status: 'sent' })
    const away = await rig.control('POST', 'handsets/15551230902/read')
    assert.equal(away.status, 409)
    await rig.control('PUT', 'handsets/15551230902', { online: true })
    const [delivered] = await rig.expect('status', { id, status: 'delivered' })
    assert.ok(delivered)
    await rig.control('POST', 'handsets/15551230902/read')
    await rig.expect('status', { id, status: 'read' })
  })

  test('the handset shows the template with its values in place', async () => {
    const body: [string, string][] = [
      ['order_number', 'A-1'],
      ['first_name', 'Ines'],
    ]
    const reply = await rig.provider('messages', orderReady({ header: ['North Dock'], body }))
    assert.equal(reply.status, 200)
    const { body: handset } = await rig.control('GET', 'handsets/15551230900')
    assert.match(JSON.stringify(handset['inbox']), /North Dock\\nHi Ines, order A-1 is ready\./)
  })
})

const sendOf = (name: string) =>
  templateTo('15551230900', { template: { name, language: { code: 'en_US' } } })

describe('refusals of a send', () => {
  const named: [string, string][] = [
    ['first_name', 'Ines'],
    ['order_number', 'A-1'],
  ]
  const unnamed: [undefined, string][] = [
    [undefined, 'Ines'],
    [undefined, 'A-1'],
  ]
  const cases: [title: string, body: object, status: number, code: number][] = [
    [
      'an unknown template',
      { ...templateTo('1555123'), template: { name: 'no', language: { code: 'en_US' } } },
      404,
      132001,
    ],
    [
      'an unknown language',
      { ...templateTo('1555123'), template: { name: 'hello_world', language: { code: 'xx' } } },
      404,
      132001,
    ],
    ['a template under review', sendOf('waiting_for_review'), 404, 132001],
    [
      'a paused template',
      { ...templateTo('1555123'), template: { name: 'paused_offer', language: { code: 'en_US' } } },
      400,
      132015,
    ],
    ['a parameter too few', orderReady({ header: ['N'], body: named.slice(0, 1) }), 400, 132000],
    [
      'a wrong parameter name',
      orderReady({
        header: ['N'],
        body: [
          ['first_name', 'I'],
          ['total', '9'],
        ],
      }),
      400,
      132012,
    ],
    ['positional values for a named template', orderReady({ header: ['N'], body: unnamed }), 400, 100],
    [
      'an empty value',
      orderReady({
        header: ['N'],
        body: [
          ['first_name', ''],
          ['order_number', '9'],
        ],
      }),
      400,
      131008,
    ],
    ['no recipient', { ...templateTo('1'), to: undefined }, 400, 100],
    ['another product', templateTo('15551230001', { messaging_product: 'sms' }), 400, 100],
    ['an unknown type', { messaging_product: 'whatsapp', to: '15551230001', type: 'poll' }, 400, 100],
    ['the number itself', templateTo(NUMBER), 400, 131021],
    ['0006', templateTo('15551230006'), 429, 131056],
  ]
  for (const [title, body, status, code] of cases) {
    test(`${title} is refused with ${code}`, async () => {
      const reply = await rig.provider('messages', body)
      assert.deepEqual([reply.status, codeOf(reply)], [status, code], detailsOf(reply))
    })
  }

  test('a wrong token is 401 with 190, a missing one 104, an unknown number 100', async () => {
    const path = `/v23.0/${NUMBER_ID}/messages`
    const wrong = await rig.request('POST', path, templateTo('15551230001'), 'other')
    assert.deepEqual([wrong.status, codeOf(wrong)], [401, 190])
    const bare = await fetch(rig.url + path, { method: 'POST' })
    assert.deepEqual([bare.status, JSON.stringify(await bare.json()).includes('"code":104')], [401, true])
    const foreign = await rig.request('POST', '/v23.0/999999/messages', templateTo('15551230001'))
    assert.deepEqual([foreign.status, codeOf(foreign)], [400, 100])
    const account = await rig.request('GET', `/v23.0/${ACCOUNT}/phone_numbers`)
    assert.equal(account.status, 200)
  })
})
