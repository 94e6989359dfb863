// Posts what the provider would post, signed as it signs: for what the simulator does not send.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { provider } from '../../src/dev/provider.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import type { Json } from './clients.ts'
import type { Stack } from './stack.ts'

export async function postMessages(stack: Stack, from: string, messages: readonly Json[]): Promise<void> {
  const { number, phoneNumberId } = stack.numbers[0]
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: number.slice(1), phone_number_id: phoneNumberId },
    contacts: [{ profile: { name: 'Ines Prado' }, wa_id: from }],
    messages: messages.map((message) => ({ from, ...message })),
  }
  const changes = [{ field: 'messages', value }]
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: provider.wabaId, changes }],
  })
  const signature = createHmac('sha256', provider.appSecret).update(body).digest('hex')
  const { status } = await fetch(`${stack.gateway(0).origin}/provider/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  assert.equal(status, 200)
}
