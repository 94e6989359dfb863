import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, afterEach, before, describe, test } from '../../../support/harness.ts'
import { account, type Circle, NUMBER, startCircle } from './circle.ts'

let circle: Circle
before(async () => {
  circle = await startCircle()
})
after(() => circle.close())
afterEach(() => circle.control('PUT', 'faults', {}))

const text = (value: string, parameter_name?: string) => ({
  type: 'text',
  text: value,
  ...(parameter_name !== undefined && { parameter_name }),
})
const named = {
  name: 'order_ready',
  language: 'pt_PT',
  components: [
    { type: 'header', parameters: [text('Cais Norte', 'store')] },
    { type: 'body', parameters: [text('Inês', 'first_name'), text('A-7', 'order_number')] },
  ],
}
const positional = {
  name: 'appointment_reminder',
  language: 'en_US',
  components: [
    { type: 'body', parameters: [text('Monday'), text('9:00')] },
    { type: 'button', sub_type: 'url', index: '1', parameters: [text('7')] },
  ],
}
const plain = { name: 'hello_world', language: 'en_US', components: [] }

const send = (to: string, template: typeof plain | typeof named | typeof positional, opaque = 'msg_1') =>
  circle.api.sendTemplate(account, { to, template, opaque })

async function refusal(to: string, template = plain) {
  const result = await send(to, template)
  if (result.type !== 'refused') throw new Error(`not refused but ${result.type}`)
  return result.error
}

describe('a message to the simulator', () => {
  for (const [kind, template] of Object.entries({ named, positional })) {
    test(`with ${kind} parameters is accepted, and its statuses come back with what it gave along`, async () => {
      const to = kind === 'named' ? '+351910010001' : '+351910020001'
      const result = await send(to, template, `msg_${kind}`)
      assert.equal(result.type, 'ok')
      const wamid = result.type === 'ok' ? result.value.providerMessageId : ''
      const read = await circle.expect(
        'messageStatus',
        (one) => one.providerMessageId === wamid && one.status === 'READ',
      )
      assert.deepEqual(
        [read.opaque, read.recipient?.phone, read.phoneNumberId],
        [`msg_${kind}`, to.slice(1), account.phoneNumberId],
      )
    })
  }

  test('with the wrong number of parameters is refused for good', async () => {
    const error = await refusal('+351910010099', { ...positional, components: [] })
    assert.deepEqual([error.code, error.class, error.httpStatus], ['132000', 'permanent', 400])
  })

  test('of a template that is missing or paused is refused for the template', async () => {
    assert.equal((await refusal('+351910010099', { ...plain, name: 'nothing' })).class, 'templateGone')
    assert.equal((await refusal('+351910010099', { ...plain, name: 'paused_offer' })).class, 'templatePaused')
  })

  test('beyond the rate of the number is throttled, beyond that of the pair limited', async () => {
    assert.equal((await refusal('+351910010005')).class, 'throttled')
    assert.equal((await refusal('+351910010006')).class, 'pairLimited')
  })

  test('with a bad token is refused for the account', async () => {
    const message = { to: '+351910010099', template: plain, opaque: 'msg_1' }
    const result = await circle.api.sendTemplate({ ...account, accessToken: 'other' }, message)
    assert.equal(result.type === 'refused' && result.error.class, 'account')
  })

  test('that is kept back for its quality is held, and then fails or goes out', async () => {
    const [dropped, released] = await Promise.all([
      send('+351910010009', plain),
      send('+351910010010', plain),
    ])
    assert.deepEqual(
      [dropped, released].map((one) => one.type === 'ok' && one.value.held),
      [true, true],
    )
    const failed = await circle.expect(
      'messageStatus',
      (one) => one.recipient?.phone === '351910010009' && one.status === 'FAILED',
    )
    assert.deepEqual([failed.error?.code, failed.error?.class], ['132015', 'templatePaused'])
    await circle.expect(
      'messageStatus',
      (one) => one.recipient?.phone === '351910010010' && one.status === 'DELIVERED',
    )
  })

  test('that fails at the handset says why', async () => {
    await send('+351910010003', plain)
    const failed = await circle.expect(
      'messageStatus',
      (one) => one.recipient?.phone === '351910010003' && one.error !== null,
    )
    assert.equal(failed.error?.code, '131026')
  })

  test('whose answer is lost after it took effect is unknown, and its statuses tell it by what it gave along', async () => {
    await circle.control('PUT', 'faults', { api: [{ match: 'messages', dropConnection: 'after', times: 1 }] })
    const result = await send('+351910030099', plain, 'msg_lost')
    assert.equal(result.type, 'unknown')
    const status = await circle.expect('messageStatus', (one) => one.opaque === 'msg_lost')
    assert.ok(status.providerMessageId.startsWith('wamid.'))
  })

  test('whose connection is cut before it took effect is unknown just the same', async () => {
    await circle.control('PUT', 'faults', {
      api: [{ match: 'messages', dropConnection: 'before', times: 1 }],
    })
    assert.equal((await send('+351910030098', plain, 'msg_never')).type, 'unknown')
  })

  test('that is never answered is unknown when its time is over', async () => {
    await circle.control('PUT', 'faults', { api: [{ match: 'messages', hang: true, times: 1 }] })
    const result = await send('+351910030097', plain)
    assert.deepEqual(result.type === 'unknown' && result.error.code, 'TIMEOUT')
  })
})

describe('a message from a handset', () => {
  const write = (waId: string, message: object) =>
    circle.control('POST', `handsets/${waId}/messages`, { to: NUMBER, ...message })

  test('comes in with its text, beyond ASCII too, and can be marked as read', async () => {
    const { id } = await write('351910040001', { type: 'text', text: 'Olá, café? 🚢', name: 'Zoë' })
    const update = await circle.expect('inboundMessage', (one) => one.providerMessageId === id)
    assert.deepEqual(
      [update.text, update.from.name, update.from.phone],
      ['Olá, café? 🚢', 'Zoë', '351910040001'],
    )
    assert.deepEqual(await circle.api.markRead(account, update.providerMessageId, { typing: true }), {
      type: 'ok',
      value: null,
    })
    const unknown = await circle.api.markRead(account, 'wamid.none')
    assert.equal(unknown.type === 'refused' && unknown.error.code, '131009')
  })

  test('brings a file, whose bytes are those of its digest', async () => {
    const bytes = randomBytes(300_000)
    const { id } = await write('351910040002', {
      type: 'document',
      mediaBase64: bytes.toString('base64'),
      mimeType: 'application/pdf',
      fileName: 'cargo.pdf',
      caption: 'the list',
    })
    const { media, text: caption } = await circle.expect(
      'inboundMessage',
      (one) => one.providerMessageId === id,
    )
    const digest = createHash('sha256').update(bytes).digest('hex')
    assert.deepEqual(
      [media?.fileName, media?.mimeType, media?.sha256, caption],
      ['cargo.pdf', 'application/pdf', digest, 'the list'],
    )
    const location = await circle.api.mediaUrl(account, media?.providerMediaId ?? '')
    if (location.type !== 'ok') throw new Error(location.error.code)
    assert.deepEqual([location.value.sizeBytes, location.value.sha256], [bytes.length, digest])
    const download = await circle.api.downloadMedia(account, location.value.url)
    if (download.type !== 'ok') throw new Error(download.error.code)
    const chunks: Uint8Array[] = []
    for await (const chunk of download.value.body) chunks.push(chunk)
    assert.equal(Buffer.concat(chunks).equals(bytes), true)
    assert.equal(download.value.sha256(), digest)
  })

  test('comes again until it is durable', async () => {
    circle.state.refuse = 2
    const { id } = await write('351910040003', { type: 'text', text: 'again' })
    await circle.expect('inboundMessage', (one) => one.providerMessageId === id)
    assert.equal(circle.records.filter(({ outcome }) => outcome === 'failed').length, 2)
  })

  test('travels with others in one webhook and is told apart', async () => {
    await circle.control('PUT', 'faults', { webhooks: { batch: 50 } })
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        write(`35191005${1000 + index}`, { type: 'text', text: `n${index}` }),
      ),
    )
    await Promise.all(
      ids.map(({ id }) => circle.expect('inboundMessage', (one) => one.providerMessageId === id)),
    )
    await circle.until(
      () => circle.records.some(({ kinds }) => (kinds['inboundMessage'] ?? 0) > 1),
      'webhook that carried several',
    )
  })
})

describe('the account at the simulator', () => {
  test('lists templates and numbers', async () => {
    const [templates, numbers] = await Promise.all([
      circle.api.listTemplates(account),
      circle.api.listNumbers(account),
    ])
    if (templates.type !== 'ok' || numbers.type !== 'ok') throw new Error('refused')
    const ready = templates.value.templates.find(
      ({ name, language }) => name === 'order_ready' && language === 'pt_PT',
    )
    assert.deepEqual(
      [ready?.status, ready?.category, ready?.parameterFormat],
      ['APPROVED', 'UTILITY', 'NAMED'],
    )
    assert.deepEqual(
      numbers.value.map(({ number }) => number),
      ['+15550001111', '+15550002222'],
    )
  })

  test('takes a new template, and tells when it is approved', async () => {
    const created = await circle.api.createTemplate(account, {
      name: 'pier_open',
      language: 'pt_PT',
      category: 'UTILITY',
      parameterFormat: 'POSITIONAL',
      components: [
        { type: 'BODY', text: 'The pier opens at {{1}} today.', example: { body_text: [['9:00']] } },
      ],
    })
    assert.equal(created.type === 'ok' && created.value.status, 'PENDING')
    const update = await circle.expect('templateStatus', ({ name }) => name === 'pier_open')
    assert.deepEqual([update.status, update.language, update.reason], ['APPROVED', 'pt_PT', null])
  })

  test('passes the handshake', async () => {
    const { results } = await circle.control('POST', 'verify')
    assert.match(JSON.stringify(results), /true/)
  })
})
