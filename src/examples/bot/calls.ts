// The live calls of the bot. Each call has a WebRTC peer until either side ends the call.
import { createPeer, type Peer } from './peer.ts'
import { isRefused, type Switchboard } from './switchboard.ts'
import type { Voice } from './voices.ts'

export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void

export interface CallsOptions {
  readonly switchboard: Switchboard
  readonly voice: Voice
  /** Further callers are declined. */
  readonly maxCalls: number
  /** Local address of the media sockets. Default: every interface. */
  readonly mediaAddress?: string | undefined
  readonly log: Log
}

export interface CallEvent {
  readonly id: string
  readonly from: string
  readonly session: { readonly sdp: string }
}

const LIVE = new Set(['INITIATED', 'RINGING', 'ACCEPTED'])
const stopping = 'the bot is stopping'
/** The call is over, or another client has it: there is nothing to hang up. */
const NOT_OURS = ['CALL_ENDED', 'CALL_ALREADY_ANSWERED', 'CALL_NOT_RINGING', 'NOT_FOUND']

export class Calls {
  readonly #options: CallsOptions
  // A call is in this map from its first event on. It is null until its peer exists.
  readonly #live = new Map<string, Peer | null>()
  readonly #placing = new Set<Promise<unknown>>()
  #isStopping = false

  constructor(options: CallsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#live.size + this.#placing.size
  }

  /** Handles call.ringing. */
  async ring(call: CallEvent): Promise<void> {
    const { log, maxCalls } = this.#options
    // Switchboard forwards a call a second time when one of its processes failed during the first time.
    if (this.#live.has(call.id)) return
    log('call.ringing', { callId: call.id, from: call.from })
    if (this.#isStopping) return this.#hangUp(call.id, stopping)
    if (this.size >= maxCalls) return this.#hangUp(call.id, 'too many calls')
    this.#live.set(call.id, null)
    await this.#endOnFailure(call.id, () => this.#answer(call))
  }

  /** Handles call.accepted: the contact that `place` called has picked up. */
  async accepted({ id, session }: CallEvent): Promise<void> {
    // The event can arrive before the answer to our request, and only that answer contains the call's id.
    await Promise.allSettled(this.#placing)
    const peer = this.#live.get(id)
    if (!peer) return
    await this.#endOnFailure(id, async () => {
      await peer.acceptAnswer(session.sdp)
      await this.#talk(id, peer)
    })
  }

  /** Handles call.status. */
  async status({ callId, status }: { readonly callId: string; readonly status: string }): Promise<void> {
    if (LIVE.has(status)) return
    await Promise.allSettled(this.#placing)
    this.#forget(callId, status)
  }

  /** Calls the contact of a conversation. Returns the call's id. */
  async place(conversationId: string): Promise<string> {
    const { maxCalls } = this.#options
    if (this.#isStopping) throw new Error(stopping)
    if (this.size >= maxCalls) throw new Error(`the bot is in ${maxCalls} calls already`)
    const placed = this.#place(conversationId)
    this.#placing.add(placed)
    return placed.finally(() => this.#placing.delete(placed))
  }

  /** Hangs up every call, and declines those that ring from now on. */
  async close(): Promise<void> {
    this.#isStopping = true
    await Promise.allSettled(this.#placing)
    await Promise.all([...this.#live.keys()].map((callId) => this.#hangUp(callId, stopping)))
  }

  async #answer({ id, session }: CallEvent): Promise<void> {
    const { switchboard, log } = this.#options
    const peer = await this.#startPeer()
    // The caller may have hung up in the meantime.
    if (!this.#live.has(id)) return peer.close()
    this.#adopt(id, peer)
    await switchboard.answer(id, await peer.answer(session.sdp))
    log('call.answered', { callId: id })
    await this.#talk(id, peer)
  }

  async #place(conversationId: string): Promise<string> {
    const { switchboard, log } = this.#options
    const peer = await this.#startPeer()
    try {
      const callId = await switchboard.place(conversationId, await peer.offer())
      this.#adopt(callId, peer)
      log('call.placed', { callId })
      return callId
    } catch (error) {
      peer.close()
      throw error
    }
  }

  async #talk(callId: string, peer: Peer): Promise<void> {
    const { voice, log } = this.#options
    await peer.untilConnected()
    if (!this.#live.has(callId)) return
    peer.talk(voice)
    log('call.talking', { callId })
  }

  async #startPeer(): Promise<Peer> {
    const { switchboard, mediaAddress } = this.#options
    return createPeer(await switchboard.iceServers(), mediaAddress)
  }

  /** Links the call and its peer: when one of them ends, the other one ends too. */
  #adopt(callId: string, peer: Peer): void {
    this.#live.set(callId, peer)
    void peer.gone.then(async () => {
      if (this.#live.has(callId)) await this.#hangUp(callId, 'the connection is gone')
    })
  }

  /** An error in a call ends only that call. */
  async #endOnFailure(callId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (isRefused(error, ...NOT_OURS)) this.#forget(callId, String(error))
      else if (this.#live.has(callId)) await this.#hangUp(callId, String(error))
    }
  }

  async #hangUp(callId: string, why: string): Promise<void> {
    const { switchboard, log } = this.#options
    this.#forget(callId, why)
    await switchboard.end(callId).catch((error) => log('call.notEnded', { callId, error: String(error) }))
  }

  #forget(callId: string, why: string): void {
    const peer = this.#live.get(callId)
    if (!this.#live.delete(callId)) return
    peer?.close()
    const packets = { packetsHeard: peer?.heard ?? 0, packetsSaid: peer?.said ?? 0 }
    this.#options.log('call.ended', { callId, why, ...packets })
  }
}
