// Pages that update themselves over the real socket: changes made elsewhere appear without a new request.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { type Json, ok } from '../e2e/clients.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { assertAccessible, assertNoFaults, type BrowserScene, openBrowserScene, screenshot } from './scene.ts'

describe('live pages of the console', () => {
  let scene: BrowserScene
  let receiver: HttpsReceiver
  let endpointId = ''

  before(async () => {
    scene = await openBrowserScene()
    receiver = await startHttpsReceiver(scene.stack.tls)
  })
  after(async () => {
    receiver?.close()
    await scene?.close()
  })

  const dialog = (page: Page, name?: string | RegExp): Locator =>
    page.getByRole('dialog', name === undefined ? {} : { name })
  const testEvent = () =>
    ok(scene.stack.console.post(`/endpoints/${endpointId}/test`, { event: 'message.received' }), 202)

  test('the overview ticks off the first steps as they are taken, and tells what needs somebody', async () => {
    const { stack } = scene
    const page = await scene.open('overview')
    const step = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await step('Make an API key (done)').waitFor()
    await page.getByText('1 of 4 done').waitFor()
    const problems = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
    const unheard = problems.filter({
      hasText: /^Warning: \+[\d ]+: no endpoint gets what people write to it/,
    })
    await unheard.first().waitFor()
    await screenshot(page, 'overview-fresh-light')
    await assertAccessible(page)
    const events = ['message.status', 'message.received', 'call.status', 'call.ringing']
    const endpoint = await stack.addEndpoint({ name: 'Shop', url: receiver.url, events })
    receiver.secret = endpoint.secret
    endpointId = endpoint.id
    await step('Add a webhook endpoint (done)').waitFor()
    assert.match(
      (await page.getByRole('link', { name: 'Send test event' }).getAttribute('href')) ?? '',
      new RegExp(`/endpoints/${endpointId}$`),
    )
    await testEvent()
    await step('Send it a test event (done)').waitFor()
    await stack.assignNumber(stack.numbers[0], { endpointId, forwardCalls: true })
    await page.getByRole('heading', { name: 'Get started' }).waitFor({ state: 'detached' })
    await unheard.first().waitFor({ state: 'detached' })

    const { to, type } = { to: stack.numbers[0].number, type: 'text' }
    await ok(stack.sim.post('/handsets/15557000301/messages', { to, type, text: 'Hello?' }))
    const messages = page.getByRole('link', { name: /Messages in the last hour/ })
    await messages.getByText('1', { exact: true }).waitFor()
    await ok(stack.console.post(`/endpoints/${endpointId}/disable`))
    await ok(stack.sim.post('/handsets/15557000301/messages', { to, type, text: 'Is anybody there?' }))
    const shop = problems.filter({ hasText: /^\w+: Shop: / })
    await shop.filter({ hasText: /Urgent: Shop: off since \d\d:\d\d by .+, 1 held/ }).waitFor()
    const held = page.getByRole('link', { name: /Held deliveries/ })
    await held.getByText('1', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Last 24 hours' }).getByRole('slider').first().waitFor()
    await screenshot(page, 'overview-problem-light')
    await assertAccessible(page)
    // Put right on the spot, by keys alone.
    await shop.getByRole('button', { name: 'Turn on (Shop)' }).press('Enter')
    await dialog(page, 'Turn on Shop?').getByRole('button', { name: 'Turn on' }).press('Enter')
    await shop.filter({ hasText: 'on again, 1 delivery is still held' }).waitFor()
    await shop.getByRole('button', { name: 'Replay 1 (Shop)' }).press('Enter')
    await dialog(page).getByRole('button', { name: 'Replay 1 delivery' }).press('Enter')
    await shop.waitFor({ state: 'detached' })
    await receiver.inbox.first('what was held', (body) => JSON.stringify(body).includes('Is anybody there?'))
    assertNoFaults(page)
    await page.close()
  })

  test('the delivery log grows by itself, but not under somebody who reads', async () => {
    const page = await scene.open('deliveries?event=message.received')
    const log = page.getByRole('region', { name: 'Deliveries' })
    const links = log.getByRole('link', { name: 'message.received' })
    await links.first().waitFor()
    await page.getByRole('switch', { name: 'Live' }).check()
    assert.match(page.url(), /live=true/)
    const before = await links.count()
    await testEvent()
    await eventually('it grows', async () => (await links.count()) === before + 1)
    await links.first().click()
    await dialog(page).getByRole('heading', { name: 'Attempts' }).waitFor()
    await testEvent()
    await page.getByText('1 new delivery').waitFor({ state: 'attached' })
    assert.equal(await log.locator('tbody tr').count(), before + 1, 'the list stays as it was')
    await page.keyboard.press('Escape')
    await eventually('it is taken in', async () => (await links.count()) === before + 2)
    await screenshot(page, 'deliveries-live-light')
    await assertAccessible(page)
    assertNoFaults(page)
    await page.close()
  })

  test('the page of an endpoint tells how the last day went', async () => {
    receiver.answer = () => 500
    await testEvent()
    await eventually('an attempt has failed', async () => {
      const { hours } = await ok(scene.stack.console.get(`/endpoints/${endpointId}/health`))
      return hours.some(({ failures }: Json) => failures > 0)
    })
    receiver.answer = () => 200
    const page = await scene.open(`endpoints/${endpointId}`)
    await page.getByText(/^\d+ attempts, 1 failed \(\d+\.\d %\)\.$/).waitFor()
    for (const name of [/^Attempts in each/, /^Response time/])
      assert.equal(await page.getByRole('table', { name }).getByRole('row').count(), 25)
    await page.getByRole('heading', { name: 'Last 24 hours' }).scrollIntoViewIfNeeded()
    await screenshot(page, 'endpoint-health-light')
    assertNoFaults(page)
    await page.close()
  })
})
