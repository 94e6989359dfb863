// An agent answers a customer: with words, a file, a quote and a reaction, and with a template when the day is over.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { type Json, ok } from '../e2e/clients.ts'
import { arrives } from '../e2e/media-steps.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { close } from './campaign-steps.ts'
import {
  assertAccessible,
  assertFits,
  type BrowserScene,
  openBrowserScene,
  screenshot,
  viewport,
} from './scene.ts'

const customer = '15557000002'

/** As from the clipboard of another program. */
const paste = (box: Locator, name: string): Promise<void> =>
  box.evaluate((element, fileName) => {
    const { ClipboardEvent, DataTransfer, File } = element.ownerDocument.defaultView
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(['%PDF-1.4 a page'], fileName, { type: 'application/pdf' }))
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, name)

describe('the reply box', () => {
  let scene: BrowserScene
  before(async () => {
    scene = await openBrowserScene()
  })
  after(() => scene?.close())

  const received = async (): Promise<Json[]> => (await ok(scene.stack.sim.get(`/handsets/${customer}`))).inbox

  const said = (page: Page, text: string) =>
    page.getByRole('region', { name: 'Messages' }).getByRole('listitem').filter({ hasText: text })

  test('sends words, a file with a caption, a quote and a reaction', async () => {
    const question = await arrives(scene.stack, customer, { type: 'text', text: 'Is the dock open?' })
    const page = await scene.open(`conversations/${question.conversationId}`)
    const box = page.getByLabel('Your reply')
    await page.getByText(/^2[34] h \d+ min left to reply$/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled(), true)
    await box.fill('Until 8 pm.')
    await box.press('Enter')
    await said(page, 'Until 8 pm.').waitFor()
    assert.equal(await box.inputValue(), '')

    await said(page, 'Is the dock open?').getByRole('button', { name: 'Reply to this message' }).click()
    await page.getByLabel('File to send').setInputFiles({
      name: 'hours.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4 a page'),
    })
    const form = page.getByRole('form', { name: 'Reply' })
    await form.getByText('hours.pdf').waitFor()
    await paste(box, 'pasted.pdf')
    await form.getByText('pasted.pdf').waitFor()
    await form.getByRole('button', { name: 'Remove pasted.pdf' }).click()
    await form.getByText('pasted.pdf').waitFor({ state: 'detached' })
    await box.fill('All our hours')
    for (const [theme, isNarrow] of [
      ['light', false],
      ['dark', false],
      ['light', true],
    ] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize(viewport(isNarrow))
      await assertAccessible(page)
      await assertFits(page)
      await screenshot(page, `reply-${isNarrow ? 'narrow' : theme}`)
    }
    await page.setViewportSize(viewport(false))
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await said(page, 'All our hours').waitFor()
    await form.getByText('hours.pdf').waitFor({ state: 'detached' })
    const asked = said(page, 'Is the dock open?')
    await asked.getByRole('button', { name: 'React to this message' }).click()
    await asked.getByRole('menuitem', { name: '👍' }).click()

    await eventually('the handset has all three', async () => (await received()).length >= 3)
    const requests: Json[] = (await ok(scene.stack.sim.get('/requests?limit=1000'))).data
    const bodies = requests.flatMap(({ method, body }) => (method === 'POST' && body?.type ? [body] : []))
    const sent = (type: string) => bodies.filter((body: Json) => body.type === type)
    assert.deepEqual(
      sent('text').map(({ text }: Json) => text.body),
      ['Until 8 pm.'],
    )
    const [document] = sent('document')
    assert.equal(document.document.caption, 'All our hours')
    assert.equal(document.context.message_id, question.providerMessageId)
    const [reaction] = sent('reaction')
    assert.deepEqual(reaction.reaction, { message_id: question.providerMessageId, emoji: '👍' })
    await close(page)
  })

  test('keeps what was begun, sends again what failed, and shows how far an upload is', async () => {
    const from = '15557000022'
    const { conversationId } = await arrives(scene.stack, from, { type: 'text', text: 'And tomorrow?' })
    const page = await scene.open(`conversations/${conversationId}`)
    const box = page.getByLabel('Your reply')
    await box.fill('First line')
    const height = (await box.boundingBox())?.height ?? 0
    await box.press('Shift+Enter')
    await box.pressSequentially('Second line')
    await eventually('the box grew', async () => ((await box.boundingBox())?.height ?? 0) > height)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    const item = page.getByRole('link', { name: /Draft:.*First line/s })
    await item.waitFor()
    await eventually('its row has the focus', () =>
      item.evaluate((element) => element === element.ownerDocument.activeElement),
    )
    await page.reload()
    await item.click()
    assert.equal(await box.inputValue(), 'First line\nSecond line')
    await sendsAgain(page)
    await staysUntilRead(page)
    await uploads(page)
    await close(page)
  })

  async function sendsAgain(page: Page): Promise<void> {
    const box = page.getByLabel('Your reply')
    const keys: string[] = []
    await page.route('**/reply', (route) => {
      keys.push(route.request().postDataJSON().idempotencyKey)
      return keys.length === 1 ? route.abort() : route.continue()
    })
    await page.keyboard.press('r')
    await box.press('Control+Enter')
    await said(page, 'Second line')
      .getByText(/^Not sent\. The server cannot be reached/)
      .waitFor()
    assert.equal(await box.inputValue(), '')
    await assertAccessible(page)
    await screenshot(page, 'reply-unsent')
    await said(page, 'Second line').getByRole('button', { name: 'Try again' }).click()
    await said(page, 'Second line')
      .getByText(/^(Sent|Delivered|Read) \d\d:\d\d$/)
      .waitFor()
    assert.deepEqual([keys.length, keys[0]], [2, keys[1]])
    // Who answers has read.
    await said(page, 'And tomorrow?').getByText('Unread').waitFor({ state: 'detached' })
  }

  /** What was sent stays on the page while the messages cannot be read. */
  async function staysUntilRead(page: Page): Promise<void> {
    const box = page.getByLabel('Your reply')
    const sent = said(page, 'See you there')
    let failed = 0
    await page.route('**/thread?*', (route) => {
      failed += 1
      return route.abort()
    })
    await box.fill('See you there')
    const reply = page.waitForResponse('**/reply')
    await box.press('Enter')
    await reply
    const before = failed
    await eventually('the messages are asked for twice', async () => failed >= before + 2)
    await sent.getByText('Sending').waitFor()
    await page.unroute('**/thread?*')
    await sent.getByText(/^(Sent|Delivered|Read) \d\d:\d\d$/).waitFor()
    assert.equal(await sent.count(), 1)
  }

  async function uploads(page: Page): Promise<void> {
    const form = page.getByRole('form', { name: 'Reply' })
    const send = form.getByRole('button', { name: 'Send', exact: true })
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await page.route('**/files?*', async (route) => {
      await held
      await route.continue()
    })
    await drop(page, 'plan.pdf', 'application/pdf')
    await form.getByRole('progressbar', { name: 'Upload of plan.pdf' }).waitFor()
    assert.ok(await send.isDisabled())
    await drop(page, 'song.flac', 'audio/flac')
    await form.getByText(/^Customers can be sent JPEG/).waitFor()
    await assertAccessible(page)
    await screenshot(page, 'reply-files')
    await form.getByRole('button', { name: 'Remove song.flac' }).click()
    goOn()
    await form.getByText('15 bytes').waitFor()
    await send.click()
    await said(page, 'plan.pdf')
      .getByText(/^(Sent|Delivered|Read) \d\d:\d\d$/)
      .waitFor()
  }

  /** Drops a file on the thread, as from a folder. */
  const drop = (page: Page, name: string, type: string) =>
    page.evaluate(`(() => {
      const files = new DataTransfer()
      files.items.add(new File(['%PDF-1.4 a page'], ${JSON.stringify(name)}, { type: ${JSON.stringify(type)} }))
      const on = document.querySelector('.messages')
      for (const kind of ['dragenter', 'dragover', 'drop'])
        on.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: files }))
    })()`)

  test('says that the day is over, and leads to the templates', async () => {
    const { conversationId } = await arrives(scene.stack, '15557000012', { type: 'text', text: 'Hello' })
    await scene.stack.sql`
      update conversations set last_inbound_at = now() - interval '25 hours' where last_inbound_at is not null`
    const page = await scene.open(`conversations/${conversationId}`)
    await page.getByText('The 24 hours after the last message or call are over').waitFor()
    assert.equal(await page.getByLabel('Your reply').count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Reply to this message' }).count(), 0)
    await assertAccessible(page)
    await screenshot(page, 'reply-closed')
    await page.getByRole('button', { name: 'Choose a template' }).click()
    await page.getByRole('dialog').getByLabel('Search templates').waitFor()
    await close(page)
  })
})
