// Every Redis key: its type, its life, who writes it. A single primary is assumed: claim.lua builds session keys from
// stored values, which a cluster would not route.
import type { ActorKind } from '../actors/actor.ts'

const kinds: Readonly<Record<ActorKind, string>> = { call: 'call', endpoint: 'ep' }

export const keys = {
  /** String, no expiry, first node: a random generation. Missing or changed: Redis was emptied or rolled back. */
  generation: 'gw:gen',
  /** String node id, SESSION_TTL, its node: one incarnation of one process lives. */
  session: (sid: string) => `gw:sess:${sid}`,
  /** Hash sid, address, state, version, startedAt; 30 s, its node: where to send, and whether to place there. */
  node: (nodeId: string) => `gw:node:${nodeId}`,
  /** Sorted set node id → last seen in ms, no expiry, every node; swept of those unseen for an hour. */
  nodes: 'gw:nodes',
  /** Hash s (sid) n (node id) e (epoch); 15 or 60 min, renewed while owned, Lua only: who owns an actor. */
  owner: (kind: ActorKind, id: string) => `gw:own:${kinds[kind]}:${id}`,
  /** String reporter, 1 h: this session has ended for certain, so nothing of it need be waited out. */
  dead: (sid: string) => `gw:dead:${sid}`,
  /** Hash e, sdpType, sdp, own; 180 s after the last change, the owner, fenced by e: the only store of SDP. */
  callState: (id: string) => `gw:call:${id}`,
  /** Hash lastDialAt; 1 h, whoever dials, Lua only: keeps the handshake timestamps rising. */
  endpointState: (id: string) => `gw:ep:${id}`,
  /** Stream of envelopes, about 10,000 entries, 1 min after the last: messages to a node that HTTP does not reach. */
  inbox: (nodeId: string) => `gw:in:${nodeId}`,
  /** Pub/sub channel: hints, which may get lost. */
  hints: 'gw:hint',
  /** Hash t (tokens), at (µs); as long as it takes to fill up: the request budget of one API key. */
  rateLimit: (keyId: string) => `gw:rl:${keyId}`,
  /**
   * Hash t at (tokens of campaigns), r s (rate, share), f fat (slowed to), until (blocked), slowed, w wat (tokens of
   * other sends); times in µs; 10 min, Lua only: what a number may still send.
   */
  pace: (phoneNumberId: string) => `gw:pace:${phoneNumberId}`,
  /** Hash e (epoch), t at (tokens of its own pace); 1 day, Lua only. */
  campaign: (campaignId: string) => `gw:cmp:${campaignId}`,
} as const

export const ownerTtlMs: Readonly<Record<ActorKind, number>> = { call: 900_000, endpoint: 3_600_000 }
