// People as the provider names them since 2026: a user id always, a number only if they show it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from '../../support/harness.ts'
import {
  codeOf,
  NUMBER,
  NUMBER_ID,
  type Rig,
  sdp,
  startRig,
  templateTo,
  wacidOf,
  wamidOf,
} from './harness.ts'
import type { Loose } from './receiver.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
after(() => rig.close())

const write = async (address: string, extra: Loose = {}): Promise<string> => {
  const body = { to: NUMBER, type: 'text', text: 'hi', ...extra }
  const reply = await rig.control('POST', `handsets/${address}/messages`, body)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return String(reply.body['id'])
}

const make = async (body: Loose): Promise<Loose> => {
  const reply = await rig.control('POST', 'handsets', body)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body
}

const toId = (recipient: string, extra: Loose = {}): Loose => ({
  ...templateTo('', extra),
  to: undefined,
  recipient,
})

const withoutTimes = ({ timestamp: _, conversation: __, pricing: ___, ...rest }: Loose): Loose => rest

describe('a user without a visible number', () => {
  const userId = 'PT.44100928'
  before(async () => {
    await make({ userId, username: 'ines.p', name: 'Ines Prado' })
  })

  test('writes with the id and the username, and without from and wa_id', async () => {
    const id = await write(userId)
    const [seen] = await rig.expect('message', { id })
    assert.deepEqual(withoutTimes(seen?.update ?? {}), {
      from_user_id: userId,
      id,
      type: 'text',
      text: { body: 'hi' },
    })
    assert.deepEqual(seen?.value['contacts'], [
      { profile: { name: 'Ines Prado', username: 'ines.p' }, user_id: userId },
    ])
  })

  test('is sent to as recipient; the answer and the statuses have the id alone, the username once it arrived', async () => {
    const reply = await rig.provider('messages', toId(userId))
    assert.equal(reply.status, 200)
    const id = wamidOf(reply)
    assert.deepEqual(reply.body['contacts'], [{ input: userId, user_id: userId }])
    const [delivered] = await rig.expect('status', { id, status: 'delivered' })
    const [sent] = await rig.expect('status', { id, status: 'sent' })
    assert.deepEqual(withoutTimes(sent?.update ?? {}), { id, status: 'sent', recipient_user_id: userId })
    assert.deepEqual(sent?.value['contacts'], [{ profile: { name: 'Ines Prado' }, user_id: userId }])
    assert.deepEqual(delivered?.value['contacts'], [
      { profile: { name: 'Ines Prado', username: 'ines.p' }, user_id: userId },
    ])
  })

  test('calls with the id, and is called by it', async () => {
    const { body } = await rig.control('POST', `handsets/${userId}/calls`, { to: NUMBER })
    const id = body['wacid']
    const [rings] = await rig.expect('call', { id, event: 'connect' })
    assert.deepEqual([rings?.update['from'], rings?.update['from_user_id']], [undefined, userId])
    assert.deepEqual(rings?.value['contacts'], [
      { profile: { name: 'Ines Prado', username: 'ines.p' }, user_id: userId },
    ])
    await rig.control('POST', `calls/${id}/hangup`)
    const [ended] = await rig.expect('call', { id, event: 'terminate' })
    assert.equal(ended?.update['from_user_id'], userId)

    const placed = await rig.provider('calls', {
      messaging_product: 'whatsapp',
      action: 'connect',
      recipient: userId,
      session: { sdp_type: 'offer', sdp: sdp('actpass') },
    })
    const outbound = wacidOf(placed)
    const [connected] = await rig.expect('call', { id: outbound, event: 'connect' })
    assert.deepEqual([connected?.update['to'], connected?.update['to_user_id']], [undefined, userId])
    assert.deepEqual(connected?.value['contacts'], [{ profile: { username: 'ines.p' }, user_id: userId }])
    const [ringing] = await rig.expect('status', { id: outbound, status: 'RINGING' })
    assert.deepEqual(withoutTimes(ringing?.update ?? {}), {
      id: outbound,
      type: 'call',
      status: 'RINGING',
      recipient_user_id: userId,
    })
  })

  test('decides about calls, and its permission is asked for by the id', async () => {
    const answered = await rig.control('POST', `handsets/${userId}/permission`, {
      to: NUMBER,
      response: 'reject',
    })
    const [seen] = await rig.expect('message', { id: answered.body['id'] })
    assert.deepEqual([seen?.update['from'], seen?.update['from_user_id']], [undefined, userId])
    const path = `/v24.0/${NUMBER_ID}/call_permissions?recipient=${userId}`
    assert.equal(((await rig.request('GET', path)).body['permission'] as Loose)['status'], 'no_permission')
  })

  test('in to, the id is answered 200 with a wamid, and the message is lost', async () => {
    const lost = await rig.provider('messages', templateTo(userId))
    assert.deepEqual(lost.body['contacts'], [{ input: userId, wa_id: '44100928' }])
    // What was sent after it has arrived, so the lost one would have been heard of.
    const next = wamidOf(await rig.provider('messages', toId(userId)))
    await rig.expect('status', { id: next, status: 'delivered' })
    assert.equal(rig.matching('status', { id: wamidOf(lost) }).length, 0)
  })

  test('no authentication template, no id of another portfolio, nobody: refused', async () => {
    const template = {
      name: 'login_code',
      language: { code: 'en_US' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: '123456' }] }],
    }
    const { body } = await rig.request('POST', '/v24.0/102290129340398/message_templates', {
      name: 'login_code',
      language: 'en_US',
      category: 'AUTHENTICATION',
      components: [{ type: 'BODY', text: 'Your code is {{1}}.', example: { body_text: [['1']] } }],
    })
    await rig.control('POST', `templates/${body['id']}/status`, { status: 'APPROVED' })
    assert.equal(codeOf(await rig.provider('messages', toId(userId, { template }))), 131062)
    assert.equal((await rig.provider('messages', templateTo('15551230001', { template }))).status, 200)
    assert.equal(codeOf(await rig.provider('messages', toId('ZZ.123'))), 131009)
    assert.equal(codeOf(await rig.provider('messages', { ...templateTo(''), to: undefined })), 100)
  })
})

describe('a user with a number', () => {
  test('has both in every webhook, and a failed status names nobody but the number', async () => {
    const { userId } = await make({ waId: '15551230003', parentUserId: 'US.ENT.77' })
    const ids = { wa_id: '15551230003', user_id: userId, parent_user_id: 'US.ENT.77' }
    const id = await write('15551230003')
    const [seen] = await rig.expect('message', { id })
    const { from, from_user_id, from_parent_user_id } = seen?.update ?? {}
    assert.deepEqual([from, from_user_id, from_parent_user_id], Object.values(ids))
    assert.deepEqual(seen?.value['contacts'], [{ profile: { name: 'Handset 0003' }, ...ids }])
    const failing = wamidOf(await rig.provider('messages', templateTo('+15551230003')))
    const [failed] = await rig.expect('status', { id: failing, status: 'failed' })
    const { errors: _, ...status } = withoutTimes(failed?.update ?? {})
    assert.deepEqual(status, { id: failing, status: 'failed', recipient_id: '15551230003' })
    assert.equal(failed?.value['contacts'], undefined)
  })

  test('who takes a username hides the number from those who have not used it for 30 days', async () => {
    const to = '15551230701'
    await rig.control('PUT', `handsets/${to}`, { username: 'lu_gomez' })
    const [hidden] = await rig.expect('message', { id: await write(to) })
    assert.equal(hidden?.update['from'], undefined)
    await rig.provider('messages', templateTo(to))
    const [shown] = await rig.expect('message', { id: await write(to) })
    assert.equal(shown?.update['from'], to)
    const days = 31
    await rig.control('PUT', 'config', { clockOffsetMs: days * 86_400_000 })
    const [again] = await rig.expect('message', { id: await write(to) })
    await rig.control('PUT', 'config', { clockOffsetMs: 0 })
    assert.equal(again?.update['from'], undefined)
    assert.equal(again?.update['from_user_id'], shown?.update['from_user_id'])
  })

  test('a new number brings a new id, said by a system message, and the old number is somebody else', async () => {
    const before = await make({ waId: '15551230702' })
    await write('15551230702')
    const moved = await rig.control('POST', 'handsets/15551230702/change-number', { waId: '15551230703' })
    const [system] = await rig.expect('message', { type: 'system', from: '15551230702' })
    const { body, ...content } = (system?.update['system'] ?? {}) as Loose
    assert.match(String(body), /15551230702 to 15551230703/)
    assert.deepEqual(content, {
      type: 'user_changed_number',
      wa_id: '15551230703',
      user_id: moved.body['userId'],
      previous_user_id: before['userId'],
    })
    assert.equal(system?.update['from_user_id'], before['userId'])
    assert.equal(system?.value['contacts'], undefined)
    assert.equal((moved.body['outbox'] as unknown[]).length, 2)
    const stranger = await make({ waId: '15551230702' })
    assert.notEqual(stranger['userId'], before['userId'])
    assert.deepEqual(stranger['outbox'], [])
  })

  test('a new id alone is said without any number', async () => {
    const before = await make({ waId: '15551230704' })
    await write('15551230704')
    const moved = await rig.control('POST', 'handsets/15551230704/change-user-id', { userId: 'US.4711' })
    assert.equal(moved.body['userId'], 'US.4711')
    await rig.receiver.until(
      () =>
        rig.matching('message', { type: 'system' }).some(({ update }) => 'from_user_id' in update === false),
      () => 'user_changed_user_id',
    )
    const system = rig.matching('message', { type: 'system' }).find(({ update }) => !('from' in update))
    const { body: _, ...content } = (system?.update['system'] ?? {}) as Loose
    assert.deepEqual(content, {
      type: 'user_changed_user_id',
      user_id: 'US.4711',
      previous_user_id: before['userId'],
    })
  })

  test('is reached in every way to dial it, and the answer says which number it is', async () => {
    await make({ waId: '15551230705', dialledAs: ['15559990705'] })
    const asked = await rig.provider('messages', templateTo('+15559990705'))
    assert.deepEqual(asked.body['contacts'], [{ input: '+15559990705', wa_id: '15551230705' }])
    const brazil = await rig.provider('messages', templateTo('+5531987654321'))
    assert.deepEqual(brazil.body['contacts'], [{ input: '+5531987654321', wa_id: '553187654321' }])
    const [sent] = await rig.expect('status', { id: wamidOf(brazil), status: 'sent' })
    assert.equal(sent?.update['recipient_id'], '553187654321')
  })

  test('identities are checked: bad ids and usernames, and the id of another handset', async () => {
    const put = (body: Loose) => rig.control('PUT', 'handsets/15551230706', body)
    for (const username of ['ab', '1234', '.dot', 'dot.', 'a..b', 'www.shop', 'Caps']) {
      assert.equal((await put({ username })).status, 400, username)
    }
    assert.equal((await put({ userId: 'nobody' })).status, 400)
    await put({ userId: 'US.901' })
    assert.equal((await rig.control('PUT', 'handsets/15551230707', { userId: 'US.901' })).status, 409)
    assert.equal((await put({ userId: null })).body['userId'], null)
    const [seen] = await rig.expect('message', { id: await write('15551230706') })
    assert.equal('from_user_id' in (seen?.update ?? {}), false)
  })
})
