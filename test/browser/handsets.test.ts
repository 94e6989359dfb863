// What handsets do on the simulator's page appears at the API, and the other way round.
import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { ok } from '../e2e/clients.ts'
import { eventually } from '../e2e/scene.ts'
import { session } from '../e2e/sdp.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { type HandsetScene, openHandsetScene, phoneOf, write } from './handset-scene.ts'
import { assertAccessible, assertFits, assertNoFaults, screenshot } from './scene.ts'

// A PNG of 16 x 16 pixels in one colour.
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mPwd3tKEmIY1TCqYfhqAABe7noQUGj3EgAAAABJRU5ErkJggg==',
  'base64',
)

const widthOf = (image: Locator) => image.evaluate((element) => Number(Reflect.get(element, 'naturalWidth')))

describe('the page of handsets', () => {
  let scene: HandsetScene

  before(async () => {
    scene = await openHandsetScene()
  })
  after(() => scene?.close())

  test('a template arrives, and its statuses move on both sides', async () => {
    const page = await scene.openPage(['15557000101', '15557000001'])
    const [first, second] = [phoneOf(page, '15557000101'), phoneOf(page, '15557000001')]
    const { id } = await scene.send('15557000101')
    await scene.send('15557000001')
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
    const page = await scene.openPage(['15557000103'])
    const phone = phoneOf(page, '15557000103')
    await write(phone, 'Is it open?')
    const { body } = await scene.receiver.inbox.first('the text', ({ data }) => data?.text === 'Is it open?')
    await phone.getByLabel('Message', { exact: true }).fill('The door')
    await phone
      .getByLabel('Send a picture')
      .setInputFiles({ name: 'door.png', mimeType: 'image/png', buffer: picture })
    const image = phone.getByRole('img', { name: 'The door' })
    await image.waitFor()
    await eventually('the picture is drawn', async () => (await widthOf(image)) === 16)
    const { body: sent } = await scene.receiver.inbox.first(
      'the picture',
      ({ data }) => data?.text === 'The door',
    )
    const bytes = await fetch(
      `${scene.stack.gateway(0).origin}/api/v1/messages/chat/${sent.data.messageId}/media`,
      {
        headers: { authorization: `Bearer ${scene.stack.key}` },
      },
    ).then((answer) => answer.arrayBuffer())
    assert.deepEqual(Buffer.from(bytes), picture)

    await ok(scene.stack.api.post(`/conversations/${body.data.conversationId}/read`))
    await phone
      .getByRole('article')
      .filter({ hasText: 'Is it open?' })
      .getByText(/· read$/)
      .waitFor()
    await ok(scene.stack.api.post(`/conversations/${body.data.conversationId}/typing`), 202)
    await phone.getByText('typing…').waitFor()
    await scene.send('15557000103')
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
    const page = await scene.openPage(['15557000104'])
    const phone = phoneOf(page, '15557000104')
    await phone.getByRole('switch', { name: 'Online' }).uncheck()
    await phone.getByText('Nothing arrives until it is back.').waitFor()
    assert.ok(await phone.getByLabel('Message', { exact: true }).isDisabled())
    await scene.send('15557000104')
    await phone.getByText(/sent, not delivered yet$/).waitFor()
    await phone.getByRole('switch', { name: 'Online' }).check()
    await phone.getByText(/· delivered$/).waitFor()
    await page.close()
  })

  test('a question for permission is answered, and decides what the business may do', async () => {
    const { api } = scene.stack
    const page = await scene.openPage(['15557000105'])
    const phone = phoneOf(page, '15557000105')
    const calls = phone.getByLabel('Business may call')
    await calls.selectOption({ label: 'No' })
    await eventually('the refusal is known', async () => (await scene.call('15557000105')).status === 422)
    const template = { name: 'call_permission', language: 'en_US' }
    await ok(api.post('/messages/chat', { to: '+15557000105', template }), 202)
    const question = phone.getByRole('group', { name: 'May the business call?' })
    await question.waitFor()
    await screenshot(page, 'handsets-permission-light')
    await assertAccessible(page)
    await question.getByRole('button', { name: 'Allow for 7 days' }).click()
    await question.waitFor({ state: 'detached' })
    await phone.getByText('Calls are allowed.').waitFor()
    assert.equal(await calls.inputValue(), 'temporary')
    await eventually('the grant is known', async () => (await scene.call('15557000105')).status === 202)
    await phone.getByRole('button', { name: 'Decline' }).click()
    await phone.getByText('The business called: you declined').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('the business calls: it rings, is answered by the keyboard, and is hung up', async () => {
    const { api } = scene.stack
    const page = await scene.openPage(['15557000106', '15557000001'])
    const phone = phoneOf(page, '15557000106')
    const { id } = await ok(scene.call('15557000106'), 202)
    await phone.getByText('Incoming call').waitFor()
    await page.getByRole('alert').getByText('North Dock is calling.').waitFor({ state: 'attached' })
    await screenshot(page, 'handsets-ringing-light')
    await assertAccessible(page)
    await phone.getByRole('button', { name: 'Answer' }).press('Enter')
    await phone
      .getByRole('timer')
      .getByText(/^0:0[1-9]$/)
      .waitFor()
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
    const page = await scene.openPage(['15557000107'])
    const phone = phoneOf(page, '15557000107')
    await phone.getByRole('button', { name: 'Call North Dock' }).click()
    await phone.getByText('Calling…').waitFor()
    const ringing = await scene.receiver.inbox.first('call.ringing', ({ event }) => event === 'call.ringing')
    const { id } = ringing.body.call
    await ok(api.post(`/calls/${id}/answer`, { session: session('answer') }))
    await phone.getByRole('timer').waitFor()
    await ok(api.post(`/calls/${id}/action`, { action: 'HANG_UP' }))
    await phone.getByText(/^You called: .*the business hung up/).waitFor()
    await page.close()
  })

  test('handsets open from the list and by number, and stay over a reload', async () => {
    const page = await scene.openPage(['15557000001'])
    await page.getByRole('button', { name: /^0024/ }).click()
    await phoneOf(page, '15557000024').waitFor()
    await page.getByLabel('Open a handset').fill('12')
    await page.getByLabel('Open a handset').press('Enter')
    await page.getByText('A phone number has 5 to 20 digits.').waitFor()
    await page.getByLabel('Open a handset').fill('+351 912 345 678')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByRole('region', { name: '+351 912 345 678' }).waitFor()
    await page.reload()
    await page.getByRole('region', { name: '+351 912 345 678' }).waitFor()
    await page.getByRole('button', { name: 'Close +351 912 345 678' }).click()
    assert.equal(new URL(page.url()).searchParams.get('open'), '15557000024,15557000001')

    await page.close()
  })

  test('a lost stream comes back, and what the simulator refuses in between stands in the phone', async () => {
    const page = await scene.openPage(['15557000110'])
    const phone = phoneOf(page, '15557000110')
    await page.route('**/sim/live*', (route) => route.abort())
    // Opening another handset requests another stream.
    await page.getByRole('button', { name: /^0002/ }).click()
    await page.getByText('Lost the simulator; trying again').waitFor()
    const to = scene.stack.numbers[1].phoneNumberId
    await ok(scene.stack.sim.post('/handsets/15557000110/calls', { to }))
    await phone.getByRole('button', { name: 'Call North Dock' }).click()
    await phone.getByRole('alert').getByText('The handset is in a call.').waitFor()
    await phone.getByRole('button', { name: 'Dismiss' }).click()
    await phone.getByText('The handset is in a call.').waitFor({ state: 'detached' })
    await page.unroute('**/sim/live*')
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await phone.getByRole('button', { name: 'Hang up' }).click()
    await phone.getByRole('button', { name: 'Hang up' }).waitFor({ state: 'detached' })
    await phone.getByLabel('Chat with').selectOption({ label: 'North Dock Support' })
    await phone.getByText(/^You called: you hung up/).waitFor()
    await page.close()
  })

  test('a button is tapped, a text is edited and deleted, a place is sent, marketing is stopped', async () => {
    const page = await scene.openPage(['15557000110'])
    const phone = phoneOf(page, '15557000110')
    const template = {
      ...{ name: 'spring_sale', language: 'en_US' },
      variables: { first_name: 'Ines', discount: '20 %' },
    }
    await ok(scene.stack.api.post('/messages/chat', { to: '+15557000110', template }), 202)
    await phone.getByRole('button', { name: 'Stop promotions' }).click()
    await scene.receiver.inbox.first('the tap', ({ data }) => data?.text === 'Stop promotions')
    await write(phone, 'Is it frist?')
    const written = phone.getByRole('article').filter({ hasText: /Is it f/ })
    await written.getByRole('button', { name: 'Edit' }).click()
    await written.getByLabel('New text').fill('Is it first?')
    await written.getByRole('button', { name: 'Save' }).click()
    await phone.getByText('Is it first?').waitFor()
    await written.getByRole('button', { name: 'Delete' }).click()
    await phone.getByText('(deleted)').waitFor()
    await phone.getByLabel('Send something else').selectOption({ label: 'Place' })
    await scene.receiver.inbox.first('the place', ({ data }) => String(data?.text).includes('Dock'))
    await phone.getByRole('article').getByText('Dock', { exact: true }).waitFor()
    await phone.getByLabel('Marketing messages').selectOption({ label: 'Stopped' })
    await eventually('the handset has stopped them', async () => {
      return (await ok(scene.stack.sim.get('/handsets/15557000110'))).stoppedMarketing
    })
    await screenshot(page, 'handsets-people-light')
    await assertAccessible(page)
    assertNoFaults(page)
    await page.close()
  })

  test('a user takes a username and another number, and one without a number is opened by the id', async () => {
    const page = await scene.openPage(['15557000111'])
    const phone = phoneOf(page, '15557000111')
    await phone.getByText('Identity').click()
    await phone.getByLabel('Username').fill('ines.p')
    await phone.getByRole('button', { name: 'Take it' }).click()
    await phone.getByText('· ines.p').waitFor()
    assert.equal(await phone.getByLabel('Shows the number').inputValue(), 'known')
    await screenshot(page, 'handsets-identity-light')
    await assertAccessible(page)
    await phone.getByLabel('New number').fill('+1 555 700 0112')
    await phone.getByRole('button', { name: 'Change it' }).click()
    await phoneOf(page, '15557000112').waitFor()
    await page.getByLabel('Open a handset').fill('PT.44100928')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByRole('region', { name: 'PT.44100928' }).getByText('Nothing yet.').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('an event of the account and a webhook as it is written are sent', async () => {
    const page = await scene.openPage(['15557000113'])
    await page.getByRole('tab', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Restrict' }).click()
    await page.getByText('Restrict: sent.').waitFor()
    await page.getByText('A webhook as it is written here').click()
    await page.getByRole('button', { name: 'Send it, signed' }).click()
    await page.getByText('The webhook was sent.').waitFor()
    await screenshot(page, 'handsets-account-light')
    await assertAccessible(page)
    assertNoFaults(page)
    await page.close()
  })

  for (const [name, options] of [
    ['dark', { theme: 'dark' }],
    ['narrow', { isNarrow: true }],
  ] as const)
    test(`is accessible and fits, ${name}`, async () => {
      const page = await scene.openPage(['15557000103', '15557000001', '15557000106'], options)
      await write(phoneOf(page, '15557000001'), `Hello from the ${name} side`)
      await ok(scene.call('15557000106'), 202)
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
