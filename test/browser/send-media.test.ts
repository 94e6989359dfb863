// Sends a template whose header is a file that the operator uploads.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ok } from '../e2e/clients.ts'
import { arrives } from '../e2e/media-steps.ts'
import { eventually } from '../e2e/scene.ts'
import { ownFolder } from '../support/embedded.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { close, phones, state } from './campaign-steps.ts'
import {
  assertAccessible,
  assertFits,
  type BrowserScene,
  openBrowserScene,
  screenshot,
  viewport,
} from './scene.ts'

describe('templates with a file in the header', () => {
  let scene: BrowserScene

  before(async () => {
    scene = await openBrowserScene()
    const { stack } = scene
    const { handle } = await ok(stack.sim.post('/samples', { fileType: 'image/png' }))
    const components = [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: [handle] } },
      { type: 'BODY', text: 'Your parcel is at the door.' },
    ]
    const draft = { name: 'a_parcel_photo', language: 'en_US', category: 'UTILITY', components }
    const { id } = await ok(stack.console.post('/templates', draft), 201)
    await eventually('it is approved', async () => {
      return (await ok(stack.console.get(`/templates/${id}`))).status === 'APPROVED'
    })
  })
  after(() => scene?.close())

  test('a template with a picture, an offer and a code is submitted with a sample from the form', async () => {
    const { stack } = scene
    const page = await scene.open('templates/new')
    await page.getByLabel('Name', { exact: true }).fill('spring_picture')
    await page.getByLabel('Category').selectOption('MARKETING')
    await page.getByLabel('Header', { exact: true }).selectOption('IMAGE')
    await page.getByLabel('Body').fill('Spring is here.')
    await page.getByLabel('Limited-time offer').fill('Until Sunday')
    await page.getByRole('button', { name: 'Add button' }).click()
    const button = page.getByRole('group', { name: 'Button 1' })
    await button.getByLabel('Button 1 does').selectOption('COPY_CODE')
    await button.getByLabel('Example of the code').fill('SAVE20')
    const submit = page.getByRole('button', { name: 'Submit for approval' })
    await submit.click()
    await page.getByText('The review needs this').waitFor()
    const name = 'spring.png'
    await page
      .getByLabel('Example file to upload')
      .setInputFiles({ name, mimeType: 'image/png', buffer: Buffer.from(PICTURE, 'base64') })
    await page.getByText(name).waitFor()
    const preview = page.getByRole('figure', { name: 'What the customer sees' })
    await preview.getByText('Until Sunday').waitFor()
    await preview.getByText('Copy offer code').waitFor()
    await screenshot(page, 'template-sample-light')
    await assertAccessible(page)
    await submit.click()
    await page.getByText('spring_picture is submitted for approval.').waitFor()
    const { data } = await ok(stack.console.get('/templates?name=spring_picture'))
    assert.deepEqual(
      data[0].variables.map((variable: { name: string; kind: string }) => [variable.name, variable.kind]),
      [
        ['header.1', 'MEDIA'],
        ['offer.expiresAt', 'TIMESTAMP'],
        ['button.0', 'CODE'],
      ],
    )
    await page.close()
  })

  test('a file is uploaded for the header of a template, and goes out with it', async () => {
    const { stack } = scene
    const { conversationId } = await arrives(stack, '15557000205', { type: 'text', text: 'Where is it?' })
    const page = await scene.open(`conversations/${conversationId}`)
    await page.getByRole('button', { name: 'Send template' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /a_parcel_photo/ }).click()
    await dialog.getByRole('button', { name: 'Send message' }).click()
    await dialog.getByText('Enter a value').waitFor()
    await screenshot(page, 'send-media-empty-light')
    await assertAccessible(page)
    const bytes = Buffer.from(PICTURE, 'base64')
    const choose = (name: string, buffer: Buffer) =>
      dialog.getByLabel('Image to upload').setInputFiles({ name, mimeType: 'image/png', buffer })
    // By its path: bytes would travel to the browser as text.
    const huge = join(ownFolder(), 'huge.png')
    await writeFile(huge, Buffer.alloc(6 * 1024 * 1024))
    await dialog.getByLabel('Image to upload').setInputFiles(huge)
    await dialog.getByRole('alert').getByText('The provider did not take the file').waitFor()
    await choose('door.png', bytes)
    await dialog.getByText('door.png').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await choose('front door.png', bytes)
    await dialog.getByText('front door.png').waitFor()
    for (const [theme, isNarrow] of [
      ['light', false],
      ['dark', false],
      ['light', true],
    ] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize(viewport(isNarrow))
      await assertAccessible(page)
      await assertFits(page)
      await screenshot(page, `send-media-${isNarrow ? 'narrow' : theme}`)
    }
    await dialog.getByRole('button', { name: 'Send message' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page
      .getByRole('region', { name: 'Messages' })
      .getByRole('listitem')
      .filter({ hasText: 'Your parcel is at the door.' })
      .waitFor()
    // The provider is asked after the answer to the operator.
    await eventually('the provider has the id of the upload', async () => (await sentFiles()) > 0)
    assert.equal(await sentFiles(), 1)
    await close(page)
  })

  test('a file is uploaded for all recipients of a campaign, and again for another number', async () => {
    const page = await scene.open('campaigns/new')
    await page.getByLabel('Name', { exact: true }).fill('Parcels')
    await page.getByLabel('Template', { exact: true }).selectOption({ label: 'a_parcel_photo (en_US)' })
    const choose = () =>
      page
        .getByLabel('Image to upload')
        .setInputFiles({ name: 'door.png', mimeType: 'image/png', buffer: Buffer.from(PICTURE, 'base64') })
    await choose()
    await page.getByText('door.png').waitFor()
    await assertAccessible(page)
    await screenshot(page, 'campaign-media-light')
    await page.getByLabel('Send from').selectOption({ index: 2 })
    await page.getByLabel('Image in the header').waitFor()
    await choose()
    await page.getByText('door.png').waitFor()
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByRole('button', { name: 'Add recipients' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Or paste rows').fill(phones(2).join('\n'))
    await dialog.getByRole('button', { name: 'Check rows' }).click()
    await dialog.getByRole('button', { name: 'Add 2 recipients' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Start…' }).click()
    const before = await sentFiles()
    await dialog.getByRole('button', { name: 'Start sending to 2 recipients' }).click()
    await state(page, 'Completed')
    assert.equal((await sentFiles()) - before, 2)
    await close(page)
  })

  /** How many sends gave the provider the id of an upload. */
  async function sentFiles(): Promise<number> {
    const requests = JSON.stringify(await ok(scene.stack.sim.get('/requests')))
    return requests.match(/"type":"image","image":\{"id":"\d+"\}/g)?.length ?? 0
  }
})

// A PNG of 4 x 4 pixels.
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAMElEQVR42gXBgQAAMAgAsMCCCCKIQwQRRBDD+hZZuky5Evn0M889kavXrFuRNMPxAbTSHMEjGXlRAAAAAElFTkSuQmCC'
