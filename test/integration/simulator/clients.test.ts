// Clients that others wrote for the real provider work against the simulator as they are.
import assert from 'node:assert/strict'
import { Client, MessageType } from '@great-detail/whatsapp'
import { GraphApiError, WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import { verifySignature } from '@kapso/whatsapp-cloud-api/server'
import { WhatsAppAPI } from 'whatsapp-api-js'
import {
  ActionButtons,
  Body,
  BodyComponent,
  BodyParameter,
  Button,
  HeaderComponent,
  HeaderParameter,
  Image,
  Interactive,
  Template,
  Text,
} from 'whatsapp-api-js/messages'
import { after, before, describe, test } from '../../support/harness.ts'
import { ACCOUNT, NUMBER, NUMBER_ID, type Rig, SECRET, sdp, startRig } from './harness.ts'
import type { Loose } from './receiver.ts'

const TO = '15551230880'
const USER_ID = 'PT.770880'
const PNG = 'a picture'
/** The identifiers of the first handset; given both, the provider takes the number. */
const person = { phone: TO, bsuid: '' }

let rig: Rig
before(async () => {
  rig = await startRig()
  for (const address of [TO, USER_ID]) await written(address)
  person.bsuid = String((await rig.control('GET', `handsets/${TO}`)).body['userId'])
})
after(() => rig.close())

/** A handset writes. Returns the wamid, and the body as it came with its signature. */
async function written(address: string) {
  const { body } = await rig.control('POST', `handsets/${address}/messages`, {
    to: NUMBER,
    type: 'text',
    text: 'hi',
  })
  const id = String(body['id'])
  const [seen] = await rig.expect('message', { id })
  const index = (seen?.post ?? 1) - 1
  return { id, raw: rig.receiver.bodies[index] ?? '', signature: rig.receiver.signatures[index] ?? '' }
}

const delivered = async (id: unknown): Promise<Loose> => {
  const [seen] = await rig.expect('status', { id, status: 'delivered' })
  return seen?.update ?? {}
}

describe('whatsapp-api-js', () => {
  // Its address is fixed, so its requests are sent on to the simulator.
  const onward = (input: string | URL | Request, init?: RequestInit) =>
    fetch(String(input).replace('https://graph.facebook.com', rig.url), init)
  const api = () =>
    new WhatsAppAPI({
      token: rig.token,
      appSecret: SECRET,
      v: 'v24.0',
      ponyfill: { fetch: onward as typeof fetch },
    })
  const idOf = (answer: unknown): string => {
    const [message] = (answer as { messages?: { id: string }[] }).messages ?? []
    assert.ok(message, JSON.stringify(answer))
    return message.id
  }

  test('sends a text to a number and to a user id, buttons, and a template with names', async () => {
    const client = api()
    await delivered(idOf(await client.sendMessage(NUMBER_ID, person, new Text('Hello'))))
    const byId = await delivered(
      idOf(await client.sendMessage(NUMBER_ID, { bsuid: USER_ID }, new Text('Hello'))),
    )
    assert.equal(byId['recipient_user_id'], USER_ID)
    const buttons = new Interactive(new ActionButtons(new Button('keep', 'Keep')), new Body('Keep it?'))
    await delivered(idOf(await client.sendMessage(NUMBER_ID, person, buttons)))
    const template = new Template(
      'order_ready',
      'en_US',
      new HeaderComponent(new HeaderParameter('North Dock', 'store')),
      new BodyComponent(new BodyParameter('Ines', 'first_name'), new BodyParameter('A-1', 'order_number')),
    )
    await delivered(idOf(await client.sendMessage(NUMBER_ID, person, template)))
  })

  test('uploads a picture, sends it, and fetches it again', async () => {
    const client = api()
    const form = new FormData()
    form.set('file', new Blob([PNG], { type: 'image/png' }), 'a.png')
    const { id } = (await client.uploadMedia(NUMBER_ID, form)) as { id: string }
    await delivered(idOf(await client.sendMessage(NUMBER_ID, person, new Image(id, true, 'Look'))))
    const { url } = (await client.retrieveMedia(id)) as { url: string }
    assert.equal(await (await client.fetchMedia(url)).text(), PNG)
    assert.deepEqual(await client.deleteMedia(id), { success: true })
  })

  test('calls a user id without a version in the path, marks as read, and takes a signed webhook', async () => {
    const client = api()
    const placed = (await client.initiateCall(NUMBER_ID, { bsuid: USER_ID }, sdp('actpass'))) as unknown as {
      calls: { id: string }[]
    }
    const [call] = placed.calls
    const [connected] = await rig.expect('call', { id: call?.id, event: 'connect' })
    assert.equal(connected?.update['to_user_id'], USER_ID)
    await rig.control('POST', `calls/${call?.id}/hangup`)
    const { id, raw, signature } = await written(USER_ID)
    assert.deepEqual(await client.markAsRead(NUMBER_ID, id, 'text'), { success: true })
    const heard: unknown[] = []
    client.on.message = ({ contact, message }) => {
      heard.push(contact.user_id, message.type)
    }
    await client.post(JSON.parse(raw), raw, signature)
    assert.deepEqual(heard, [USER_ID, 'text'])
  })
})

describe('@kapso/whatsapp-cloud-api', () => {
  const client = () => new WhatsAppClient({ accessToken: rig.token, baseUrl: rig.url, graphVersion: 'v24.0' })
  const to = { phoneNumberId: NUMBER_ID, to: `+${TO}` }

  test('sends texts to a number and a user id, a list, a place, a reaction, and a picture that it uploads', async () => {
    const { messages, media } = client()
    const ids = [(await messages.sendText({ ...to, body: 'Hello' })).messages[0]?.id]
    const byId = await messages.sendText({ phoneNumberId: NUMBER_ID, recipient: USER_ID, body: 'Hello' })
    ids.push(byId.messages[0]?.id)
    const sections = [{ title: 'S', rows: [{ id: 'r', title: 'R' }] }]
    const list = await messages.sendInteractiveList({
      ...to,
      bodyText: 'Choose',
      buttonText: 'Open',
      sections,
    })
    ids.push(list.messages[0]?.id)
    const location = { latitude: 38.7, longitude: -9.1, name: 'Dock', address: 'Pier 2' }
    ids.push((await messages.sendLocation({ ...to, location })).messages[0]?.id)
    const file = new Blob([PNG], { type: 'image/png' })
    const { id } = await media.upload({
      phoneNumberId: NUMBER_ID,
      type: 'image/png',
      file,
      fileName: 'a.png',
    })
    ids.push((await messages.sendImage({ ...to, image: { id } })).messages[0]?.id)
    for (const one of ids) await delivered(one)
    const answered = (await written(TO)).id
    const reaction = await messages.sendReaction({ ...to, reaction: { messageId: answered, emoji: '👍' } })
    await rig.expect('status', { id: reaction.messages[0]?.id, status: 'sent' })
    assert.equal((await media.get({ mediaId: id })).mimeType, 'image/png')
  })

  test('lists and creates templates, calls, and verifies a webhook', async () => {
    const { templates, calls } = client()
    const listed = await templates.list({ businessAccountId: ACCOUNT, limit: 2 })
    assert.equal(listed.data.length, 2)
    const made = await templates.create({
      ...{ businessAccountId: ACCOUNT, name: 'by_kapso', language: 'en_US', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'It is here.' }],
    })
    assert.match(String(made.id), /^\d+$/)
    const session = { sdpType: 'offer', sdp: sdp('actpass') } as const
    const placed = await calls.connect({ phoneNumberId: NUMBER_ID, recipient: USER_ID, session })
    await rig.expect('call', { id: placed.calls?.[0]?.id, event: 'connect' })
    await rig.control('POST', `calls/${placed.calls?.[0]?.id}/hangup`)
    const { raw, signature } = await written(TO)
    assert.ok(verifySignature({ appSecret: SECRET, rawBody: raw, signatureHeader: signature }))
  })

  test('understands the errors', async () => {
    const refused = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => assert.fail('it was accepted'),
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof GraphApiError, String(error))
      return error
    }
    const unknown = await refused(client().messages.sendImage({ ...to, image: { id: '123' } }))
    assert.deepEqual([unknown.code, unknown.httpStatus], [100, 400])
    const lost = await refused(client().media.get({ mediaId: '999999' }))
    assert.deepEqual([lost.code, lost.errorSubcode, lost.type], [100, 33, 'GraphMethodException'])
    assert.ok(lost.fbtraceId)
  })
})

describe('@great-detail/whatsapp', () => {
  const client = () =>
    new Client({
      prefixUrl: rig.url,
      graphVersion: 'v24.0',
      request: { headers: { Authorization: `Bearer ${rig.token}` }, retry: 0 },
    })

  test('sends a text and a picture that it uploads, marks as read', async () => {
    const { message, media } = client()
    const text = await message
      .createMessage({ phoneNumberID: NUMBER_ID, to: TO, type: MessageType.Text, text: { body: 'Hello' } })
      .json()
    await delivered(text.messages[0]?.id)
    const file = new Blob([PNG], { type: 'image/png' })
    const { id } = await media
      .upload({ phoneNumberID: NUMBER_ID, file, filename: 'a.png', mimeType: 'image/png' })
      .json()
    const picture = await message
      .createMessage({ phoneNumberID: NUMBER_ID, to: TO, type: MessageType.Image, image: { id } })
      .json()
    await delivered(picture.messages[0]?.id)
    const read = message.createStatus({
      ...{ phoneNumberID: NUMBER_ID, message_id: (await written(TO)).id, status: 'read' },
    })
    assert.equal((await read).status, 200)
  })

  test('lists templates and numbers, and takes a signed webhook', async () => {
    const { template, phoneNumbers, webhook } = client()
    const templates = await template.list(ACCOUNT, { limit: 3, fields: ['name', 'status'] }).json()
    assert.equal(templates.data.length, 3)
    const numbers = await phoneNumbers.listPhoneNumbers({ businessAccountID: ACCOUNT }).json()
    assert.equal(numbers.data[0]?.id, NUMBER_ID)
    const { raw, signature } = await written(TO)
    const event = await webhook.eventNotification({
      method: 'POST',
      query: {},
      body: raw,
      headers: { 'x-hub-signature-256': signature },
    })
    await event.verifySignature(SECRET)
    assert.equal(event.eventNotification.entry.length, 1)
    await assert.rejects(event.verifySignature('another secret'))
  })
})
