// What the gateway is compared with: programs that take the same work, each a process of its own (`serve` in
// part.ts).
import type { Variant } from './result.ts'

/** Work that others can do too: open loop at a rate, closed loop at saturation. */
export type WorkName =
  | 'event'
  | 'event-https'
  | 'ringing'
  | 'answer'
  | 'send'
  | 'list-messages'
  | 'list-conversations'

export interface Opponent {
  readonly variant: Variant
  /** Relative to bench/. */
  readonly script: string
  /** What it can do. */
  readonly works: readonly WorkName[]
  /** How long nothing comes until it is done: longer than it waits between two polls. */
  readonly settleMs?: number
  /** Whether it has as many processes as there are gateways, which share the load: none of them keeps what others need. */
  readonly canShare?: boolean
}

/** The database is its own, migrated and seeded as the gateway's; Redis is shared, under a prefix of its own. */
export interface OpponentProtocol {
  /** The answer is the port that takes POST /provider/webhooks, and the API if it has one. */
  start: {
    question: {
      readonly databaseUrl: string
      readonly redisUrl: string
      /** Where events go: `ws://` is one frame each on a socket, `http://` and `https://` one POST each. */
      readonly receiverUrl: string
      /** Signs webhooks of the provider. */
      readonly appSecret: string
      /** Where sends go, its own: POST {providerUrl}/v24.0/{phoneNumberId}/messages. */
      readonly providerUrl: string
      readonly accessToken: string
      /** The bearer key of POST /api/v1/messages/chat and the lists. */
      readonly apiKey: string
    }
    answer: number
  }
}

const events: readonly WorkName[] = ['event', 'event-https', 'ringing']
const stacks: readonly WorkName[] = [...events, 'send', 'list-messages', 'list-conversations']

export const opponents: readonly Opponent[] = [
  { variant: 'floor', script: 'floor/floor.ts', works: events, canShare: true },
  { variant: 'micro-floor', script: 'floor/micro-floor.ts', works: events, canShare: true },
  { variant: 'durable-floor', script: 'floor/durable-floor.ts', works: events },
  { variant: 'usual', script: 'peers/usual.ts', works: stacks },
  { variant: 'pg-boss', script: 'peers/pg-boss.ts', works: stacks, settleMs: 700 },
  { variant: 'graphile-worker', script: 'peers/graphile-worker.ts', works: stacks },
  { variant: 'bullmq', script: 'peers/bullmq.ts', works: events },
]
