// What customers send besides texts, in the console.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Json, ok } from '../e2e/clients.ts'
import { postMessages } from '../e2e/provider-webhook.ts'
import { assertAccessible, assertNoFaults, type BrowserScene, screenshot } from './scene.ts'

const thread = (page: Page) => page.getByRole('region', { name: 'Messages' })
const bubble = (page: Page, text: string) => thread(page).getByRole('listitem').filter({ hasText: text })

const text = (id: string, body: string) => ({ id, type: 'text', text: { body } })
const edit = { original_message_id: 'wamid.k2', message: { type: 'text', text: { body: 'At six.' } } }
const answers = JSON.stringify({ day: 'Tuesday', seats: 2 })
const kinds: readonly Json[] = [
  {
    ...text('wamid.k1', 'I saw this.'),
    referral: { source_type: 'ad', headline: 'Boats', ctwa_clid: 'AR1' },
  },
  { id: 'wamid.k2', type: 'text', text: { body: 'At five.' } },
  { id: 'wamid.k3', type: 'edit', edit },
  { ...text('wamid.k4', 'Sooner?'), context: { id: 'wamid.k2' } },
  text('wamid.k5', 'A secret.'),
  { id: 'wamid.k6', type: 'revoke', revoke: { original_message_id: 'wamid.k5' } },
  { id: 'wamid.k7', type: 'location', location: { latitude: 41.14, longitude: -8.61, name: 'Quay 4' } },
  {
    ...{ id: 'wamid.k8', type: 'contacts' },
    contacts: [{ name: { formatted_name: 'Lu Gomez' }, phones: [{ phone: '+1 983 555' }] }],
  },
  {
    ...{ id: 'wamid.k9', type: 'order' },
    order: {
      product_items: [{ product_retailer_id: 'sku-1', quantity: 2, item_price: '19.90', currency: 'EUR' }],
    },
  },
  {
    ...{ id: 'wamid.k10', type: 'interactive' },
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: answers } },
  },
  { id: 'wamid.k11', type: 'reaction', reaction: { message_id: 'wamid.k1', emoji: '🚢' } },
  {
    ...{ id: 'wamid.k12', type: 'unsupported', unsupported: { type: 'poll_creation' } },
    errors: [{ code: 131051, title: 'Message type unknown' }],
  },
]

export async function kindsAreShown(scene: BrowserScene): Promise<void> {
  const from = '15557000401'
  const secondsAgo = (seconds: number) => String(Math.floor(Date.now() / 1_000) - seconds)
  const sends = (...messages: Json[]) =>
    postMessages(
      scene.stack,
      from,
      messages.map((one, index) => ({ timestamp: secondsAgo(60 - index), ...one })),
    )
  await sends(...kinds)
  const { data } = await ok(scene.stack.api.get(`/conversations?contact=${from}`))
  const page = await scene.open(`conversations/${data[0].id}`)
  const shows = (body: string, ...parts: (string | RegExp)[]) =>
    Promise.all(parts.map((part) => bubble(page, body).getByText(part).first().waitFor()))
  await shows('I saw this.', 'From an ad', 'Boats', 'AR1')
  await shows('Sooner?', /^In reply to/)
  await shows('Quay 4', '41.14, -8.61')
  await shows('Lu Gomez', '+1 983 555')
  await shows('sku-1', '1 product', /2 ×.*at 19\.90 EUR/)
  await shows('Sent', 'Tuesday', 'seats')
  await shows('🚢', /^Reacted to/)
  await shows('131051', /Poll creation/)
  await thread(page).getByText('The customer took this message back.').waitFor()
  assert.equal(await thread(page).getByText('A secret.').count(), 0)
  const edited = thread(page).getByRole('listitem').filter({ hasText: 'Edited at' })
  await edited.getByText('At six.').waitFor()
  await edited.getByText(/^Edited at/).click()
  await edited.getByText('At five.').waitFor()
  await bubble(page, 'Sooner?').getByRole('link', { name: 'this message' }).click()
  await thread(page).locator('[aria-current]').getByText('At six.').waitFor()
  await screenshot(page, 'conversation-kinds-light')
  await assertAccessible(page)
  assertNoFaults(page)
  await page.close()
}

export async function groupIsShown(scene: BrowserScene): Promise<void> {
  const from = '15557000402'
  const message = { id: 'wamid.g1', type: 'text', text: { body: 'Who comes?' }, group_id: 'boats' }
  await postMessages(scene.stack, from, [{ timestamp: String(Math.floor(Date.now() / 1_000)), ...message }])
  const page = await scene.open('conversations')
  await page.getByRole('link', { name: /Group boats.*Who comes\?/s }).click()
  await page.getByRole('heading', { level: 1, name: 'Group boats' }).waitFor()
  await bubble(page, 'Who comes?').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Send template' }).count(), 0)
  assertNoFaults(page)
  await page.close()
}
