import assert from 'node:assert/strict'
import { personAt } from '../../../../src/contract/person.ts'
import { describe, test } from '../../../support/harness.ts'
import { change, messages, NUMBER_ID, only, parse, RECEIVED, USER } from './fixtures.ts'

const read = (message: unknown) => only('inboundMessage', change('messages', { messages: [message] }))
const skippedOf = (message: unknown) => {
  const { updates, skipped } = parse(change('messages', { messages: [message] }))
  assert.deepEqual(updates, [])
  return skipped
}

describe('an inbound message', () => {
  test('carries who wrote what, when, to which number', () => {
    assert.deepEqual(read(messages['text']), {
      type: 'inboundMessage',
      phoneNumberId: NUMBER_ID,
      providerMessageId: 'wamid.U001',
      from: personAt(USER, 'Marta Reis'),
      at: new Date(1_790_000_001_000),
      messageType: 'TEXT',
      text: 'Is the pier open today?',
      media: null,
      details: null,
    })
  })

  const readable = {
    text: ['TEXT', 'Is the pier open today?'],
    image: ['IMAGE', 'the crate'],
    audio: ['AUDIO', ''],
    video: ['VIDEO', 'unloading'],
    document: ['DOCUMENT', ''],
    sticker: ['STICKER', ''],
    place: ['LOCATION', 'Quay 4, Rua do Cais 4'],
    point: ['LOCATION', '41.14,-8.61'],
    contacts: ['CONTACTS', ''],
    reaction: ['REACTION', '🚢'],
    reactionRemoved: ['REACTION', ''],
    button: ['BUTTON', 'No more offers'],
    buttonReply: ['INTERACTIVE', 'Hold it'],
    listReply: ['INTERACTIVE', 'At night'],
    flowReply: ['INTERACTIVE', 'Sent'],
    permissionTemporary: ['CALL_PERMISSION_REPLY', ''],
    permissionPermanent: ['CALL_PERMISSION_REPLY', ''],
    forwarded: ['TEXT', 'Passed on'],
    order: ['ORDER', ''],
    revoke: ['REVOKE', ''],
    edit: ['EDIT', 'changed words'],
    unsupported: ['UNSUPPORTED', ''],
    unheardOf: ['UNSUPPORTED', ''],
  }
  for (const [name, [messageType, text]] of Object.entries(readable)) {
    test(`${name} becomes ${messageType} with its text`, () => {
      const update = read(messages[name])
      assert.deepEqual([update.messageType, update.text], [messageType, text])
    })
  }

  test('names its file, with the digest as hex whether it came as base64 or as hex', () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    assert.deepEqual(read(messages['image']).media, {
      providerMediaId: '700100200300401',
      mimeType: 'image/jpeg',
      fileName: null,
      sha256: empty,
    })
    const document = read(messages['document']).media
    assert.deepEqual([document?.fileName, document?.sha256], ['manifest-12.pdf', empty])
    assert.equal(read(messages['video']).media?.sha256, null)
  })

  test('refers to the message or call it answers, and to the one it reacts to', () => {
    assert.equal(read(messages['button']).details?.context?.providerMessageId, 'wamid.B002')
    assert.equal(read(messages['permissionAutomatic']).details?.context?.providerMessageId, 'wacid.C001')
    assert.equal(read(messages['reaction']).details?.reaction?.providerMessageId, 'wamid.B001')
    assert.equal(read(messages['forwarded']).details?.context?.providerMessageId, null)
  })

  test('of the provider itself tells a new number, and is a message', () => {
    const { messageType, from, formerly } = read(messages['system'])
    assert.deepEqual([messageType, from.phone, formerly], ['SYSTEM', '351910000099', [USER]])
  })

  test('that names nobody at all is counted and left out', () => {
    const value = { messages: [messages['withoutSender']], contacts: [] }
    assert.deepEqual(parse(change('messages', value)).skipped, { noSender: 1 })
  })

  test('without an id is counted as malformed', () => {
    assert.deepEqual(skippedOf({ ...messages['text'], id: undefined }), { malformed: 1 })
    assert.deepEqual(skippedOf({ ...messages['text'], id: 'w'.repeat(513) }), { malformed: 1 })
  })

  test('with a time that is none takes the time of arrival', () => {
    for (const timestamp of ['', 'soon', -1, 1e300, null, {}]) {
      assert.deepEqual(read({ ...messages['text'], timestamp }).at, RECEIVED)
    }
  })

  test('with a field of the wrong form loses that field alone', () => {
    const update = read({
      ...messages['image'],
      context: 'none',
      image: { caption: 7, id: 'm1', filename: [] },
    })
    assert.equal(update.messageType, 'IMAGE')
    assert.deepEqual(update.media, {
      providerMediaId: 'm1',
      mimeType: 'application/octet-stream',
      fileName: null,
      sha256: null,
    })
    assert.deepEqual([update.text, update.details?.context], ['', undefined])
  })

  test('holds nothing that Postgres cannot store', () => {
    const body = 'a\u0000b\ud800c \u{1f6a2}'
    assert.equal(read({ ...messages['text'], text: { body } }).text, 'ab\ufffdc \u{1f6a2}')
  })
})

describe('a reply to a call permission request', () => {
  const permissionOf = (name: string) => read(messages[name]).details?.callPermission

  test('for a week carries its end, whether it came as text or as a number', () => {
    const expiresAt = new Date(1_790_604_800_000).toISOString()
    const granted = { response: 'accept', granted: true, isPermanent: false, expiresAt }
    assert.deepEqual(permissionOf('permissionTemporary'), { ...granted, source: 'user_action' })
    assert.deepEqual(permissionOf('permissionAutomatic'), { ...granted, source: 'automatic' })
  })

  test('for good, and without the type of the message, has no end', () => {
    assert.deepEqual(permissionOf('permissionPermanent'), {
      response: 'accept',
      granted: true,
      isPermanent: true,
      expiresAt: null,
      source: 'user_action',
    })
  })

  test('that refuses grants nothing', () => {
    assert.deepEqual(permissionOf('permissionRefused'), {
      response: 'reject',
      granted: false,
      isPermanent: false,
      expiresAt: null,
      source: 'user_action',
    })
  })
})
