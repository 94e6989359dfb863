// The requests of a unit are those of the provider, although only what differs is written for each.
import assert from 'node:assert/strict'
import { blank, template } from '../../../bench/scenarios/template.ts'
import { type PlanContext, partiesOf } from '../../../bench/scenarios/work.ts'
import { works } from '../../../bench/scenarios/works.ts'
import { signatureOf } from '../../../src/simulator/webhook-encoding.ts'
import { describe, test } from '../../support/harness.ts'

const contextOf = (id: string): PlanContext => ({
  numbers: [
    { id, digits: '15550001111', transport: 'socket', contacts: ['15551230099', '4915112340099'] },
    { id: `${id}0`, digits: '15550002222', transport: 'socket', contacts: ['15551240099'] },
  ],
  ...{ wabaId: '77', appSecret: 'secret', apiKey: 'key', host: 'localhost:1' },
})

function read(request: Buffer) {
  const [head = '', body = ''] = request.toString('latin1').split('\r\n\r\n')
  const signed = head.includes(`x-hub-signature-256: ${signatureOf('secret', Buffer.from(body, 'latin1'))}`)
  const { entry } = JSON.parse(body)
  return { head, body, signed, waba: entry[0].id, value: entry[0].changes[0].value }
}

describe('a template', () => {
  test('has its blanks filled, one of them twice', () => {
    const fill = template(`${blank('a')}-${blank('b')}-${blank('a')}.`)
    assert.equal(fill({ a: '1', b: '2' }), '1-2-1.')
    assert.equal(fill({ a: '3', b: '' }), '3--3.')
    assert.equal(template('plain')({}), 'plain')
  })
})

describe('the webhooks of a unit', () => {
  test('name their own number and customer, have an id of their own, and are signed', () => {
    const context = contextOf('900')
    const seen = new Set<string>()
    for (const index of [0, 1, 2, 3]) {
      const { number, waId } = partiesOf(context, index)
      const [shot] = works.event.unit(context, index, 0)
      const { head, body, signed, waba, value } = read(shot?.request ?? Buffer.alloc(0))
      const [message] = value.messages
      assert.ok(signed && head.endsWith(`content-length: ${body.length}`))
      assert.deepEqual(
        [waba, value.metadata, value.contacts[0].wa_id, value.contacts[0].profile.name, message.from],
        [
          '77',
          { display_phone_number: number.digits, phone_number_id: number.id },
          ...[waId, `Handset ${waId.slice(-7)}`, waId],
        ],
      )
      assert.deepEqual([message.id, message.text.body.length], [`wamid.${shot?.id}`, 60])
      assert.ok(message.text.body.startsWith(`${shot?.id} `))
      assert.ok(Math.abs(Number(message.timestamp) - Date.now() / 1e3) < 2)
      assert.doesNotMatch(body, /[{]{2}/)
      seen.add(shot?.id ?? '')
    }
    assert.equal(seen.size, 4)
  })

  test('of a call are its connect with an offer of the size that is asked for, and its end', () => {
    const [first, second] = works.ringing.unit({ ...contextOf('900'), bytes: 5_000 }, 1, 0)
    const [connect, terminate] = [first, second].map((shot) => read(shot?.request ?? Buffer.alloc(0)))
    const [begun, ended] = [connect?.value.calls[0], terminate?.value.calls[0]]
    assert.deepEqual(
      [begun.id, ended.id, begun.event, ended.event],
      [...[`wacid.${first?.id}`, `wacid.${first?.id}`, 'connect', 'terminate']],
    )
    assert.ok(connect?.signed && terminate?.signed)
    assert.ok(begun.session.sdp.length >= 5_000 && begun.session.sdp.length < 5_300)
    assert.deepEqual([begun.to, ended.status], ['15550002222', 'COMPLETED'])
  })

  test('are those of their context, also after another one', () => {
    for (const id of ['900', '800']) {
      const [shot] = works.event.unit(contextOf(id), 0, 0)
      assert.equal(read(shot?.request ?? Buffer.alloc(0)).value.metadata.phone_number_id, id)
    }
  })
})
