// Checks that every page must pass, whatever it shows.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { eventKinds } from '../../src/contract/events.ts'
import { ok } from '../e2e/clients.ts'
import { arrives } from '../e2e/media-steps.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { eventually } from '../e2e/scene.ts'
import type { Stack } from '../e2e/stack.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { assertRoom } from './layout.ts'
import {
  assertAccessible,
  assertFits,
  assertNoFaults,
  type BrowserScene,
  loaded,
  openBrowserScene,
  screenshot,
} from './scene.ts'

interface Look {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
  /** Rules of axe; undefined means all, an empty list none. Only what the theme or the width can break and no look before has checked. */
  readonly rules?: readonly string[]
}

const ofTheme = ['color-contrast']
/** Where there is less room, other things are shown. */
const ofWidth = ['target-size', 'scrollable-region-focusable']

/** In this order a look differs from the one before by its theme or by its width, so little is laid out anew. */
const looks: readonly Look[] = [
  { name: 'light', width: 1440, height: 900, theme: 'light' },
  { name: 'dark', width: 1440, height: 900, theme: 'dark', rules: ofTheme },
  // Its colours are those of the look before, and it shows what the next one shows.
  { name: 'medium-dark', width: 1024, height: 768, theme: 'dark', rules: [] },
  { name: 'medium', width: 1024, height: 768, theme: 'light', rules: ofWidth },
  { name: 'narrow', width: 390, height: 844, theme: 'light', rules: [...ofWidth, ...ofTheme] },
  { name: 'narrow-dark', width: 390, height: 844, theme: 'dark', rules: ofTheme },
]

export const paths = [
  ...[
    'overview',
    'conversations',
    'messages',
    'calls',
    'campaigns',
    'templates',
    'numbers',
    'keys',
    'endpoints',
  ],
  ...['deliveries', 'inbound', 'members', 'audit', 'settings', 'account'],
]

/** Checks half of the pages in every look. Each half has its own test file, so that no file takes long. */
export const judgePages = (half: 'lists' | 'records'): void =>
  void describe(`every page of the console: ${half}`, () => {
    let scene: BrowserScene
    let receiver: HttpsReceiver
    let endpointId = ''
    let deliveryId = ''
    let conversationId = ''
    let callId = ''
    let messageId = ''
    let templateId = ''
    let campaignId = ''

    before(async () => {
      scene = await openBrowserScene()
      const { stack } = scene
      receiver = await startHttpsReceiver(stack.tls)
      const endpoint = await stack.addEndpoint({ name: 'Shop', url: receiver.url, events: eventKinds })
      receiver.secret = endpoint.secret
      endpointId = endpoint.id
      await stack.addEndpoint({
        name: 'Archive',
        url: 'https://127.0.0.1:9/events',
        events: ['message.status'],
      })
      await stack.assignNumber(stack.numbers[0], { endpointId, forwardCalls: true })
      campaignId = await runCampaign(stack)
      await stack.console.post(`/endpoints/${endpointId}/test`, { event: 'message.received' })
      await eventually('the test event is delivered', async () => {
        const [delivery] = await stack.deliveries({ state: 'DELIVERED' })
        deliveryId = delivery?.id ?? ''
        return deliveryId !== ''
      })
      // A conversation with messages in both directions and a file, and a call that was not forwarded.
      const picture = await arrives(stack, '15557000001', { type: 'image', caption: 'This one?' })
      conversationId = picture.conversationId
      const template = { name: 'hello_world', language: 'en_US' }
      const sent = await ok(stack.api.post('/messages/chat', { to: '+15557000001', template }), 202)
      messageId = sent.id
      receiver.answer = ({ body }) => (body.event === 'call.ringing' ? 500 : 200)
      await ok(stack.sim.post('/handsets/15557000001/calls', { to: stack.numbers[0].number }))
      await eventually('the ring has failed', async () => {
        const { data } = await ok(stack.console.get('/calls'))
        callId = data[0]?.id ?? ''
        return data[0]?.lastForwardError != null
      })
      const { data } = await ok(stack.console.get('/templates?name=appointment_reminder'))
      templateId = data[0].id
    })
    after(async () => {
      receiver?.close()
      await scene?.close()
    })

    test('is accessible, keeps the policy and has room, in light and dark, from wide to a telephone', async () => {
      const records = [
        ...[`endpoints/${endpointId}`, `deliveries/${deliveryId}`, `messages/${messageId}`],
        ...['campaigns/new', `campaigns/${campaignId}`],
        ...[`conversations/${conversationId}`, `calls/${callId}`],
        ...['templates/new', `templates/${templateId}`],
      ]
      const page = await scene.open('overview')
      for (const path of half === 'lists' ? paths : records) {
        await page.goto(scene.urlOf(path))
        for (const [index, look] of looks.entries()) await judge(page, path, look, looks[index - 1])
        await assertWords(page)
        assertNoFaults(page)
      }
      await page.close()
    })
  })

/** Codes of the API stand in code, where programs meet them; a page says the same in words. */
async function assertWords(page: Page): Promise<void> {
  const found = (await page.evaluate(`(() => {
    const texts = []
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { parentElement, data } = walker.currentNode
      if (parentElement.closest('code, pre, .code, .tag, textarea, option, .hint')) continue
      if (/\\b[A-Z]{2,}_[A-Z_]+\\b|\\b(undefined|NaN|\\[object Object\\])\\b/.test(data)) texts.push(data)
    }
    return texts
  })()`)) as string[]
  assert.deepEqual(found, [], page.url())
}

async function judge(page: Page, path: string, look: Look, before: Look | undefined): Promise<void> {
  const { name, width, height, theme, rules } = look
  await page.emulateMedia({ colorScheme: theme })
  await page.setViewportSize({ width, height })
  await loaded(page)
  if (rules?.length !== 0) await assertAccessible(page, rules)
  if (width !== before?.width) {
    await assertFits(page)
    await assertRoom(page)
  }
  if (!name.endsWith('-dark'))
    await screenshot(page, `${path.replace('/new', '-new').replace(/\/.*/, '-one')}-${name}`)
}

/** Runs a campaign with recipients in several statuses to its end. */
async function runCampaign({ api }: Stack): Promise<string> {
  const template = { name: 'order_ready', language: 'en_US' }
  const variables = { store: 'North Dock', first_name: 'Ines', order_number: 'A-4471' }
  const { id } = await ok(api.post('/campaigns', { name: 'Orders of spring', template, variables }), 201)
  const recipients = ['0001', '0002', '0003', '0007', '0010'].map((ending) => ({ to: `+1559000${ending}` }))
  await ok(api.post(`/campaigns/${id}/recipients`, { recipients }))
  await ok(api.post(`/campaigns/${id}/start`))
  await eventually('the campaign is completed', async () => {
    const { status } = await ok(api.get(`/campaigns/${id}`))
    return status === 'COMPLETED'
  })
  return id
}
