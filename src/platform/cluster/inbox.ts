// The fallback transport between processes: one Redis stream per node, for tells that HTTP could not deliver.
// Others may be able to write to Redis, so each entry is sealed as a request to /rpc is.

import type { Clock } from '../../shared/clock.ts'
import { pause } from '../../shared/pause.ts'
import { bounded, type Redis } from '../redis/client.ts'
import { keys } from '../redis/keys.ts'
import { RecentIds } from './recent-ids.ts'
import type { RefusalReason, Refused } from './refusals.ts'
import {
  type ClusterSecrets,
  maxEnvelopeBytes,
  openEnvelope,
  type RpcEnvelope,
  sealAll,
} from './rpc-envelope.ts'

const maxEntries = 10_000
/** TTL of the stream. Entries for a dead node are useless, and some contain SDP. */
const lifeMs = 60_000
const blockMs = 1_000
const perRead = 100
const againMs = 250

/** Rejects while Redis is unavailable. */
export async function sendToInbox(
  redis: Redis,
  nodeId: string,
  envelope: RpcEnvelope,
  { secrets, nowMs }: { readonly secrets: ClusterSecrets; readonly nowMs: number },
): Promise<void> {
  const inbox = keys.inbox(nodeId)
  const body = JSON.stringify(envelope)
  const { first, more } = sealAll(secrets, nowMs, body)
  const fields = { seal: first, ...(more && { seals: more }), envelope: body }
  const trim = { strategy: 'MAXLEN', strategyModifier: '~', threshold: maxEntries } as const
  const write = redis.multi().xAdd(inbox, '*', fields, { TRIM: trim }).pExpire(inbox, lifeMs)
  await bounded(write.execAsPipeline())
}

export interface InboxOptions {
  /** A dedicated connection, because reads block. */
  readonly reader: Redis
  readonly commands: Redis
  /** Also the session of this process: see startNode. */
  readonly nodeId: string
  readonly secrets: ClusterSecrets
  readonly clock: Clock
  readonly refused: Refused
  /** Must not reject. */
  readonly receive: (envelope: RpcEnvelope) => Promise<void>
}

/** Reads until the returned function is called. Its promise resolves when the last read has ended. */
export function startInbox(options: InboxOptions): () => Promise<void> {
  const stop = new AbortController()
  const ended = readAll(options, stop.signal)
  return () => {
    stop.abort()
    return ended
  }
}

async function readAll(options: InboxOptions, signal: AbortSignal): Promise<void> {
  const { commands, nodeId, clock } = options
  const seen = new RecentIds(clock)
  let last = '0-0'
  while (!signal.aborted) {
    const entries = await readSome(options, last).catch(() => undefined)
    if (!entries) await pause(clock, againMs, signal)
    for (const { id, message } of entries ?? []) {
      last = id
      await take(options, seen, message)
    }
    // Entries are large: remove them right after reading, not when the stream is full.
    if (entries?.length) bounded(commands.xTrim(keys.inbox(nodeId), 'MINID', next(last))).catch(() => {})
  }
}

interface Entry {
  readonly id: string
  readonly message: Readonly<Record<string, string>>
}

async function readSome({ reader, nodeId }: InboxOptions, last: string): Promise<readonly Entry[]> {
  const read = reader.xRead({ key: keys.inbox(nodeId), id: last }, { BLOCK: blockMs, COUNT: perRead })
  const streams = (await bounded(read, blockMs + 2_000)) as { readonly messages: Entry[] }[] | null
  return streams?.[0]?.messages ?? []
}

async function take(options: InboxOptions, seen: RecentIds, message: Entry['message']): Promise<void> {
  const read = open(options, seen, message)
  if (read === 'unknown') return
  if (typeof read === 'string') options.refused('inbox', read)
  else await options.receive(read)
}

// A tell that expires is not lost: by then a sweep of the database has handled its row.
function open(
  options: InboxOptions,
  seen: RecentIds,
  { seal: first, seals: more, envelope: body = '' }: Entry['message'],
): RpcEnvelope | RefusalReason | 'unknown' {
  if (body.length > maxEnvelopeBytes) return 'malformed'
  const envelope = openEnvelope(options, { first, more }, body)
  if (typeof envelope === 'string') return envelope
  // The router sends no asks this way: nobody would get the answer.
  if (envelope.type !== 'tell') return 'malformed'
  // The sender writes each envelope once, to the inbox of the session that is named in it.
  return envelope.sid === options.nodeId && seen.add(envelope.msgId) ? envelope : 'replayed'
}

/** The id after `id`, because MINID keeps the entry with the given id. */
function next(id: string): string {
  const [ms = '0', sequence = '0'] = id.split('-')
  return `${ms}-${Number(sequence) + 1}`
}
