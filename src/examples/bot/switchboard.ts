// The API requests of a voice bot. Its key needs the scope CALLS_WRITE and, to place calls,
// CONVERSATIONS_READ.
import type { RTCIceServer } from 'werift'

const REQUEST_MS = 15_000

// biome-ignore lint/suspicious/noExplicitAny: the API reference describes the shapes.
type Json = any

export interface Switchboard {
  /** ICE servers, cached for half of their lifetime. Call it early, so that the first call does not wait. */
  iceServers(): Promise<RTCIceServer[]>
  answer(callId: string, sdp: string): Promise<void>
  /** Returns the call's id. The answer to the offer comes in call.accepted. */
  place(conversationId: string, sdp: string): Promise<string>
  /** Declines a ringing call, hangs up an answered one. A call that has already ended is no error. */
  end(callId: string): Promise<void>
  /** Returns the id of the latest conversation with a phone number. Throws when there is none. */
  conversationWith(number: string): Promise<string>
}

/** An error answer of the API, such as CALL_ENDED or CALL_ALREADY_ANSWERED. */
class Refused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(`${code}: ${message}`)
    this.code = code
  }
}

export const isRefused = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Refused && codes.includes(error.code)

const fail = (error: unknown): never => {
  throw error
}

export function connectSwitchboard(url: string, key: string): Switchboard {
  const ask = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(REQUEST_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const json: Json = await answer.json()
    if (!answer.ok) throw new Refused(json.error.code, json.error.message)
    return json
  }
  let ice = { servers: [] as RTCIceServer[], staleAt: 0 }
  return {
    async iceServers() {
      if (Date.now() >= ice.staleAt) {
        const { iceServers, ttlSeconds } = await ask('GET', '/calls/ice')
        // In the second half of their lifetime, the credentials could expire during a call.
        ice = { servers: iceServers, staleAt: Date.now() + ttlSeconds * 500 }
      }
      return ice.servers
    },
    async answer(callId, sdp) {
      await ask('POST', `/calls/${callId}/answer`, { session: { sdpType: 'answer', sdp } })
    },
    async place(conversationId, sdp) {
      const call = await ask('POST', `/conversations/${conversationId}/call`, {
        session: { sdpType: 'offer', sdp },
      })
      return call.id
    },
    async end(callId) {
      const act = (action: string) => ask('POST', `/calls/${callId}/action`, { action })
      try {
        await act('HANG_UP').catch((error) =>
          isRefused(error, 'INVALID_STATE') ? act('DECLINE') : fail(error),
        )
      } catch (error) {
        if (!isRefused(error, 'CALL_ENDED')) throw error
      }
    },
    async conversationWith(number) {
      const contact = number.replace(/^\+/, '')
      const { data } = await ask('GET', `/conversations?limit=1&contact=${encodeURIComponent(contact)}`)
      if (data.length === 0) throw new Error(`there is no conversation with ${number} yet`)
      return data[0].id
    },
  }
}
