// The simulator's page with the whole product, and a receiver for the replies and calls of the first number.
import type { Locator, Page } from 'playwright-core'
import { type Json, ok, type Reply } from '../e2e/clients.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { session } from '../e2e/sdp.ts'
import type { Stack } from '../e2e/stack.ts'
import { openBrowserScene, type PageOptions } from './scene.ts'

export interface HandsetScene {
  readonly stack: Stack
  readonly receiver: HttpsReceiver
  openPage(waIds: readonly string[], options?: PageOptions): Promise<Page>
  /** Sends the template order_ready. */
  send(to: string, firstName?: string): Promise<Json>
  /** Sends the template, which creates the conversation, and places a call in it. */
  call(to: string): Promise<Reply>
  close(): Promise<void>
}

export async function openHandsetScene(): Promise<HandsetScene> {
  const { stack, newPage, close } = await openBrowserScene()
  const receiver = await startHttpsReceiver(stack.tls)
  const endpoint = await stack.addEndpoint({
    name: 'shop',
    url: receiver.url,
    events: ['message.received', 'call.ringing', 'call.status'],
  })
  receiver.secret = endpoint.secret
  await stack.assignNumber(stack.numbers[0], { endpointId: endpoint.id, forwardCalls: true })
  const send = (to: string, firstName = 'Ines') => {
    const variables = { store: 'North Dock', first_name: firstName, order_number: 'A-4471' }
    const template = { name: 'order_ready', language: 'en_US', variables }
    return ok(stack.api.post('/messages/chat', { to: `+${to}`, template }), 202)
  }
  return {
    ...{ stack, receiver, send },
    async openPage(waIds, options) {
      const page = await newPage(options)
      await page.goto(`${stack.simulatorUrl}/?open=${waIds.join(',')}`)
      await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
      return page
    },
    async call(to) {
      const { conversationId } = await send(to)
      return stack.api.post(`/conversations/${conversationId}/call`, { session: session('offer') })
    },
    async close() {
      receiver.close()
      await close()
    },
  }
}

export const phoneOf = (page: Page, waId: string): Locator =>
  page.getByRole('region', { name: `+1 555 700 ${waId.slice(-4)}`, exact: true })

export async function write(phone: Locator, text: string): Promise<void> {
  await phone.getByLabel('Message', { exact: true }).fill(text)
  await phone.getByLabel('Message', { exact: true }).press('Enter')
  await phone.getByRole('article').getByText(text).waitFor()
}
