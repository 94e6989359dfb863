// Files in a conversation: shown, large, downloaded, expired.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ok } from '../e2e/clients.ts'
import { arrives } from '../e2e/media-steps.ts'
import { eventually } from '../e2e/scene.ts'
import { assertAccessible, assertNoFaults, type BrowserScene, screenshot } from './scene.ts'

const thread = (page: Page) => page.getByRole('region', { name: 'Messages' })
const bubble = (page: Page, text: string) => thread(page).getByRole('listitem').filter({ hasText: text })

export async function filesAreShown(scene: BrowserScene): Promise<void> {
  const { stack } = scene
  const from = '15557000003'
  const picture = await arrives(stack, from, {
    ...{
      type: 'image',
      caption: 'The label',
      mediaBase64: PICTURE,
      mimeType: 'image/png',
      name: 'Ines Ferreira',
    },
  })
  await arrives(stack, from, { type: 'document', fileName: 'receipt.pdf' })
  await arrives(stack, from, { type: 'audio', voice: true })
  const template = { name: 'hello_world', language: 'en_US' }
  await ok(stack.api.post('/messages/chat', { to: `+${from}`, template }), 202)
  const page = await scene.open(`conversations/${picture.conversationId}`)
  const image = thread(page).getByRole('img', { name: 'Image from the customer' })
  await image.scrollIntoViewIfNeeded()
  await eventually('the picture is shown', () =>
    image.evaluate((element) => 'naturalWidth' in element && element.naturalWidth === 4),
  )
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    thread(page).getByRole('link', { name: 'receipt.pdf' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'receipt.pdf')
  await thread(page).locator('audio').waitFor()
  const failed = bubble(page, 'Welcome.')
  await failed.getByText('131026').waitFor()
  await failed.getByText(/^Failed \d\d:\d\d$/).waitFor()
  await screenshot(page, 'conversation-files-light')
  await assertAccessible(page)
  await image.click()
  await page.getByRole('dialog').getByRole('img').waitFor()
  await page.keyboard.press('Escape')
  await stack.sql`update media set state = 'LOST' where file_name = 'receipt.pdf'`
  await thread(page).getByRole('link', { name: 'receipt.pdf' }).click()
  await thread(page).getByText('This file has expired').waitFor()
  assertNoFaults(page)
  await page.close()
}

// A PNG of 4 x 4 pixels.
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAMElEQVR42gXBgQAAMAgAsMCCCCKIQwQRRBDD+hZZuky5Evn0M889kavXrFuRNMPxAbTSHMEjGXlRAAAAAElFTkSuQmCC'
