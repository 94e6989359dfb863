// What operators do with the pages, by mouse and by keyboard.
import assert from 'node:assert/strict'
import { phone } from '../../src/web/browser/phone.ts'
import { ok } from '../e2e/clients.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { navigationLeadsToEveryPage, telephoneNavigationCloses, themeStays } from './frame-steps.ts'
import {
  assertAccessible,
  assertNoFaults,
  type BrowserScene,
  dialog,
  filterChip,
  focused,
  isFocused,
  loaded,
  notice,
  openBrowserScene,
  screenshot,
  setFilter,
} from './scene.ts'

describe('work in the console', () => {
  let scene: BrowserScene
  let receiver: HttpsReceiver

  before(async () => {
    scene = await openBrowserScene({ env: { WEBHOOK_RETRY_DELAYS: '1h,1h,1h,1h,1h' } })
    receiver = await startHttpsReceiver(scene.stack.tls)
  })
  after(async () => {
    receiver?.close()
    await scene?.close()
  })

  test('a key is made, shown once, edited and revoked', async () => {
    const page = await scene.open('keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await screenshot(page, 'key-form-light')
    await assertAccessible(page)
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    await dialog(page).getByText('Choose at least one scope').waitFor()
    await dialog(page).getByLabel('Name').fill('orders')
    await dialog(page).getByLabel('Read messages').check()
    await dialog(page).getByLabel('Expires').selectOption({ label: 'In 30 days' })
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    const shown = dialog(page, 'Your new key')
    const key = await shown.getByText(/^ck_/).innerText()
    await screenshot(page, 'key-secret-light')
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    assert.ok(await shown.isVisible(), 'a secret does not go before it is kept')
    assert.ok(await shown.getByRole('button', { name: 'Done' }).isDisabled())
    await shown.getByLabel('I have stored it safely').check()
    await shown.getByRole('button', { name: 'Done' }).click()
    const ask = (path: string) =>
      fetch(`${scene.origin}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } }).then(
        ({ status }) => status,
      )
    assert.deepEqual([await ask('/messages/chat'), await ask('/templates')], [200, 403])

    const menu = () => page.getByRole('button', { name: 'Actions for orders' }).click()
    await menu()
    await page.getByRole('menuitem', { name: 'Edit', exact: true }).click()
    await dialog(page).getByLabel('List templates').check()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await notice(page, /orders is saved/).waitFor()
    assert.equal(await ask('/templates'), 200)

    await menu()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await dialog(page, 'Revoke orders?').getByRole('button', { name: 'Revoke key' }).click()
    await page.getByRole('row', { name: /orders.*Revoked/ }).waitFor()
    assert.equal(await ask('/templates'), 401)
    assert.ok(!(await page.content()).includes(key), 'the secret is nowhere any more')
    assertNoFaults(page)
    await page.close()
  })

  test('an endpoint is made, tested on the spot, turned off and on, and what was held is replayed', async () => {
    const { stack } = scene
    const page = await scene.open('endpoints')
    await page.getByRole('button', { name: 'Add endpoint' }).first().click()
    await dialog(page).getByLabel('Name').fill('shop')
    await dialog(page).getByLabel('Address').fill('ftp://nowhere.example')
    await dialog(page).getByRole('button', { name: 'Add endpoint' }).click()
    await dialog(page).getByText('Use an https:// or wss:// address', { exact: true }).waitFor()
    await dialog(page).getByLabel('Address').and(page.locator(':focus')).fill(receiver.url)
    await dialog(page).getByRole('button', { name: 'Add endpoint' }).click()
    const secret = dialog(page, 'Signing secret')
    receiver.secret = await secret.getByText(/^whsec_/).innerText()
    await secret.getByLabel('I have stored it safely').check()
    await secret.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()

    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText(/^Answered 200 after \d+ ms\./).waitFor()
    await screenshot(page, 'endpoint-test-light')
    await page.getByLabel('Event', { exact: true }).selectOption('call.ringing')
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('The receiver took call.ringing.').waitFor()

    await page.getByRole('button', { name: 'Turn off' }).click()
    await dialog(page, 'Turn off shop?').getByRole('button', { name: 'Turn off' }).click()
    await notice(page, 'shop is off.').waitFor()
    const endpointId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const template = { name: 'order_ready', language: 'en_US' }
    const variables = { store: 'North Dock', first_name: 'Ines', order_number: 'A-1' }
    await stack.api.post('/messages/chat', { to: '+15557000001', template: { ...template, variables } })
    await eventually('three statuses are held', async () => {
      const held = await stack.deliveries({ endpointId, state: 'HELD' })
      return held.length === 3
    })
    await page.reload()
    await loaded(page)
    await page.getByText('3 events held.').waitFor()
    await screenshot(page, 'endpoint-held-light')
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Show them' }).click()
    await page.getByRole('link', { name: 'message.status' }).first().click()
    await dialog(page)
      .getByText(/^shop is off since .*: Demo Operator turned it off\.$/)
      .waitFor()
    await dialog(page)
      .getByText(/"event": "message\.status"/)
      .waitFor()
    await screenshot(page, 'delivery-held-light')
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Replay many' }).click()
    await dialog(page)
      .getByText(/^shop is off since .* Nothing can be replayed to it\./)
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Turn on shop' }).waitFor()
    await page.keyboard.press('Escape')
    await page.goto(scene.urlOf(`endpoints/${endpointId}`))
    await page.getByRole('button', { name: 'Turn on' }).first().click()
    await dialog(page, 'Turn on shop?').getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('button', { name: 'Replay 3 events' }).click()
    await notice(page, '3 events are on the way.').waitFor()
    await receiver.inbox.first('the replayed status', (body) => body.data?.status === 'READ')
    assertNoFaults(page)
    await page.close()
  })

  test('Forward says which rule it needs, and a number in use keeps its endpoint', async () => {
    const { stack } = scene
    await stack.addEndpoint({ name: 'texts', url: receiver.url, events: ['message.received'] })
    const page = await scene.open('numbers')
    const first = stack.numbers[0].number
    const setUp = () => page.getByRole('button', { name: `Set up ${phone(first)}` }).click()
    await setUp()
    const forward = dialog(page).getByRole('switch', { name: 'Forward calls' })
    assert.ok(await forward.isDisabled())
    await dialog(page).getByLabel('Replies go to').selectOption({ label: 'texts' })
    await dialog(page)
      .getByText('What is written to this number goes to texts alone. shop no longer gets it.')
      .waitFor()
    await dialog(page).getByText('texts does not take calls.').waitFor()
    assert.ok(await forward.isDisabled())
    await screenshot(page, 'number-form-light')
    await assertAccessible(page)
    await dialog(page).getByLabel('Replies go to').selectOption({ label: 'shop' })
    await forward.check()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await notice(page, `${phone(first)} is set up.`).waitFor()
    await page.getByRole('row', { name: /shop.*Forwarded/ }).waitFor()

    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog(page, 'Delete shop?').getByRole('button', { name: 'Delete endpoint' }).click()
    await dialog(page).getByRole('alert').getByText(first).waitFor()
    await screenshot(page, 'endpoint-in-use-light')
    assertNoFaults(page)
    await page.close()
  })

  test('failed deliveries are found by the filters, counted, and replayed', async () => {
    const page = await scene.open('deliveries')
    await setFilter(page, 'State', 'Delivered')
    await page.getByRole('row').nth(1).waitFor()
    assert.match(page.url(), /state=DELIVERED/)
    await page.getByRole('link', { name: 'message.status' }).first().click()
    await dialog(page).getByRole('heading', { name: 'Attempts' }).waitFor()
    await dialog(page)
      .getByText(/"event": "message\.status"/)
      .first()
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Replay' }).click()
    await notice(page, 'One more attempt is on its way.').waitFor()
    // Outside the dialog they would lie below it, and could not be pressed.
    const notices = page.getByRole('log', { name: 'Notices' })
    assert.ok(await notices.evaluate((element) => element.closest('dialog') !== null))
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    assert.ok(await notices.evaluate((element) => element.closest('dialog') === null))
    assert.match(page.url(), /deliveries\?state=DELIVERED$/)

    await filterChip(page, 'State').click()
    await page.getByRole('option', { name: 'Failed', exact: true }).click()
    await page.keyboard.press('Escape')
    assert.match(page.url(), /state=DELIVERED%2CFAILED$/, 'several states at once')
    const boxes = page.getByRole('checkbox', { name: /^Select message\.|^Select call\./ })
    await boxes.nth(0).check()
    await boxes.nth(2).click({ modifiers: ['Shift'] })
    const chosen = page.getByRole('region', { name: 'Selected deliveries' })
    await chosen.getByText('3 selected').waitFor()
    await screenshot(page, 'deliveries-selected-light')
    await assertAccessible(page)
    await chosen.getByRole('button', { name: 'Replay 3 deliveries' }).click()
    await notice(page, '3 deliveries are on the way.').waitFor()
    await chosen.getByText('3 selected').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Replay many' }).click()
    await dialog(page).getByLabel('Endpoint').selectOption({ label: 'shop' })
    await dialog(page).getByRole('button', { name: 'Count them first' }).click()
    await dialog(page).getByText('None fits. Choose another time or state.').waitFor()
    await screenshot(page, 'replay-many-light')
    await assertAccessible(page)
    assertNoFaults(page)
    await page.close()
  })

  test('a retry that waits for an hour is sent now', async () => {
    const { stack } = scene
    const shop = (await stack.deliveries({ state: 'DELIVERED' })).at(-1)?.endpointId ?? ''
    receiver.answer = () => 503
    const { deliveryId } = await ok(
      stack.console.post(`/endpoints/${shop}/test`, { event: 'message.received' }),
      202,
    )
    await eventually('the first attempt failed', async () => {
      const { state } = await stack.delivery(deliveryId)
      return state === 'RETRYING'
    })
    receiver.answer = () => 200
    const page = await scene.open(`deliveries/${deliveryId}`)
    await dialog(page).getByText('Attempt 1: 503').waitFor()
    await dialog(page).getByRole('button', { name: 'Retry now' }).click()
    await notice(page, 'The retry is on its way.').waitFor()
    await dialog(page).getByText('Attempt 2: 200').waitFor()
    await dialog(page).getByRole('button', { name: 'Replay' }).waitFor()
    await screenshot(page, 'delivery-retried-light')
    await assertAccessible(page)
    assertNoFaults(page)
    await page.close()
  })

  test('the navigation leads to every page', () => navigationLeadsToEveryPage(scene))
  test('on a telephone the navigation closes by a tap beside it, and an unknown page has a heading', () =>
    telephoneNavigationCloses(scene))

  test('the keyboard alone goes from the skip link to the content and into a dialog and back', async () => {
    const page = await scene.open('keys')
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'Skip to the content' }).press('Enter')
    const create = page.getByRole('button', { name: 'Create key' })
    await page.keyboard.press('Tab')
    assert.ok(await isFocused(create))
    await page.keyboard.press('Enter')
    await dialog(page, 'Create an API key').waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await focused(create)
    await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).press('Enter')
    const heading = page.getByRole('heading', { level: 1, name: 'Audit log' })
    await focused(heading)
    await page.close()
  })

  test('the theme is chosen, and stays over a reload and in the documentation', () => themeStays(scene))
})
