// Lists the processes that are registered in Redis, for display and placement. Ownership never depends on it.

import type { Clock } from '../../shared/clock.ts'
import { Lru } from '../../shared/lru.ts'
import type { Recalled } from '../actors/ownership.ts'
import { bounded, type Redis } from '../redis/client.ts'
import { keys } from '../redis/keys.ts'

/** `cutOff`: alive, but without Postgres, or out of reach of the others; it gets no actors. */
export type NodeState = 'joining' | 'serving' | 'draining' | 'cutOff'

export interface NodeEntry {
  readonly nodeId: string
  readonly sid: string
  readonly address: string
  readonly state: NodeState
  readonly version: string
  /** The name of its host; empty from a release that does not tell it. */
  readonly host: string
}

export interface Registry {
  /** Nodes with a live session. The list is at most one second old. Rejects while Redis is unavailable. */
  liveNodes(): Promise<readonly NodeEntry[]>
  /** The nodes when the list was last read: where to ask while Redis is unavailable. */
  lastNodes(): readonly NodeEntry[]
  /** The address of this session is one that only its own host reaches, and that host is another. */
  isOutOfReach(sid: string): boolean
  /** What was known of a session when the list was last read, and what this process found out since. */
  recall(sid: string): Recalled
  /** `ended`: certainly. `expired`: it was out of reach for so long that its session would have expired. */
  noteGone(sid: string, how: 'ended' | 'expired'): void
  /** Deletes nodes that were not seen for an hour, and their inboxes. */
  reap(): Promise<void>
}

const cachedMs = 1_000
const forgottenMs = 3_600_000
const maxGone = 1_000

export interface RegistryOptions {
  /** The name of this host. */
  readonly host: string
  /** Called once for each session that is out of reach. */
  readonly onOutOfReach: (node: NodeEntry) => void
}

/** Without `options` every session counts as within reach. */
export function createRegistry(redis: Redis, clock: Clock, options?: RegistryOptions): Registry {
  const gone = new Lru<'ended' | 'expired'>(maxGone)
  let last: readonly NodeEntry[] = []
  let outOfReach: ReadonlySet<string> = new Set()
  let cached: { readonly nodes: Promise<readonly NodeEntry[]>; readonly at: number } | undefined

  function take(nodes: readonly NodeEntry[]): void {
    last = nodes
    for (const { sid } of nodes) gone.delete(sid)
    if (!options) return
    const elsewhere = nodes.filter((node) => isElsewhere(node, options.host))
    for (const node of elsewhere) if (!outOfReach.has(node.sid)) options.onOutOfReach(node)
    outOfReach = new Set(elsewhere.map(({ sid }) => sid))
  }

  return {
    liveNodes() {
      if (!cached || clock.mono() - cached.at > cachedMs) {
        const nodes = bounded(readLive(redis))
        cached = { nodes, at: clock.mono() }
        nodes.then(take, () => {
          cached = undefined
        })
      }
      return cached.nodes
    },
    lastNodes: () => last,
    isOutOfReach: (sid) => outOfReach.has(sid),
    recall(sid) {
      const known = gone.get(sid)
      if (known) return { type: known }
      const owner = last.find((node) => node.sid === sid)
      return owner ? { type: 'alive', owner } : { type: 'expired' }
    },
    noteGone: (sid, how) => void gone.set(sid, how),
    async reap() {
      const gone = await bounded(redis.zRangeByScore(keys.nodes, 0, clock.now() - forgottenMs))
      if (gone.length === 0) return
      const stale = gone.flatMap((nodeId) => [keys.node(nodeId), keys.inbox(nodeId)])
      await bounded(redis.multi().zRem(keys.nodes, gone).del(stale).execAsPipeline())
    },
  }
}

async function readLive(redis: Redis): Promise<readonly NodeEntry[]> {
  const nodeIds = await redis.zRange(keys.nodes, 0, -1)
  const described = await Promise.all(
    nodeIds.map(async (nodeId) => entryOf(nodeId, await redis.hGetAll(keys.node(nodeId)))),
  )
  const entries = described.filter((entry) => entry !== undefined)
  const alive = await Promise.all(entries.map(({ sid }) => redis.exists(keys.session(sid))))
  return entries.filter((_, index) => alive[index] === 1)
}

function entryOf(nodeId: string, fields: Readonly<Record<string, string>>): NodeEntry | undefined {
  const { sid, address, state, version = '', host = '' } = fields
  if (!sid || !address) return undefined
  return { nodeId, sid, address, state: state as NodeState, version, host }
}

/** Its address is one that only its own host reaches, and that is not this one. */
export const isElsewhere = (node: Pick<NodeEntry, 'host' | 'address'>, host: string): boolean =>
  node.host !== '' && node.host !== host && loopback.test(node.address)

/** A wildcard, which gateways used to register, leads whoever asks to its own host, too. */
const loopback = /^https?:\/\/(localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|\[::\])(:|\/|$)/

/** Serving nodes in order of preference for `key`. Processes that see the same nodes get the same order. */
export function rendezvous(nodes: readonly NodeEntry[], key: string): readonly NodeEntry[] {
  return nodes
    .filter(({ state }) => state === 'serving')
    .map((node) => ({ node, weight: hash(`${node.sid}:${key}`) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ node }) => node)
}

// FNV-1a with a final mix. Without the mix, ids that differ only in the last character get similar hashes.
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return (value ^ (value >>> 13)) >>> 0
}
