// The second way between processes, for tells that HTTP could not hand over: a stream per node in Redis.
import { bounded, type Redis } from '../redis/client.ts'
import { keys } from '../redis/keys.ts'
import type { Clock } from '../shared/clock.ts'
import { pause } from '../shared/pause.ts'
import { type Envelope, readEnvelope } from './envelope.ts'

const maxEntries = 10_000
/** Of a node that died: what is meant for it is of no use to anybody, and some of it is SDP. */
const lifeMs = 60_000
/** A tell that has waited longer than this has been made up for by whatever sweeps its row. */
const freshMs = 30_000
const blockMs = 1_000
const perRead = 100
const againMs = 250

/** Rejects while Redis is away. */
export async function sendToInbox(
  redis: Redis,
  nodeId: string,
  envelope: Envelope,
  nowMs: number,
): Promise<void> {
  const inbox = keys.inbox(nodeId)
  const fields = { until: String(nowMs + freshMs), envelope: JSON.stringify(envelope) }
  const trim = { strategy: 'MAXLEN', strategyModifier: '~', threshold: maxEntries } as const
  const write = redis.multi().xAdd(inbox, '*', fields, { TRIM: trim }).pExpire(inbox, lifeMs)
  await bounded(write.execAsPipeline())
}

export interface InboxOptions {
  /** Blocks: a connection of its own. */
  readonly reader: Redis
  readonly commands: Redis
  readonly nodeId: string
  readonly clock: Clock
  /** Must not reject. */
  readonly receive: (envelope: Envelope) => Promise<void>
}

/** Reads until told to stop; resolves what it returns once the last read is over. */
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
  let last = '0-0'
  while (!signal.aborted) {
    const entries = await readSome(options, last).catch(() => undefined)
    if (!entries) await pause(clock, againMs, signal)
    for (const { id, message } of entries ?? []) {
      last = id
      await take(options, message)
    }
    // Bodies are large: what was read goes at once, not when the stream is full.
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

async function take({ clock, receive }: InboxOptions, message: Entry['message']): Promise<void> {
  const { until, envelope = '' } = message
  const read = readEnvelope(envelope)
  if (typeof read === 'object' && Number(until) > clock.now()) await receive(read)
}

/** The id after `id`: MINID keeps the entry it names. */
function next(id: string): string {
  const [ms = '0', sequence = '0'] = id.split('-')
  return `${ms}-${Number(sequence) + 1}`
}
