// What the outside does by itself: a workspace answers calls, the provider reports statuses.
import { setTimeout as sleep } from 'node:timers/promises'
import { unixSeconds } from '../../src/simulator/ids.ts'
import { statusUpdate } from '../../src/simulator/webhook-payloads.ts'
import { apiRequest, type PlanContext, webhook } from '../scenarios/work.ts'
import { Lines } from './client.ts'
import { recipientIn, tokenIn } from './token.ts'

const mostConnections = 64
/** No phone is quicker. */
const beforeSentMs = 20
const mostTries = 40
const pauseMs = 250
const nothing: PlanContext = { numbers: [], wabaId: '', appSecret: '', apiKey: '', host: '' }

interface Answering {
  readonly url: string
  readonly apiKey: string
  readonly sdp: string
}

/** `sent` is told the frame at the moment at which its answer is sent. */
export function callAnswerer({ url, apiKey, sdp }: Answering, sent: (frame: Buffer) => void) {
  const lines = new Lines(url, mostConnections)
  const context = { ...nothing, apiKey, host: new URL(url).host }
  return (frame: Buffer): void => {
    const { call } = JSON.parse(frame.toString()) as { call: { id: string } }
    const request = apiRequest(context, `/calls/${call.id}/answer`, { session: { sdpType: 'answer', sdp } })
    sent(frame)
    void lines.request(request)
  }
}

interface Reporting {
  readonly url: string
  readonly appSecret: string
  readonly wabaId: string
}

/** Delivered is reported after sent was taken: two at once would be one change. */
export function statusSender({ url, appSecret, wabaId }: Reporting) {
  const lines = new Lines(url, mostConnections)
  const context = { ...nothing, appSecret, wabaId, host: new URL(url).host }
  return async (phoneNumberId: string, body: Buffer): Promise<void> => {
    const text = body.toString('latin1')
    const id = tokenIn(text)
    const waId = recipientIn(text)
    // Given back as the provider does: a status that overtakes the answer to its message has nothing else to know it by.
    const [, data] = /"biz_opaque_callback_data":"([^"]+)"/.exec(text) ?? []
    if (id === '') return
    await sleep(beforeSentMs)
    const number = { id: phoneNumberId, digits: phoneNumberId, verifiedName: '', liveCalls: 0 }
    for (const status of ['sent', 'delivered']) {
      const facts = {
        ...{ id: `wamid.${id}`, status, timestamp: unixSeconds(Date.now()), recipient_id: waId },
        ...(data !== undefined && { biz_opaque_callback_data: data }),
      }
      const update = statusUpdate(
        { ...number, throughput: 'STANDARD', calling: {} },
        { wa_id: waId, profile: { name: '' } },
        facts,
      )
      // What was not taken is repeated, as the provider does for days.
      for (
        let tried = 1;
        tried <= mostTries && (await lines.request(webhook(context, update))) !== 200;
        tried += 1
      )
        await sleep(pauseMs)
    }
  }
}
