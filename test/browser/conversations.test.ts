// What an agent does with a conversation while the contact goes on writing.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Json, ok } from '../e2e/clients.ts'
import { arrives } from '../e2e/media-steps.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { filesAreShown } from './conversation-files.ts'
import { groupIsShown, kindsAreShown } from './conversation-kinds.ts'
import { inboxIsWorked } from './inbox-steps.ts'
import {
  assertAccessible,
  assertFits,
  assertNoFaults,
  type BrowserScene,
  isFocused,
  loaded,
  openBrowserScene,
  screenshot,
  viewport,
} from './scene.ts'

const reader = '15557000001'
const READING = { name: 'Ines Ferreira' }

describe('conversations in the console', () => {
  let scene: BrowserScene

  before(async () => {
    scene = await openBrowserScene()
  })
  after(() => scene?.close())

  const says = (text: string, from = reader, fields: Json = {}): Promise<Json> =>
    arrives(scene.stack, from, { type: 'text', text, ...fields })
  const thread = (page: Page) => page.getByRole('region', { name: 'Messages' })
  const details = (page: Page) => page.getByRole('complementary', { name: 'Details' })
  const bubble = (page: Page, text: string) => thread(page).getByRole('listitem').filter({ hasText: text })

  test('a customer’s message is found, read, followed by the next one, and answered with a template', async () => {
    const page = await scene.open('conversations')
    await page.getByRole('heading', { name: 'No conversations yet' }).waitFor()
    await says('Is my order ready?', reader, READING)
    const item = page.getByRole('link', { name: /Ines Ferreira.*Is my order ready\?.*1 unread/s })
    await item.click()
    await page.getByRole('heading', { level: 1, name: 'Ines Ferreira' }).waitFor()
    await bubble(page, 'Is my order ready?').getByText('Unread').waitFor()
    await page.getByText(/^2[34] h \d\d min left to reply$/).waitFor()
    await says('The blue one.')
    await bubble(page, 'The blue one.').waitFor()
    await page.getByRole('button', { name: 'Mark read' }).click()
    await thread(page).getByText('Unread').first().waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /2 unread/ }).waitFor({ state: 'detached' })
    const { outbox } = await ok(scene.stack.sim.get(`/handsets/${reader}`))
    assert.ok(outbox.every(({ readByBusiness }: Json) => readByBusiness))

    await sendOrderReady(page)
    const sent = bubble(page, 'Hi Ines, order A-7 is ready.')
    await sent.getByText(/^Read \d\d:\d\d$/).click()
    for (const step of ['Accepted', 'Sent', 'Delivered', 'Read'])
      await sent.getByRole('term').filter({ hasText: step }).waitFor()
    await screenshot(page, 'conversation-light')
    await assertAccessible(page)
    const { inbox } = await ok(scene.stack.sim.get(`/handsets/${reader}`))
    assert.equal(inbox.length, 1, 'one message reached the customer')
    assertNoFaults(page)
    await page.close()
  })

  async function sendOrderReady(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Send template' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Search templates').fill('order ready')
    const choice = dialog.getByRole('button', { name: /^order_ready\s*en_US/ })
    await choice.getByText('Hi {{first_name}}, order {{order_number}} is ready.').waitFor()
    await dialog.getByRole('button', { name: /hello_world/ }).waitFor({ state: 'detached' })
    await assertAccessible(page)
    await screenshot(page, 'choose-template-light')
    await dialog.getByLabel('Search templates').press('ArrowDown')
    await choice.press('Enter')
    const preview = dialog.getByRole('region', { name: 'Preview' })
    await preview.getByText('Hi {{first_name}}, order {{order_number}} is ready.').waitFor()
    await dialog.getByLabel('first_name').fill('Ines')
    await dialog.getByLabel('order_number').fill('A-7')
    await preview.getByText('Hi Ines, order A-7 is ready.').waitFor()
    await dialog.getByRole('button', { name: 'Send message' }).click()
    await dialog.getByText('Enter a value').waitFor()
    await dialog.getByLabel('store').fill('North Dock')
    await preview.getByText('North Dock').nth(1).waitFor()
    await screenshot(page, 'send-template-light')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Send message' }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  test('a contact is exported and, after the number is typed, erased', async () => {
    const from = '15557000301'
    const { conversationId } = await says('Forget me.', from, { name: 'Otto Lund' })
    const page = await scene.open(`conversations/${conversationId}`)
    await page.getByRole('link', { name: 'Details' }).click()
    const choose = async (item: string) => {
      await details(page).getByRole('button', { name: item }).click()
      return page.getByRole('dialog')
    }
    const exporting = await choose('Export contact')
    await exporting.getByRole('button', { name: 'Export contact' }).click()
    await exporting.getByText(/^Done: 1 of 1 message or call exported/).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      exporting.getByRole('link', { name: 'Download archive' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^exp_\w+\.tar$/)
    await exporting.getByRole('button', { name: 'Close' }).last().click()
    const erasing = await choose('Erase contact')
    await erasing.getByLabel('Number of the contact').fill('+15557000302')
    await erasing.getByRole('button', { name: 'Erase contact' }).click()
    await erasing.getByText('Type the number or the user id of the contact').first().waitFor()
    await screenshot(page, 'conversation-erase-light')
    await assertAccessible(page)
    await erasing.getByLabel('Number of the contact').fill('+1 555 700 0301')
    let isGone = false
    page.on('response', (response) => {
      isGone ||= response.url().endsWith(`/${conversationId}`) && response.status() === 404
    })
    // The thread notices before the dialog does.
    await page.route('**/erasures/*', async (route) => {
      const response = await route.fetch()
      const job = await response.json()
      await route.fulfill({ response, json: isGone ? job : { ...job, status: 'RUNNING' } })
    })
    await erasing.getByRole('button', { name: 'Erase contact' }).click()
    await page.getByText('Otto Lund is erased.').waitFor()
    const { data } = await ok(scene.stack.api.get(`/messages/chat?contact=${from}`))
    assert.deepEqual(data, [])
    assertNoFaults(page)
    await page.close()
  })

  test('files come with the session, and what failed says why', () => filesAreShown(scene))
  test('the inbox is worked: list, thread with calls and campaigns, details, keys', () =>
    inboxIsWorked(scene))
  test('what a customer sends is shown, whatever its kind', () => kindsAreShown(scene))
  test('a group is a conversation of its own, to which nothing is sent', () => groupIsShown(scene))

  test('older messages come on demand, and nothing moves under somebody who reads', async () => {
    const from = '15557000201'
    for (let index = 1; index < 70; index += 1) {
      const { to, text } = { to: scene.stack.numbers[0].number, text: `Line ${index}.` }
      await ok(scene.stack.sim.post(`/handsets/${from}/messages`, { to, type: 'text', text }))
    }
    const { conversationId } = await says('Line 70.', from)
    const page = await scene.open(`conversations/${conversationId}`, { isNarrow: true })
    await bubble(page, 'Line 70.').waitFor()
    await eventually('it begins at its end', () => isInView(page, 'Line 70.'))
    const older = page.getByRole('button', { name: 'Load older messages' })
    await older.scrollIntoViewIfNeeded()
    const first = thread(page)
      .getByText(/^Line \d+\.$/)
      .first()
    const text = await first.innerText()
    const before = await topOf(page, text)
    await older.click()
    await bubble(page, 'Line 1.').waitFor({ state: 'attached' })
    assert.ok(Math.abs((await topOf(page, text)) - before) <= 60, 'what was read stays where it was')

    await screenshot(page, 'conversation-narrow')
    await assertFits(page)
    const place = await topOf(page, text)
    await says('One more.', from)
    const below = page.getByRole('button', { name: 'New messages below' })
    await below.waitFor()
    assert.equal(await topOf(page, text), place)
    await below.click()
    await eventually('the new one is in view', () => isInView(page, 'One more.'))
    await page.getByRole('link', { name: 'Conversations', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('every message has an address of its own, which opens the conversation there', async () => {
    const { stack } = scene
    const { data } = await ok(stack.console.get('/messages?contact=15557000201&limit=200'))
    // Webhooks that are on their way together may arrive in any order.
    const { id, conversationId, text } = data.at(-5)
    const page = await scene.open(`conversations/${id}`)
    const wanted = thread(page).locator('[aria-current]')
    await wanted.getByText(text, { exact: true }).waitFor()
    assert.equal(page.url(), scene.urlOf(`conversations/${conversationId}?message=${id}`))
    await eventually('it is in view', () => isInView(page, text))
    assert.equal(
      await thread(page).getByText(data[1].text, { exact: true }).count(),
      0,
      'not everything between was read',
    )
    await wanted.hover()
    for (const [theme, isNarrow] of [
      ['light', false],
      ['dark', false],
      ['light', true],
    ] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize(viewport(isNarrow))
      await assertAccessible(page)
      await assertFits(page)
      await screenshot(page, `message-address-${isNarrow ? 'narrow' : theme}`)
    }
    await page.setViewportSize(viewport(false))
    const box = page.getByLabel('Your reply')
    await box.fill('Written below older messages.')
    await box.press('Enter')
    await eventually('what was sent is in view', () => isInView(page, 'Written below older messages.'))
    assert.ok(await isFocused(box), 'one writes on')
    await page.goto(scene.urlOf(`conversations/${id}`))
    await page.getByRole('button', { name: 'Go to the newest' }).click()
    await eventually('the newest is in view', () => isInView(page, 'One more.'))
    assert.equal(page.url(), scene.urlOf(`conversations/${conversationId}`))

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const newest = bubble(page, 'One more.')
    await newest.hover()
    await newest.getByRole('button', { name: 'Copy link to this message' }).click()
    await page.getByText('The link is copied.').waitFor()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    await page.goto(link)
    await wanted.getByText('One more.').waitFor()
    assert.equal(await page.getByText('These are older messages.').count(), 0)
    await page.goto(link.replace(/msg_\w+/, 'msg_00000000000000000000000000'))
    await page.getByRole('log', { name: 'Notices' }).getByText('there is no such message').waitFor()
    await eventually('what there is, is shown', () => isInView(page, 'One more.'))
    await page.goto(scene.urlOf('conversations/msg_00000000000000000000000000'))
    await page.getByText('there is no such message').waitFor()
    await page.close()
  })

  test('the delivery log leads to the message that it tells of', async () => {
    const { stack } = scene
    await stack.addEndpoint({ name: 'Shop', url: 'https://127.0.0.1:9/', events: ['message.received'] })
    await says('Do you hear me?', '15557000204')
    const page = await scene.open('deliveries')
    await page.getByRole('link', { name: 'message.received' }).first().click()
    await page.getByRole('dialog').locator('a[href*="/conversations/msg_"]').first().click()
    await thread(page).locator('[aria-current]').getByText('Do you hear me?').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  const topOf = async (page: Page, text: string): Promise<number> =>
    (await thread(page).getByText(text, { exact: true }).boundingBox())?.y ?? Number.NaN

  async function isInView(page: Page, text: string): Promise<boolean> {
    const [frame, line] = await Promise.all([
      thread(page).boundingBox(),
      thread(page).getByText(text, { exact: true }).boundingBox(),
    ])
    return (
      frame !== null && line !== null && line.y >= frame.y && line.y + line.height <= frame.y + frame.height
    )
  }

  test('an opt-out and a call permission are told, and the filters find who wrote', async () => {
    const from = '15557000202'
    const { conversationId } = await says('STOP', from)
    await ok(
      scene.stack.sim.post(`/handsets/${from}/permission`, {
        ...{ to: scene.stack.numbers[0].number, response: 'accept', isPermanent: true },
      }),
    )
    const page = await scene.open(`conversations/${conversationId}`)
    await page.getByText('The customer has opted out: nothing can be sent').waitFor()
    await page.getByRole('link', { name: 'Details' }).click()
    await details(page).getByText('Opted out: nothing can be sent').waitFor()
    await details(page).getByText('May always be called').waitFor()
    await thread(page).getByText('Allows you to call.').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Send template' }).isDisabled())
    await page.goto(scene.urlOf('conversations'))
    await loaded(page)
    await page.getByLabel('Search conversations').fill(`+${from}`)
    const links = page.getByRole('region', { name: 'Conversations' }).getByRole('listitem')
    await eventually('one is left', async () => (await links.count()) === 1)
    await page.getByRole('radio', { name: 'Unread' }).check()
    assert.match(page.url(), /contact=%2B15557000202.*unread=true|unread=true.*contact=/)
    await links.first().waitFor()
    await assertAccessible(page)
    assertNoFaults(page)
    await page.close()
  })

  test('who may only look is offered nothing to do', async () => {
    const { stack } = scene
    await stack.sql`update memberships set role = 'VIEWER'`
    const { data } = await ok(stack.console.get('/conversations?unread=true'))
    const page = await scene.open(`conversations/${data[0].id}`, { theme: 'dark' })
    await thread(page).getByRole('listitem').first().waitFor()
    assert.equal(await page.getByRole('button', { name: /Send template|Mark/ }).count(), 0)
    await screenshot(page, 'conversation-dark')
    await assertAccessible(page, ['color-contrast'])
    await page.close()
  })
})
