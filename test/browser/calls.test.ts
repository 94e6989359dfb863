// Calls as they happen, over the real socket, and a page whose session is ended elsewhere.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { client, type Json, ok, signIn } from '../e2e/clients.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { after, before, describe, test } from '../support/harness.ts'
import {
  assertAccessible,
  assertNoFaults,
  type BrowserScene,
  dialog,
  openBrowserScene,
  screenshot,
} from './scene.ts'

describe('calls in the console', () => {
  let scene: BrowserScene
  let receiver: HttpsReceiver

  before(async () => {
    scene = await openBrowserScene()
    const { stack } = scene
    receiver = await startHttpsReceiver(stack.tls)
    const events = ['message.received', 'call.ringing']
    const endpoint = await stack.addEndpoint({ name: 'Shop', url: receiver.url, events })
    receiver.secret = endpoint.secret
    await stack.assignNumber(stack.numbers[0], { endpointId: endpoint.id, forwardCalls: true })
  })
  after(async () => {
    receiver?.close()
    await scene?.close()
  })

  const ring = (from: string): Promise<Json> =>
    ok(scene.stack.sim.post(`/handsets/${from}/calls`, { to: scene.stack.numbers[0].number }))

  test('a call is seen as it rings, declined, and kept with its timeline', async () => {
    const [overview, page] = [await scene.open('overview'), await scene.open('calls')]
    await page.getByRole('heading', { name: 'No calls yet' }).waitFor()
    await ring('15557000302')
    await overview
      .getByRole('link', { name: /Live calls/ })
      .getByText('1', { exact: true })
      .waitFor()
    const live = page.getByRole('region', { name: 'Live calls' })
    await live.getByRole('row', { name: /\+1 555 700 0302.*Ringing/ }).waitFor()
    await screenshot(page, 'calls-live-light')
    await assertAccessible(page)
    await live.getByRole('button', { name: 'Decline: Handset 0302' }).click()
    const question = dialog(page, 'Decline the call from Handset 0302?')
    await question.getByRole('button', { name: 'Decline call' }).click()
    await page.getByText('Nobody is on the line.', { exact: true }).waitFor()
    await overview
      .getByRole('link', { name: /Live calls/ })
      .getByText('0', { exact: true })
      .waitFor()
    const history = page.getByRole('region', { name: 'Calls', exact: true })
    await history.getByRole('row', { name: /\+1 555 700 0302.*Declined/ }).waitFor()
    await history.getByRole('link', { name: 'Handset 0302' }).click()
    const told = dialog(page).getByRole('listitem')
    for (const moment of [
      'The provider announced the call',
      'Your receiver took it',
      'Somebody asked to decline it',
    ])
      await told
        .filter({ hasText: moment })
        .getByText(/\d\d:\d\d:\d\d\.\d{3}/)
        .waitFor()
    await screenshot(page, 'call-one-light')
    await assertAccessible(page)
    assertNoFaults(page)
    await Promise.all([page.close(), overview.close()])
  })

  test('a call that did not reach the receiver says why, beside it and in it', async () => {
    const page = await scene.open('calls?status=RINGING')
    receiver.answer = ({ body }) => (body.event === 'call.ringing' ? 500 : 200)
    const { wacid } = await ring('15557000303')
    const live = page.getByRole('region', { name: 'Live calls' })
    const row = live.getByRole('row', { name: /\+1 555 700 0303/ })
    await row.getByText('Your receiver answered 500').waitFor()
    await row.getByRole('link').click()
    await dialog(page).getByText('It must answer with a status from 200 to 299.').waitFor()
    await dialog(page).getByText('HTTP_500').waitFor()
    await screenshot(page, 'call-failed-light')
    await assertAccessible(page)
    await ok(scene.stack.sim.post(`/calls/${encodeURIComponent(wacid)}/hangup`))
    await dialog(page).getByRole('status').getByText('Missed').waitFor()
    await dialog(page).getByText('It never reached your receiver').first().waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    assert.match(page.url(), /calls\?status=RINGING$/)
    await page.getByRole('heading', { name: 'No results' }).waitFor()
    receiver.answer = () => 200
    assertNoFaults(page)
    await page.close()
  })

  test('a session that is ended elsewhere asks for the sign-in at once, over the page', async () => {
    const { stack, origin } = scene
    const page = await scene.newPage()
    await page.goto(scene.urlOf('calls'))
    await signInAt(page)
    await page.getByText('Nobody is on the line.', { exact: true }).waitFor()
    // From here on the page gets no answer about its workspace, so that only the socket can tell it.
    await page.route('**/console/api/workspaces/**', () => {})
    const [theirs] = await page.context().cookies()
    const own = client(`${origin}/console/api`, { cookie: `${theirs?.name}=${theirs?.value}` })
    const { data } = await ok(own.get('/me/sessions'))
    const { id } = data.find(({ current }: Json) => current)
    const other = client(`${origin}/console/api`, { cookie: await signIn(origin, stack.operator) })
    await ok(other.delete(`/me/sessions/${id}`), 204)
    const again = page.getByRole('dialog', { name: 'Your session has ended' })
    await again.waitFor()
    await page.unrouteAll()
    await signInAt(page)
    await again.waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor()
    await page.close()
  })

  async function signInAt(page: Page): Promise<void> {
    const { email, password } = scene.stack.operator
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
})
