import assert from 'node:assert/strict'
import { eraseMessages } from '../../../../src/privacy/store/erase-messages.ts'
import { createKeepElements } from '../../../../src/provider/incoming/keep-elements.ts'
import { encodeId, newId } from '../../../../src/shared/ids.ts'
import { describe, test } from '../../../support/harness.ts'
import { addTenant, type Tenant } from '../../../support/rows.ts'
import { openKept, wabaId } from './kept-world.ts'

const { deliver, keptOf, post, receiver, sql, store } = await openKept()

let serial = 0
const unique = (prefix: string) => {
  serial += 1
  return `${prefix}.KEPT${process.pid}.${serial}`
}

const change = ({ phoneNumberId, number }: Tenant, content: object, field = 'messages') => ({
  field,
  value: {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: number.slice(1), phone_number_id: phoneNumberId },
    ...content,
  },
})

const text = (id: string, from = '351910000077', body = 'Is the pier open?') => ({
  ...{ id, from, type: 'text' },
  timestamp: String(Math.floor(Date.now() / 1000)),
  text: { body },
})

const contact = (waId: string, name: string) => ({ wa_id: waId, profile: { name } })

const sdp = 'v=0\r\no=- 77001 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-pwd:pier-secret\r\n'

describe('what was understood', () => {
  test('is kept as it came, each element for itself, linked to its message', async () => {
    const tenant = await addTenant(sql)
    const [first, second] = [unique('wamid'), unique('wamid')]
    const given = [text(first, '351910000077'), { ...text(second, '351910000078'), later_field: { a: 1 } }]
    await deliver(
      change(tenant, {
        contacts: [contact('351910000077', 'Marta'), contact('351910000078', 'Rui')],
        messages: given,
      }),
    )
    const messages = await sql<{ id: string }[]>`
      select id from messages where workspace_id = ${tenant.workspaceId} order by provider_message_id = ${second}`
    const kept = await keptOf(tenant.workspaceId)
    assert.deepEqual(
      kept.map(({ subjectKind, subjectId, reason, part }) => [subjectKind, subjectId, reason, part]),
      messages.map(({ id }) => ['message', id, null, 'messages']),
    )
    for (const [index, { body }] of kept.entries()) {
      const { field, value } = JSON.parse(body)
      assert.deepEqual([field, value.messages], ['messages', [given[index]]])
    }
    // What is kept of one person says nothing of another.
    assert.ok(kept[1]?.body.includes('Rui') && !kept[1].body.includes('Marta'))
  })

  test('a status is kept alone, linked to the message that it tells of', async () => {
    const tenant = await addTenant(sql)
    const wamid = unique('wamid')
    await deliver(change(tenant, { messages: [text(wamid)] }))
    const [message] = await sql<
      { id: string }[]
    >`select id from messages where provider_message_id = ${wamid}`
    await sql`update messages set direction = 'OUTBOUND', status = 'SENT' where id = ${message?.id ?? ''}`
    const status = { id: wamid, status: 'delivered', recipient_id: '351910000077', pricing: { model: 'PMP' } }
    await deliver(change(tenant, { statuses: [status] }))
    const kept = (await keptOf(tenant.workspaceId)).at(-1)
    assert.deepEqual(
      [kept?.subjectId, kept?.part, JSON.parse(kept?.body ?? '')],
      [message?.id, 'statuses', status],
    )
  })

  test('a call is kept without its SDP, linked to the call', async () => {
    const tenant = await addTenant(sql)
    const id = unique('wacid')
    const connect = {
      ...{
        id,
        from: '351910000077',
        to: tenant.number.slice(1),
        event: 'connect',
        direction: 'USER_INITIATED',
      },
      session: { sdp_type: 'offer', sdp },
      legacy: { offer: sdp },
    }
    await deliver(change(tenant, { calls: [connect] }, 'calls'))
    const [call] = await sql<{ id: string }[]>`select id from calls where wacid = ${id}`
    const [kept] = await keptOf(tenant.workspaceId)
    assert.deepEqual([kept?.subjectKind, kept?.subjectId], ['call', call?.id])
    const bytes = Buffer.byteLength(sdp)
    assert.equal(JSON.parse(kept?.body ?? '').value.calls[0].session.sdp, `[SDP of ${bytes} bytes, not kept]`)
    assert.doesNotMatch(kept?.body ?? '', /pier-secret|v=0/)
  })

  test('the end of a call that came before its beginning is kept without a reason, and without a person: it may be erased', async () => {
    const tenant = await addTenant(sql)
    const end = { id: unique('wacid'), from: '351910000077', event: 'terminate', direction: 'USER_INITIATED' }
    await deliver(change(tenant, { calls: [end] }, 'calls'))
    const [kept] = await keptOf(tenant.workspaceId)
    assert.deepEqual([kept?.reason, kept?.subjectId, kept?.people], [null, null, []])
    assert.equal(kept?.body.includes('351910000077'), false)
  })

  test('is not written once its message is erased', async () => {
    const tenant = await addTenant(sql)
    const wamid = unique('wamid')
    await deliver(change(tenant, { messages: [text(wamid)] }))
    const [row] = await sql<{ contactId: string }[]>`
      select contact_id from messages where provider_message_id = ${wamid}`
    const job = { id: newId('erasure'), workspaceId: tenant.workspaceId }
    await sql.begin((transaction) =>
      eraseMessages({ sql: transaction, job, contactId: row?.contactId as never }),
    )
    assert.equal((await keptOf(tenant.workspaceId)).length, 0)
    const late = { id: newId('element'), field: 'messages', part: 'messages', body: '{}', fullBytes: null }
    const subject = { kind: 'message', providerId: wamid, id: null } as const
    await store.keepLinked([{ ...late, phoneNumberId: tenant.phoneNumberId, subject }])
    assert.equal((await keptOf(tenant.workspaceId)).length, 0)
  })
})

describe('what nothing was made of', () => {
  test('is kept with its reason before the webhook is answered: elements, parts, changes and fields', async () => {
    const tenant = await addTenant(sql)
    await sql`update workspaces set waba_id = ${wabaId} where id = ${tenant.workspaceId}`
    const status = { id: unique('wamid'), status: 'sent', recipient_id: '351910000077' }
    const changes = [
      change(tenant, { messages: [{ from: '351910000077', type: 'text', text: { body: 'no id' } }] }),
      change(tenant, { statuses: [status, { ...status, status: 'exploded' }] }),
      change(tenant, { errors: [{ code: 131000, title: 'Something went wrong' }] }),
      change(tenant, { messages: { not: 'a list' } }),
      change(tenant, { message_echoes: [text(unique('wamid'))] }),
      change(tenant, {}),
      { field: 'flows', value: { event: 'FLOW_STATUS_CHANGE' } },
      { field: 'messages', value: { messages: [text(unique('wamid'))] } },
    ]
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: wabaId, changes }] })
    assert.equal((await post(body)).status, 200)
    const kept = await keptOf(tenant.workspaceId)
    assert.deepEqual(
      kept.map(({ reason, field, part }) => [reason, field, part]),
      [
        ['malformed', 'messages', 'messages'],
        ['unknownMessage', 'messages', 'statuses'],
        ['unknown', 'messages', 'statuses'],
        ['accountError', 'messages', 'errors'],
        ['malformed', 'messages', 'messages'],
        ['unknown', 'messages', 'message_echoes'],
        ['malformed', 'messages', null],
        ['unknown', 'flows', null],
        ['malformed', 'messages', 'messages'],
      ],
    )
    assert.deepEqual(kept[0]?.people, ['351910000077'])
    assert.deepEqual(JSON.parse(kept[7]?.body ?? ''), changes[6])
    await sql`update workspaces set waba_id = null where id = ${tenant.workspaceId}`
  })

  test('says nothing of the person where a message of ours is gone: it was erased', async () => {
    const tenant = await addTenant(sql)
    const status = {
      ...{ id: unique('wamid'), status: 'read', timestamp: '1790000000', recipient_id: '351910000077' },
      biz_opaque_callback_data: encodeId('message', newId('message')),
    }
    await deliver(change(tenant, { contacts: [contact('351910000077', 'Marta')], statuses: [status] }))
    const [kept] = await keptOf(tenant.workspaceId)
    assert.deepEqual([kept?.reason, kept?.people], ['unknownMessage', []])
    const { biz_opaque_callback_data, timestamp } = status
    assert.deepEqual(JSON.parse(kept?.body ?? ''), { status: 'read', timestamp, biz_opaque_callback_data })
  })

  test('says nothing of the person where a call of ours is gone', async () => {
    const tenant = await addTenant(sql)
    const call = {
      ...{
        id: unique('wacid'),
        event: 'terminate',
        direction: 'BUSINESS_INITIATED',
        timestamp: '1790000000',
      },
      ...{ from: '15550001111', to: '351910000077', status: 'COMPLETED' },
      biz_opaque_callback_data: encodeId('call', newId('call')),
    }
    await deliver(change(tenant, { calls: [call] }, 'calls'))
    const [kept] = await keptOf(tenant.workspaceId)
    assert.deepEqual([kept?.reason, kept?.people], ['unknownCall', []])
    assert.equal(kept?.body.includes('351910000077') || kept?.body.includes(call.id), false)
  })

  test('for a number that nobody has belongs to no workspace', async () => {
    const wamid = unique('wamid')
    const nobody = { phoneNumberId: unique('pn'), number: '+15550009999' } as Tenant
    await deliver(change(nobody, { messages: [text(wamid)] }))
    const [kept] = (await keptOf(null)).filter(({ body }) => body.includes(wamid))
    assert.equal(kept?.reason, 'unknownNumber')
  })

  test('says whom it concerns by every address: digits, user ids, and what an id was before', async () => {
    const tenant = await addTenant(sql)
    const person = {
      from: '+351 910 000 077',
      from_user_id: 'PT.134',
      system: { user_id: { previous: 'PT.1', current: 'PT.2' } },
    }
    await deliver(change(tenant, { novelties: [person] }))
    const [kept] = await keptOf(tenant.workspaceId)
    assert.deepEqual(kept?.people, ['351910000077', 'PT.134', 'PT.1', 'PT.2'])
  })

  test('is kept where the address of a person is so long that it is cut within a character', async () => {
    const tenant = await addTenant(sql)
    const from = `${'a'.repeat(127)}🙂`
    await deliver(change(tenant, { strangers: [{ id: unique('wamid'), from }] }))
    const [kept] = await keptOf(tenant.workspaceId)
    assert.deepEqual(kept?.people, [`${'a'.repeat(127)}\uFFFD`])
  })

  test('is kept where Postgres cannot store the name of its part', async () => {
    const tenant = await addTenant(sql)
    await deliver(change(tenant, { 'novel\0ties\ud800': [{ id: unique('wamid') }] }))
    const [kept] = await keptOf(tenant.workspaceId)
    assert.equal(kept?.part, 'novelties\uFFFD')
  })

  test('for a number that is not known belongs to the only workspace of the account', async () => {
    const [tenant, sibling] = [await addTenant(sql), await addTenant(sql)]
    const nobody = { phoneNumberId: unique('pn'), number: '+15550009999' } as Tenant
    await sql`update workspaces set waba_id = ${wabaId} where id = ${tenant.workspaceId}`
    await deliver(change(nobody, { messages: [text(unique('wamid'))] }))
    await sql`update workspaces set waba_id = ${wabaId} where id = ${sibling.workspaceId}`
    await deliver(change(nobody, { messages: [text(unique('wamid'))] }))
    await sql`update workspaces set waba_id = null where waba_id = ${wabaId}`
    assert.deepEqual(
      (await keptOf(tenant.workspaceId)).map(({ reason }) => reason),
      ['unknownNumber'],
    )
    assert.deepEqual([...(await keptOf(sibling.workspaceId))], [])
  })

  test('a signed body that is not JSON is kept with its number and people, without SDP', async () => {
    const tenant = await addTenant(sql)
    const whole = JSON.stringify({
      entry: [change(tenant, { calls: [{ from: '351910000077', session: { sdp } }] })],
    })
    assert.equal((await post(whole.slice(0, -4))).status, 200)
    const [kept] = await keptOf(tenant.workspaceId)
    assert.deepEqual([kept?.reason, kept?.people], ['unreadable', ['351910000077']])
    assert.doesNotMatch(kept?.body ?? '', /pier-secret|v=0/)
  })

  test('is cut at 64 KiB, and says how long it was', async () => {
    const tenant = await addTenant(sql)
    await deliver(change(tenant, { novelties: [{ text: 'ü'.repeat(50_000) }] }))
    const [kept] = await keptOf(tenant.workspaceId)
    assert.ok(Buffer.byteLength(kept?.body ?? '') <= 64 * 1024)
    assert.ok((kept?.fullBytes ?? 0) > 100_000)
  })

  test('keeps the webhook from being acknowledged while it cannot be written', async () => {
    const keepUnlinked = () => Promise.reject(new Error('no database'))
    const keep = createKeepElements({ store: { ...store, keepUnlinked }, log: { warn: () => undefined } })
    const webhook = (field: string) =>
      JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ id: '1', changes: [{ field, value: {} }] }],
      })
    assert.equal((await post(webhook('flows'), receiver(keep))).status, 503)
    assert.equal((await post('{"entry":', receiver(keep))).status, 503)
  })

  test('nested so deep that nobody can write it down is acknowledged', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const changes = ['deep', 'account_update'].map(
      (field) => `{"field":"${field}","value":{"event":"ACCOUNT_DELETED","more":${deep}}}`,
    )
    const body = `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[${changes}]}]}`
    assert.equal((await post(body)).status, 200)
  })
})
