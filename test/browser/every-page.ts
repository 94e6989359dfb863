// Checks that every page must pass, whatever it shows.

import type { Page } from 'playwright-core'
import { eventKinds } from '../../src/contract/events.ts'
import { ok } from '../e2e/clients.ts'
import { arrives } from '../e2e/media-steps.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { eventually } from '../e2e/scene.ts'
import type { Stack } from '../e2e/stack.ts'
import { after, before, describe, test } from '../support/harness.ts'
import {
  assertAccessible,
  assertFits,
  assertNoFaults,
  type BrowserScene,
  loaded,
  openBrowserScene,
  screenshot,
  viewport,
} from './scene.ts'

interface Look {
  readonly name: string
  readonly theme: 'light' | 'dark'
  readonly isNarrow: boolean
  /**
   * Rules of axe; undefined means all. Only those that the theme or the width can break and the first look
   * has not checked.
   */
  readonly rules?: readonly string[]
}

const looks: readonly Look[] = [
  { name: 'light', theme: 'light', isNarrow: false },
  { name: 'dark', theme: 'dark', isNarrow: false, rules: ['color-contrast'] },
  { name: 'narrow', theme: 'light', isNarrow: true, rules: ['target-size', 'scrollable-region-focusable'] },
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
      await ok(stack.api.post('/messages/chat', { to: '+15557000001', template }), 202)
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

    test('is accessible, keeps the policy and fits, in light, in dark and on a telephone', async () => {
      const records = [
        ...[`endpoints/${endpointId}`, `deliveries/${deliveryId}`],
        ...['campaigns/new', `campaigns/${campaignId}`],
        ...[`conversations/${conversationId}`, `calls/${callId}`],
        ...['templates/new', `templates/${templateId}`],
      ]
      const page = await scene.open('overview')
      for (const path of half === 'lists' ? paths : records) {
        await page.goto(scene.urlOf(path))
        for (const look of looks) await judge(page, path, look)
        assertNoFaults(page)
      }
      await page.close()
    })
  })

async function judge(page: Page, path: string, { name, theme, isNarrow, rules }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.setViewportSize(viewport(isNarrow))
  await loaded(page)
  await assertAccessible(page, rules)
  if (isNarrow) await assertFits(page)
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
