// Pages that update themselves over the real socket: changes made elsewhere appear without a new request.
import assert from 'node:assert/strict'
import { type Json, ok } from '../e2e/clients.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import {
  assertAccessible,
  assertNoFaults,
  type BrowserScene,
  dialog,
  focused,
  openBrowserScene,
  screenshot,
} from './scene.ts'

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
    await eventually('nothing needs anybody', async () => {
      // The provider refuses two of its templates whenever it is asked.
      await stack.sql`update templates set status = 'APPROVED'`
      return page.getByText(/^Everything works/).isVisible()
    })
    assert.equal(await problems.count(), 0)
    assertNoFaults(page)
    await page.close()
  })

  test('the delivery log holds still under twelve events a second', async () => {
    const { console: api } = scene.stack
    receiver.answer = () => 503
    const { deliveryId } = await testEvent()
    await eventually(
      'one has failed',
      async () => (await scene.stack.delivery(deliveryId)).attempts.length === 1,
    )
    receiver.answer = () => 200
    for (let sent = 0; sent < 30; sent += 10) await Promise.all(Array.from({ length: 10 }, testEvent))
    const page = await scene.open('deliveries?event=message.received&live=true')
    const log = page.getByRole('region', { name: 'Deliveries' })
    const links = log.getByRole('link', { name: 'message.received' })
    await links.nth(30).waitFor()
    const rows = await links.count()
    await links.nth(20).scrollIntoViewIfNeeded()
    await page.evaluate('document.getElementById("content").scrollBy(0, 37)')
    const before = await page.evaluate(firstVisible)
    const flow = startFlow(testEvent)
    const waiting = page.getByRole('button', { name: /new deliver/ })
    const count = async () => Number.parseInt((await waiting.innerText()).replace(/\D/g, ''), 10)
    await waiting.waitFor()
    await eventually('two dozen wait', async () => (await count()) >= 24)
    await api.post(`/deliveries/${deliveryId}/retry`)
    const failed = log.getByRole('row').filter({ has: page.locator(`a[href*="${deliveryId}"]`) })
    await failed.getByText('attempt 2').waitFor()
    await failed.getByText('Delivered').waitFor()
    assert.deepEqual(await page.evaluate(firstVisible), before, 'the reader stays where he was')
    assert.equal(await links.count(), rows, 'no row has come or gone')
    await screenshot(page, 'deliveries-live-light')
    await assertAccessible(page)

    await links.nth(20).focus()
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('heading', { name: 'Attempts' }).waitFor()
    await page.keyboard.press('j')
    await page.waitForURL(`**${await links.nth(21).getAttribute('href')}`)
    await dialog(page).getByRole('button', { name: 'Next' }).press('ArrowDown')
    await page.waitForURL(`**${await links.nth(22).getAttribute('href')}`)
    await page.keyboard.press('k')
    await page.waitForURL(`**${await links.nth(21).getAttribute('href')}`)
    await flow.stop()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await focused(links.nth(21))
    await links.nth(20).focus()
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('heading', { name: 'Attempts' }).waitFor()
    await page.evaluate(pressTwice)
    await page.waitForURL(`**${await links.nth(22).getAttribute('href')}`)
    await page.evaluate(closeAndShowAgain)
    await focused(links.nth(22))
    assert.equal(await links.count(), rows, 'reading takes nothing in')
    await waiting.click()
    await eventually('they are taken in', async () => (await links.count()) > rows)
    assert.equal(await page.evaluate('document.getElementById("content").scrollTop'), 0)
    assertNoFaults(page)
    await page.close()
  })

  test('the page of an endpoint tells how the last day went', async () => {
    receiver.answer = () => 500
    await testEvent()
    await eventually('an attempt has failed', async () => {
      const { hours } = await ok(scene.stack.console.get(`/endpoints/${endpointId}/health`))
      return hours.reduce((sum: number, { failures }: Json) => sum + failures, 0) === 2
    })
    receiver.answer = () => 200
    const page = await scene.open(`endpoints/${endpointId}`)
    await page.getByText(/^\d+ attempts, 2 failed \(\d+(\.\d)?%\)\.$/).waitFor()
    for (const name of [/^Attempts in each/, /^Response time/])
      assert.equal(await page.getByRole('table', { name }).getByRole('row').count(), 25)
    await page.getByRole('heading', { name: 'Last 24 hours' }).scrollIntoViewIfNeeded()
    await screenshot(page, 'endpoint-health-light')
    assertNoFaults(page)
    await page.close()
  })
})

/** The address and place of the first row that is wholly in view. */
const firstVisible = `(() => {
  const top = document.getElementById('content').getBoundingClientRect().top
  const row = [...document.querySelectorAll('tbody tr')].find((one) => one.getBoundingClientRect().top >= top)
  return [row.querySelector('a.row-link').pathname, row.getBoundingClientRect().top]
})()`

const rendered = 'new Promise((resolve) => queueMicrotask(() => queueMicrotask(resolve)))'

/** Faster than the page paints. */
const pressTwice = `(async () => {
  for (const _ of [1, 2]) {
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }))
    await ${rendered}
  }
})()`

/** As on a slow machine: the page is rendered again before it has painted that the drawer is gone. */
const closeAndShowAgain = `(async () => {
  document.querySelector('dialog.drawer').dispatchEvent(new Event('cancel', { cancelable: true }))
  for (const _ of [1, 2]) {
    await ${rendered}
    document.querySelector('tbody input[type=checkbox]').click()
  }
})()`

/** About twelve a second, or as many as the machine can do. */
function startFlow(send: () => Promise<unknown>) {
  let isOver = false
  const flow = (async () => {
    while (!isOver) await Promise.all([send(), new Promise((resolve) => setTimeout(resolve, 80))])
  })()
  return {
    stop: () => {
      isOver = true
      return flow
    },
  }
}
