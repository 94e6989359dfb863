import { randomInt } from 'node:crypto'
import { request } from 'undici'
import * as v from 'valibot'
import { ProviderError } from './provider-error.ts'
import { readWire } from './wire.ts'
import type { World } from './world.ts'

const VERIFY_TIMEOUT_MS = 10_000
const LONGEST_ANSWER = 4096

const SubscribeBody = v.looseObject({
  override_callback_uri: v.optional(v.pipe(v.string(), v.url('must be a URL'))),
  verify_token: v.optional(v.string()),
})

export type Verification = Readonly<{ url: string; status: number | null; ok: boolean }>

/** The verification handshake: the receiver must answer 200 with exactly the challenge as the body. */
export async function verifyCallback(address: string, token: string): Promise<Verification> {
  const challenge = String(randomInt(1_000_000_000, 2_000_000_000))
  const url = new URL(address)
  url.searchParams.set('hub.mode', 'subscribe')
  url.searchParams.set('hub.challenge', challenge)
  url.searchParams.set('hub.verify_token', token)
  try {
    const answer = await request(url, { signal: AbortSignal.timeout(VERIFY_TIMEOUT_MS) })
    const text = (await answer.body.text()).slice(0, LONGEST_ANSWER)
    return { url: address, status: answer.statusCode, ok: answer.statusCode === 200 && text === challenge }
  } catch {
    return { url: address, status: null, ok: false }
  }
}

/** `POST /<waba>/subscribed_apps`: turns webhooks on. An override URL is verified and replaces the others. */
export async function subscribe(world: World, body: unknown): Promise<unknown> {
  const { override_callback_uri: url, verify_token: token } = readWire(SubscribeBody, body ?? {})
  if (url !== undefined) {
    const verified = await verifyCallback(url, token ?? world.settings.verifyToken)
    if (!verified.ok) {
      throw new ProviderError(100, 'The callback URL or verify token could not be validated.', {
        subcode: 2200,
      })
    }
    world.webhooks.urls = [url]
  }
  world.webhooks.subscribed = true
  return { success: true }
}

export function unsubscribe(world: World): unknown {
  world.webhooks.subscribed = false
  return { success: true }
}

export function listSubscriptions(world: World): unknown {
  if (!world.webhooks.subscribed) return { data: [] }
  const app = { id: '670843887433847', link: 'https://apps.example/switchboard', name: 'Switchboard' }
  const [override] = world.webhooks.urls
  return {
    data: [
      {
        whatsapp_business_api_data: app,
        ...(override === undefined ? {} : { override_callback_uri: override }),
      },
    ],
  }
}
