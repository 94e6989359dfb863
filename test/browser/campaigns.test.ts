// Campaigns from the first page to the report, as an operator runs them, on the whole product.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { type Json, ok } from '../e2e/clients.ts'
import { stepsOf } from '../e2e/scene.ts'
import { after, before } from '../support/harness.ts'
import { campaignTo, close, phones, saved, shows, state } from './campaign-steps.ts'
import { assertAccessible, type BrowserScene, openBrowserScene, screenshot, setFilter } from './scene.ts'

let scene: BrowserScene
before(async () => {
  scene = await openBrowserScene()
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

step('a campaign is built, populated from a file with bad rows, started, and reported on', async () => {
  const page = await scene.open('campaigns')
  await page.getByRole('heading', { name: 'No campaigns yet' }).waitFor()
  await page.getByRole('link', { name: 'New campaign' }).first().click()
  await page.getByRole('button', { name: 'Create draft' }).click()
  await page.getByText('Enter a name').first().waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Orders of spring')
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'order_ready (en_US)' })
  const preview = page.getByRole('figure', { name: 'Preview' })
  await preview.getByText('Hi Ines, order A-4471 is ready.').waitFor()
  await page.getByLabel('store', { exact: true }).fill('Harbour')
  await preview.getByText('Harbour').waitFor()
  await screenshot(page, 'campaigns-new')
  // The browser gives no value for it, and no value means no limit.
  const pace = page.getByLabel('Messages a second')
  await pace.pressSequentially('1e')
  await page.getByRole('button', { name: 'Create draft' }).click()
  assert.equal(await pace.evaluate((field) => field.matches(':focus')), true)
  await pace.fill('')
  await page.getByRole('button', { name: 'Create draft' }).click()
  await page.getByRole('heading', { level: 1, name: 'Orders of spring' }).waitFor()
  await page.getByText('No recipients yet').first().waitFor()

  await addFromFile(page)
  await page.getByText('Ready for 22 recipients').waitFor()
  await page.getByText('1 second', { exact: true }).waitFor()
  await screenshot(page, 'campaigns-draft')
  await page.getByRole('button', { name: 'Start…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('What the number may send').waitFor()
  await assertAccessible(page)
  await screenshot(page, 'campaigns-start')
  await dialog.getByRole('button', { name: 'Start sending to 22 recipients' }).click()
  await state(page, 'Completed')
  await shows(page, 'Failed', 2)
  await shows(page, 'Delivered', 20)
  await shows(page, 'Pending', 0)
  await page.getByText('22 of 22 recipients processed').waitFor()
  await screenshot(page, 'campaigns-completed')
  await readReport(page)
  await close(page)
})

const csvOf = (good: readonly string[], failing: readonly string[]): string =>
  [
    'to,first_name,order_number',
    ...good.map((to, index) => `${to},"Ines ${index},\nof the docks",A-${index}`),
    ...failing.map((to) => `${to},Rui,B-1`),
    `${good[0]},Again,A-0`,
    '12,Nobody,A-9',
    `${phones(1)[0]},Without,`,
  ].join('\n')

const figures = async (dialog: Locator): Promise<number[]> =>
  (await dialog.locator('.verdict-figures dd:not(.hint)').allInnerTexts()).map((text) =>
    Number(text.replace(',', '')),
  )

async function addFromFile(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add recipients' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add recipients' })
  await dialog.getByText('first_name').waitFor()
  const sample = await saved(page, () => dialog.getByRole('button', { name: 'Sample file' }).click())
  assert.match(sample.text, /^to,store,first_name,order_number\r\n\+15551230000,North Dock,Ines,A-4471\r\n/)
  await assertAccessible(page)
  await screenshot(page, 'campaigns-add')
  const buffer = Buffer.from(csvOf(phones(20), phones(2, '0003')))
  await dialog
    .getByLabel('File of recipients')
    .setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer })
  await dialog.getByText('orders.csv').waitFor()
  await dialog.getByRole('button', { name: 'Check rows' }).click()
  await dialog.getByText('Nothing was added yet.').waitFor()
  assert.deepEqual(await figures(dialog), [22, 1, 0, 2])
  const wrong = dialog.getByRole('region', { name: 'Invalid rows' }).getByRole('row')
  // Before line 45 stand the header, twenty rows of two lines each, two rows of one line, and the duplicate.
  assert.match(await wrong.nth(1).innerText(), /^45\s+12\s+to must be a phone number/)
  assert.match(await wrong.nth(2).innerText(), /^46\s+\+15\d+\s+missing variables: order_number/)
  await assertAccessible(page)
  await screenshot(page, 'campaigns-judged')
  const faults = await saved(page, () => dialog.getByRole('button', { name: 'Download' }).click())
  assert.equal(faults.name, 'invalid-rows.csv')
  assert.match(faults.text, /^line,to,reason\r\n45,12,/)
  await dialog.getByRole('button', { name: 'Add 22 recipients' }).click()
  await dialog.getByText('Done').first().waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
}

async function readReport(page: Page): Promise<void> {
  await setFilter(page, 'Status', 'Failed')
  await page.waitForURL(/status=FAILED/)
  const table = page.getByRole('region', { name: 'Recipients' })
  await table.getByText('131026').first().waitFor()
  assert.equal(await table.getByRole('row').count(), 3)
  const part = await saved(page, () => page.getByRole('button', { name: 'Report of these' }).click())
  assert.equal(part.name, 'orders-of-spring-recipients.csv')
  assert.equal(part.text.trim().split('\r\n').length, 3)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  const whole = await saved(page, () => page.getByRole('button', { name: 'Report as CSV' }).click())
  assert.equal(whole.text.match(/DELIVERED/g)?.length, 20)
}

step('rows that are pasted need no header, and an empty draft cannot be started', async () => {
  const id = await campaignTo(scene.stack, [])
  const page = await scene.open(`campaigns/${id}`)
  assert.equal(await page.getByRole('button', { name: 'Start…' }).count(), 0)
  await page.getByRole('button', { name: 'Add recipients' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add recipients' })
  const [to] = phones(1)
  await dialog.getByLabel('Or paste rows').fill(`\n${to}\nnonsense\n${to}\n`)
  await dialog.getByRole('button', { name: 'Check rows' }).click()
  await dialog.getByRole('cell', { name: 'nonsense' }).waitFor()
  assert.match(
    await dialog.getByRole('region', { name: 'Invalid rows' }).getByRole('row').nth(1).innerText(),
    /^2\s/,
  )
  // What was pasted is not lost by a key.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await dialog.getByRole('button', { name: 'Other rows' }).click()
  assert.equal(await dialog.getByLabel('Or paste rows').inputValue(), `\n${to}\nnonsense\n${to}\n`)
  await dialog.getByRole('button', { name: 'Check rows' }).click()
  await dialog.getByRole('button', { name: 'Add 1 recipient' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Ready for 1 recipient').waitFor()
  await close(page)
})

step('a large file goes in several parts, and who is in two of them is a duplicate', async () => {
  const id = await campaignTo(scene.stack, [])
  const page = await scene.open(`campaigns/${id}`)
  await page.getByRole('button', { name: 'Add recipients' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add recipients' })
  const choose = (name: string, rows: readonly string[]) =>
    dialog
      .getByLabel('File of recipients')
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(rows.join('\n')) })
  const rows = Array.from({ length: 10_001 }, (_, index) => `+1561${String(index).padStart(5, '0')}01`)
  await choose('many.csv', ['to', ...rows, String(rows[0]), 'nobody'])
  await dialog.getByRole('button', { name: 'Check rows' }).click()
  await dialog.getByRole('button', { name: 'Add 10,001 recipients' }).waitFor()
  assert.deepEqual(await figures(dialog), [10_001, 1, 0, 1])
  await dialog.getByRole('cell', { name: '10,004', exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Other rows' }).click()
  await choose(
    'few.ndjson',
    phones(2).map((to) => JSON.stringify({ to })),
  )
  await dialog.getByText('few.ndjson').waitFor()
  await dialog.getByRole('button', { name: 'Check rows' }).click()
  await dialog.getByRole('button', { name: 'Add 2 recipients' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Ready for 2 recipients').waitFor()
  await page.getByRole('button', { name: 'Add recipients' }).click()
  await choose('many.csv', ['to', ...rows])
  await dialog.getByRole('button', { name: 'Check rows' }).click()
  await dialog.getByRole('button', { name: 'Add 10,001 recipients' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Ready for 10,003 recipients').waitFor()
  const { data } = await ok(scene.stack.console.get('/audit?action=campaign.recipients_added'))
  const entries = data.filter(({ subjectId }: Json) => subjectId === id)
  assert.deepEqual(
    entries.map(({ before, after }: Json) => [before.recipients, after.recipients]),
    [
      [10_002, 10_003],
      [2, 10_002],
      [0, 2],
    ],
    'each part has its own entry',
  )
  const [second, first, few] = entries.map(({ after }: Json) => after.upload)
  assert.equal(second, first, 'the parts of one file have the name of their upload')
  assert.notEqual(first, few)
  await close(page)
})

step('a viewer sees everything and can change nothing', async () => {
  await scene.stack.sql`update memberships set role = 'VIEWER'`
  const page = await scene.open('campaigns')
  await page.getByText('Orders of spring').click()
  await page.getByRole('heading', { level: 1, name: 'Orders of spring' }).waitFor()
  await page.getByRole('cell', { name: 'Delivered' }).first().waitFor()
  for (const name of ['Report as CSV', 'Add recipients', 'More actions'])
    assert.equal(await page.getByRole('button', { name }).count(), 0)
  await close(page)
})
