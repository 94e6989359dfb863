// All Redis keys: type, TTL, writer and meaning. They need a single primary: claim.lua builds session keys
// from stored values, which Redis Cluster could not route.
import type { ActorKind } from '../actors/actor.ts'

const kinds: Readonly<Record<ActorKind, string>> = { call: 'call', endpoint: 'ep' }

export const keys = {
  /** String, no expiry, first node: a random value. Missing or changed: Redis was emptied or rolled back. */
  generation: 'gw:gen',
  /** String (node id), SESSION_TTL, its node: one incarnation of one process is alive. */
  session: (sid: string) => `gw:sess:${sid}`,
  /** Hash sid, address, state, version; 30 s, its node: the address, and whether to place actors there. */
  node: (nodeId: string) => `gw:node:${nodeId}`,
  /** Sorted set node id → last seen in ms; no expiry, every node; nodes unseen for an hour are removed. */
  nodes: 'gw:nodes',
  /** Hash s (sid), n (node id), e (epoch); 15 or 60 min, renewed while owned, Lua only: owner of an actor. */
  owner: (kind: ActorKind, id: string) => `gw:own:${kinds[kind]}:${id}`,
  /** String (reporter), 1 h: this session has certainly ended, so a successor needs no handover silence. */
  dead: (sid: string) => `gw:dead:${sid}`,
  /** Hash e, sdpType, sdp, own; 180 s after the last change, its owner, fenced by e: only store of SDP. */
  callState: (id: string) => `gw:call:${id}`,
  /** Hash lastDialAt; 1 h, the node that dials, Lua only: keeps handshake timestamps increasing. */
  endpointState: (id: string) => `gw:ep:${id}`,
  /** Stream of sealed RPC envelopes, about 10,000; 1 min after the last: messages that HTTP could not deliver. */
  inbox: (nodeId: string) => `gw:in:${nodeId}`,
  /** Pub/sub channel: hints, which may be lost. */
  hints: 'gw:hint',
  /** Hash t (tokens), at (µs); until the bucket would be full again: the budget of one API key, or of one guesser. */
  rateLimit: (keyId: string) => `gw:rl:${keyId}`,
  /**
   * Hash t, at (tokens of campaigns), r, s (rate, share of campaigns), f, fat (slow-down factor), until
   * (blocked), slowed (last slow-down), w, wat (tokens of other sends), 0 to 10 (sends per tenth of a
   * second); times in µs; 10 min, Lua only: what a number may still send.
   */
  numberRate: (phoneNumberId: string) => `gw:numberRate:${phoneNumberId}`,
  /** Hash e (epoch), t, at (tokens of the campaign's own pace); 1 day, Lua only. */
  campaign: (campaignId: string) => `gw:cmp:${campaignId}`,
} as const

export const ownerTtlMs: Readonly<Record<ActorKind, number>> = { call: 900_000, endpoint: 3_600_000 }
