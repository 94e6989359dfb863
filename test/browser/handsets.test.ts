// The simulator's page before the whole product: what its handsets do is seen at the API, and the other way round.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { ok, refused } from '../e2e/clients.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { eventually } from '../e2e/scene.ts'
import { session } from '../e2e/sdp.ts'
import {
  assertAccessible,
  assertFits,
  assertNoFaults,
  type BrowserScene,
  openBrowserScene,
  type PageOptions,
  screenshot,
} from './scene.ts'

// A red square of 8 pixels.
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP8z4APMOGVHbHSAEEsAQ8I+KjTAAAAAElFTkSuQmCC',
  'base64',
)

describe('the page of handsets', () => {
  let scene: BrowserScene
  let receiver: HttpsReceiver

  before(async () => {
    scene = await openBrowserScene()
    receiver = await startHttpsReceiver(scene.stack.tls)
    const endpoint = await scene.stack.addEndpoint({
      name: 'shop',
      url: receiver.url,
      events: ['message.received', 'call.ringing', 'call.status'],
    })
    receiver.secret = endpoint.secret
    await scene.stack.assignNumber(scene.stack.numbers[0], { endpointId: endpoint.id, forwardCalls: true })
  })
  after(async () => {
    receiver?.close()
    await scene?.close()
  })

  const openPage = async (waIds: readonly string[], options: PageOptions = {}): Promise<Page> => {
    const page = await scene.newPage(options)
    await page.goto(`${scene.stack.simulatorUrl}/?open=${waIds.join(',')}`)
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    return page
  }

  const phoneOf = (page: Page, waId: string): Locator =>
    page.getByRole('region', { name: `+1 555 700 ${waId.slice(-4)}`, exact: true })

  const orderReady = (to: string, name = 'Ines') =>
    scene.stack.api.post('/messages/chat', {
      to: `+${to}`,
      template: {
        name: 'order_ready',
        language: 'en_US',
        variables: { store: 'North Dock', first_name: name, order_number: 'A-4471' },
      },
    })

  const write = async (phone: Locator, text: string) => {
    await phone.getByLabel('Message', { exact: true }).fill(text)
    await phone.getByLabel('Message', { exact: true }).press('Enter')
    await phone.getByRole('article').getByText(text).waitFor()
  }

  test('a template arrives, and its statuses move on both sides', async () => {
    const page = await openPage(['15557000101', '15557000001'])
    const [first, second] = [phoneOf(page, '15557000101'), phoneOf(page, '15557000001')]
    const { id } = await ok(orderReady('15557000101'), 202)
    await ok(orderReady('15557000001'), 202)
    const bubble = first.getByRole('article').filter({ hasText: 'Hi Ines, order A-4471 is ready.' })
    await bubble.getByText(/· delivered$/).waitFor()
    await second
      .getByRole('article')
      .getByText(/· read$/)
      .waitFor()
    await first.getByRole('button', { name: 'Mark read' }).click()
    await bubble.getByText(/· read$/).waitFor()
    await eventually('the sender sees it read', async () => {
      const { status } = await ok(scene.stack.api.get(`/messages/chat/${id}`))
      return status === 'READ'
    })
    assert.ok(await first.getByRole('button', { name: 'Mark read' }).isDisabled())
    assertNoFaults(page)
    await page.close()
  })

  test('a text and a picture reach the business, a reaction and its read mark come back', async () => {
    const page = await openPage(['15557000103'])
    const phone = phoneOf(page, '15557000103')
    await write(phone, 'Is it open?')
    const { body } = await receiver.inbox.first('the text', ({ data }) => data?.text === 'Is it open?')
    await phone.getByLabel('Message', { exact: true }).fill('The door')
    await phone
      .getByLabel('Send a picture')
      .setInputFiles({ name: 'door.png', mimeType: 'image/png', buffer: picture })
    const image = phone.getByRole('img', { name: 'The door' })
    await image.waitFor()
    await eventually(
      'the picture is drawn',
      async () => Number(await image.evaluate('this.naturalWidth', image).catch(() => 8)) === 8,
    )
    const { body: sent } = await receiver.inbox.first('the picture', ({ data }) => data?.text === 'The door')
    const bytes = await fetch(`${scene.origin}/api/v1/messages/chat/${sent.data.messageId}/media`, {
      headers: { authorization: `Bearer ${scene.stack.key}` },
    }).then((answer) => answer.arrayBuffer())
    assert.deepEqual(Buffer.from(bytes), picture)

    await ok(scene.stack.api.post(`/conversations/${body.data.conversationId}/read`))
    await phone
      .getByRole('article')
      .filter({ hasText: 'Is it open?' })
      .getByText(/· read$/)
      .waitFor()
    await ok(scene.stack.api.post(`/conversations/${body.data.conversationId}/typing`))
    await phone.getByText('typing…').waitFor()
    await ok(orderReady('15557000103'), 202)
    await phone.getByText('typing…').waitFor({ state: 'detached' })
    const received = phone.getByRole('article').filter({ hasText: 'order A-4471' })
    await received.getByRole('button', { name: 'React', exact: true }).click()
    await received.getByRole('button', { name: 'React with ❤️' }).click()
    await received.locator('.reaction').getByText('❤️').waitFor()
    await screenshot(page, 'handsets-chat-light')
    assertNoFaults(page)
    await page.close()
  })

  test('offline, nothing arrives; back online, it does', async () => {
    const page = await openPage(['15557000104'])
    const phone = phoneOf(page, '15557000104')
    await phone.getByRole('switch', { name: 'Online' }).uncheck()
    await phone.getByText('Nothing arrives until it is back.').waitFor()
    assert.ok(await phone.getByLabel('Message', { exact: true }).isDisabled())
    await ok(orderReady('15557000104'), 202)
    await phone.getByText(/sent, not delivered yet$/).waitFor()
    await phone.getByRole('switch', { name: 'Online' }).check()
    await phone.getByText(/· delivered$/).waitFor()
    await page.close()
  })

  test('a question for permission is answered, and decides what the business may do', async () => {
    const { api } = scene.stack
    const page = await openPage(['15557000105'])
    const phone = phoneOf(page, '15557000105')
    const calls = phone.getByLabel('Calls from the business')
    await calls.selectOption({ label: 'Not allowed' })
    const place = () => api.post('/calls', { to: '+15557000105', session: session('offer') })
    await eventually('the refusal is known', async () => (await place()).status !== 201)
    const template = { name: 'call_permission', language: 'en_US' }
    await ok(api.post('/messages/chat', { to: '+15557000105', template }), 202)
    const question = phone.getByRole('group', { name: 'May the business call?' })
    await question.waitFor()
    await screenshot(page, 'handsets-permission-light')
    await assertAccessible(page)
    await question.getByRole('button', { name: 'Allow for 7 days' }).click()
    await question.waitFor({ state: 'detached' })
    await phone.getByText('call permission: accept').waitFor()
    assert.equal(await calls.inputValue(), 'temporary')
    await ok(place(), 201)
    await phone.getByRole('button', { name: 'Decline' }).click()
    await phone.getByText('The business called: you declined').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('the business calls: it rings, is answered by the keyboard, and is hung up', async () => {
    const { api } = scene.stack
    const page = await openPage(['15557000106', '15557000001'])
    const phone = phoneOf(page, '15557000106')
    const { id } = await ok(api.post('/calls', { to: '+15557000106', session: session('offer') }), 201)
    await phone.getByText('Incoming call').waitFor()
    await page.getByRole('alert').getByText('North Dock is calling.').waitFor({ state: 'attached' })
    await screenshot(page, 'handsets-ringing-light')
    await assertAccessible(page)
    await phone.getByRole('button', { name: 'Answer' }).press('Enter')
    await phone.getByRole('timer').getByText('0:02').waitFor()
    const statusIs = (status: string) =>
      eventually(`the call is ${status}`, async () => (await ok(api.get(`/calls/${id}`))).status === status)
    await statusIs('ACCEPTED')
    await phone.getByRole('button', { name: 'Hang up' }).click()
    await phone.getByText(/^The business called: 0:0\d, you hung up/).waitFor()
    await statusIs('COMPLETED')
    assertNoFaults(page)
    await page.close()
  })

  test('a forwarded number is rung, and its answer is heard of', async () => {
    const { api } = scene.stack
    const page = await openPage(['15557000107'])
    const phone = phoneOf(page, '15557000107')
    await phone.getByRole('button', { name: 'Call North Dock' }).click()
    await phone.getByText('Calling…').waitFor()
    const ringing = await receiver.inbox.first('call.ringing', ({ event }) => event === 'call.ringing')
    const { id } = ringing.body.call
    await ok(api.post(`/calls/${id}/answer`, { session: session('answer') }))
    await phone.getByRole('timer').waitFor()
    await ok(api.post(`/calls/${id}/action`, { action: 'TERMINATE' }))
    await phone.getByText(/^You called: .*the business hung up/).waitFor()
    await page.close()
  })

  test('a fault is set by one click, is shown plainly, makes a send fail, and is cleared', async () => {
    const page = await openPage(['15557000108'])
    const phone = phoneOf(page, '15557000108')
    await page.getByRole('tab', { name: 'Faults' }).click()
    await page.getByRole('button', { name: 'Refuse messages' }).click()
    await page.getByText('1 fault in force:').waitFor()
    const { id } = await ok(orderReady('15557000108'), 202)
    await eventually('the message fails', async () => {
      const { status } = await ok(scene.stack.api.get(`/messages/chat/${id}`))
      return status === 'FAILED'
    })
    await page.getByText('1 hit').waitFor()
    await page.getByText('A rule of your own for the API').click()
    await page.getByLabel('What happens').selectOption({ label: 'Delay' })
    await page.getByLabel('Only to numbers ending in').fill('0001')
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByText('2 faults in force:').waitFor()
    await page.getByText('messages to …0001 wait 3000 ms', { exact: true }).waitFor()
    await screenshot(page, 'handsets-faults-light')
    await assertAccessible(page)

    await page.getByRole('tab', { name: 'Faults' }).press('ArrowLeft')
    const row = page.getByRole('button', { name: /Request POST \/messages 400/ }).first()
    await row.click()
    await page.getByRole('region', { name: 'Answer 400' }).getByText('"code": 131026').waitFor()
    await page.getByRole('region', { name: 'Request', exact: true }).getByText('"order_ready"').waitFor()
    await screenshot(page, 'handsets-wire-light')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByText('in force:').waitFor({ state: 'detached' })
    await ok(orderReady('15557000108', 'Jo'), 202)
    await phone.getByText('Hi Jo, order A-4471 is ready.').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('webhooks show their bodies and how often they were tried', async () => {
    const page = await openPage(['15557000109'])
    await page.getByRole('tab', { name: 'Faults' }).click()
    await page.getByRole('button', { name: 'Deaf' }).click()
    await page.getByText('the first 2 answers to each webhook are ignored', { exact: true }).waitFor()
    await write(phoneOf(page, '15557000109'), 'Can you hear me?')
    await page.getByRole('tab', { name: 'Wire' }).click()
    await page.getByRole('button', { name: 'Webhooks', exact: true }).click()
    const row = page.getByRole('button', { name: /Webhook message 200 ×3/ }).first()
    await row.waitFor()
    await row.click()
    await page.getByRole('region', { name: 'Body' }).getByText('Can you hear me?').waitFor()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    await ok(scene.stack.sim.put('/faults', {}))
    await page.getByText('in force:').waitFor({ state: 'detached' })
    await page.close()
  })

  test('handsets open from the list and by number, stay over a reload, and say what they refuse', async () => {
    const page = await openPage(['15557000001'])
    await page.getByRole('button', { name: /…0024/ }).click()
    await phoneOf(page, '15557000024').waitFor()
    await page.getByLabel('Open a handset').fill('12')
    await page.getByLabel('Open a handset').press('Enter')
    await page.getByText('A phone number has 5 to 20 digits.').waitFor()
    await page.getByLabel('Open a handset').fill('+351 912 345 678')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByRole('region', { name: '+351912345678' }).waitFor()
    await page.reload()
    await page.getByRole('region', { name: '+351912345678' }).waitFor()
    await page.getByRole('button', { name: 'Close +351912345678' }).click()
    assert.equal(new URL(page.url()).searchParams.get('open'), '15557000024,15557000001')

    const phone = phoneOf(page, '15557000024')
    await scene.stack.sim.post('/handsets/15557000024/calls', { to: scene.stack.numbers[1].phoneNumberId })
    // It calls again, faster than the page hears of the call that there is.
    assert.equal(
      await refused(
        scene.stack.sim.post('/handsets/15557000024/calls', { to: scene.stack.numbers[0].phoneNumberId }),
        409,
      ),
      undefined,
    )
    await phone.getByRole('button', { name: 'Hang up' }).click()
    await page.close()
  })

  test('what the simulator refuses stands in the phone', async () => {
    const page = await openPage(['15557000110'])
    const phone = phoneOf(page, '15557000110')
    const calling = phone.getByRole('button', { name: 'Call North Dock' })
    // As if another page had been faster.
    await page.route('**/sim/handsets/15557000110/calls', async (route) => {
      await route.fulfill({ status: 409, json: { error: { message: 'the handset is in a call' } } })
    })
    await calling.click()
    await phone.getByRole('alert').getByText('The handset is in a call.').waitFor()
    await phone.getByRole('button', { name: 'Dismiss' }).click()
    await phone.getByText('The handset is in a call.').waitFor({ state: 'detached' })
    await page.close()
  })

  for (const [name, options] of [
    ['dark', { theme: 'dark' }],
    ['narrow', { isNarrow: true }],
  ] as const)
    test(`is accessible and fits, ${name}`, async () => {
      const page = await openPage(['15557000103', '15557000001', '15557000106'], options)
      await write(phoneOf(page, '15557000001'), `Hello from the ${name} side`)
      await ok(scene.stack.api.post('/calls', { to: '+15557000106', session: session('offer') }), 201)
      await phoneOf(page, '15557000106').getByText('Incoming call').waitFor()
      await assertAccessible(page)
      if (name === 'narrow') await assertFits(page)
      await screenshot(page, `handsets-${name}`)
      await page.getByRole('tab', { name: 'Faults' }).click()
      await assertAccessible(page)
      await screenshot(page, `handsets-faults-${name}`)
      await phoneOf(page, '15557000106').getByRole('button', { name: 'Decline' }).click()
      assertNoFaults(page)
      await page.close()
    })
})
