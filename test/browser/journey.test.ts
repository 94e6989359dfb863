// Everything a new operator does, from the sign-in to a finished campaign, through the pages only. The other
// parties are a receiver of the operator's own and a contact with a handset.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { phone as written } from '../../src/web/browser/phone.ts'
import { apiClient, ok } from '../e2e/clients.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { scenario } from '../e2e/scene.ts'
import { after, before } from '../support/harness.ts'
import { shows, state } from './campaign-steps.ts'
import { phoneOf, write } from './handset-scene.ts'
import { assertNoFaults, type BrowserScene, openBrowserScene, screenshot, setFilter } from './scene.ts'

const customer = '15557000777'

let scene: BrowserScene
let receiver: HttpsReceiver
let page: Page
let handset: Page
before(async () => {
  scene = await openBrowserScene()
  receiver = await startHttpsReceiver(scene.stack.tls)
  page = await scene.newPage()
  handset = await scene.newPage()
  await handset.goto(`${scene.stack.simulatorUrl}/?open=${customer}`)
})
after(async () => {
  receiver?.close()
  await scene?.close()
})

scenario(
  'a new operator comes from the sign-in to a campaign that is over',
  () => scene.stack,
  async () => {
    await signIn()
    await makeKey()
    await addEndpoint()
    await forwardNumber()
    await seeRefusedCall()
    await mendReceiver()
    await turnOff()
    await turnOnAndReplay()
    await runCampaign()
    assertNoFaults(page)
    assertNoFaults(handset)
  },
)

const goTo = async (title: string) => {
  await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
}

/** Returns the secret, which is shown only once, and closes the dialog after the required confirmation. */
async function takeSecret(): Promise<string> {
  const dialog = page.getByRole('dialog')
  const secret = await dialog.locator('.secret code').innerText()
  await dialog.getByLabel('I have stored it safely').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  return secret
}

const phone = () => phoneOf(handset, customer)

async function signIn(): Promise<void> {
  const { email, password } = scene.stack.operator
  await page.goto(`${scene.origin}/console`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
}

/** Creates an API key and uses it. */
async function makeKey(): Promise<void> {
  await goTo('API keys')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Create an API key' })
  await dialog.getByLabel('Name').fill('orders service')
  await dialog.getByLabel('List templates', { exact: true }).check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog', { name: 'Your new key' }).waitFor()
  const key = await takeSecret()
  await page.getByRole('region', { name: 'API keys' }).getByText('orders service').waitFor()
  const { data } = await ok(apiClient(scene.origin, key).get('/numbers'))
  assert.equal(data.length, 2)
}

/** Adds an endpoint and sends it a test event. */
async function addEndpoint(): Promise<void> {
  await goTo('Webhook endpoints')
  await page.getByRole('button', { name: 'Add endpoint' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add a webhook endpoint' })
  await dialog.getByLabel('Name').fill('Shop')
  await dialog.getByLabel('Address').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByRole('dialog', { name: 'Signing secret' }).waitFor()
  receiver.secret = await takeSecret()
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
  await page.getByLabel('Event', { exact: true }).selectOption('message.received')
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText(/^Answered 200 after/).waitFor()
  await receiver.inbox.first('the test event', ({ event }) => event === 'message.received')
  assert.equal(receiver.forged, 0)
}

/** Forwards the calls of a number to the endpoint. */
async function forwardNumber(): Promise<void> {
  await goTo('Numbers')
  const { number } = scene.stack.numbers[0]
  await page.getByRole('button', { name: `Set up ${written(number)}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Replies go to').selectOption({ label: 'Shop' })
  await dialog.getByLabel('Forward calls').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row').filter({ hasText: written(number) })
  await row.getByText('Forwarded', { exact: true }).waitFor()
  await row.getByRole('link', { name: 'Shop' }).waitFor()
}

/** The contact calls the first number; the call appears on the page. */
async function ring(): Promise<void> {
  await phone()
    .getByRole('button', { name: /^Call / })
    .click()
  await page.getByRole('region', { name: 'Live calls' }).getByText('Ringing').waitFor()
}

async function openCall(): Promise<void> {
  await page.getByRole('region', { name: 'Live calls' }).getByRole('link').first().click()
  await page.getByRole('dialog').getByText('The provider announced the call').waitFor()
}

async function hangUp(): Promise<void> {
  await phone().getByRole('button', { name: 'Hang up' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByText('Nobody is on the line.').waitFor()
}

/** The page shows that the receiver refused the call, and why. */
async function seeRefusedCall(): Promise<void> {
  receiver.answer = ({ body }) => (body.event === 'call.ringing' ? 503 : 200)
  await goTo('Calls')
  await ring()
  await page.getByRole('region', { name: 'Live calls' }).getByText('Your receiver answered 503').waitFor()
  await openCall()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It must answer with a status from 200 to 299.').waitFor()
  await dialog.getByText('Your receiver did not take it').waitFor()
  await screenshot(page, 'journey-refused-call')
  await hangUp()
}

/** Repairs the receiver; the next call reaches it. */
async function mendReceiver(): Promise<void> {
  receiver.answer = () => 200
  const before = receiver.inbox.all(({ event }) => event === 'call.ringing').length
  await ring()
  await openCall()
  await page.getByRole('dialog').getByText('Your receiver took it').waitFor()
  await receiver.inbox.take('rings', before + 1, ({ event }) => event === 'call.ringing')
  await hangUp()
}

/** Turns the endpoint off, so that an incoming text is held. */
async function turnOff(): Promise<void> {
  await goTo('Webhook endpoints')
  await page.getByRole('link', { name: 'Shop' }).click()
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Turn on' }).first().waitFor()
  await write(phone(), 'Are you open?')
  await goTo('Delivery log')
  await setFilter(page, 'State', 'Held')
  await heldRow().waitFor()
}

const heldRow = () =>
  page
    .getByRole('region', { name: 'Deliveries' })
    .getByRole('row')
    .filter({ hasText: 'message.received' })
    .filter({ hasText: 'Held' })

/** Turns the endpoint on again and replays what was held. */
async function turnOnAndReplay(): Promise<void> {
  await goTo('Webhook endpoints')
  await page.getByRole('link', { name: 'Shop' }).click()
  await page.getByRole('button', { name: 'Turn on' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('button', { name: 'Turn off' }).waitFor()
  await page.getByText(/\d events? held\./).waitFor()
  await goTo('Delivery log')
  await setFilter(page, 'State', 'Held')
  await heldRow().getByRole('link').first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await receiver.inbox.first('the replay', ({ data }) => data?.text === 'Are you open?')
  await page.getByRole('dialog').getByText('Attempt 1: 200', { exact: false }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await setFilter(page, 'State', 'Delivered')
  await page
    .getByRole('region', { name: 'Deliveries' })
    .getByRole('row')
    .filter({ hasText: 'message.received' })
    .nth(1)
    .waitFor()
}

/** Runs a campaign to its end; the contact sees its message. */
async function runCampaign(): Promise<void> {
  await goTo('Campaigns')
  await page.getByRole('link', { name: 'New campaign' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Welcome')
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'hello_world (en_US)' })
  await page.getByRole('button', { name: 'Create draft' }).click()
  await page.getByRole('button', { name: 'Add recipients' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Or paste rows').fill(`+${customer}\n+15557000778\n+15557000779`)
  await dialog.getByRole('button', { name: 'Check rows' }).click()
  await dialog.getByRole('button', { name: 'Add 3 recipients' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Start…' }).click()
  await dialog.getByRole('button', { name: 'Start sending to 3 recipients' }).click()
  await state(page, 'Completed')
  await shows(page, 'Delivered', 3)
  await phone().getByRole('article').filter({ hasText: 'Welcome.' }).waitFor()
  await screenshot(page, 'journey-campaign')
}
