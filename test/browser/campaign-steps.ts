// Helpers that the browser tests of campaigns share.
import { readFileSync } from 'node:fs'
import type { Download, Locator, Page } from 'playwright-core'
import { ok } from '../e2e/clients.ts'
import type { Stack } from '../e2e/stack.ts'
import { assertNoFaults } from './scene.ts'

let series = 0
/** Numbers that no other step uses. The last four digits decide how the handset behaves. */
export function phones(count: number, ending = '1000'): string[] {
  series += 1
  return Array.from(
    { length: count },
    (_, index) => `+15${series + 10}${String(index).padStart(4, '0')}${ending}`,
  )
}

export async function campaignTo(
  { api }: Stack,
  recipients: readonly string[],
  fields: object = {},
): Promise<string> {
  const template = { name: 'hello_world', language: 'en_US' }
  const { id } = await ok(api.post('/campaigns', { name: 'Prepared', template, ...fields }), 201)
  await ok(api.post(`/campaigns/${id}/recipients`, { recipients: recipients.map((to) => ({ to })) }))
  return id
}

export const start = ({ api }: Stack, id: string) => ok(api.post(`/campaigns/${id}/start`))

/** The count beside a status. */
export const countOf = (page: Page, status: string): Locator =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: status, exact: true }) })
    .locator('span')
    .last()

export const shows = (page: Page, status: string, count: number) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: status, exact: true }) })
    .filter({ hasText: new RegExp(`\\D${count}$`) })
    .waitFor()

export const state = (page: Page, name: string) =>
  page
    .getByRole('main')
    .locator('.badge', { hasText: new RegExp(`^${name}$`) })
    .first()
    .waitFor()

export async function saved(page: Page, work: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = (await Promise.all([page.waitForEvent('download'), work()])) as [Download, unknown]
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
}

export async function close(page: Page): Promise<void> {
  assertNoFaults(page)
  await page.close()
}
