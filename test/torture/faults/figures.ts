// What a row has done to the load, seen from outside: at the receivers, at the provider, at the API.
import { encodeId } from '../../../src/shared/ids.ts'
import type { Json } from '../../e2e/clients.ts'
import type { Received } from '../../e2e/inbox.ts'
import type { SocketReceiver } from '../../e2e/receivers.ts'
import type { Cluster, Target } from './cluster.ts'
import type { Call, Done } from './load.ts'

export interface Figures {
  /** Events that the provider was answered 200 for or that a send caused, and must arrive. */
  readonly sent: number
  /** Of those, the ones that never arrived, by name. */
  readonly lost: readonly string[]
  /** Arrivals of events that had arrived before. */
  readonly copies: number
  /** Events that arrived by their first attempt, and after a later one of their conversation or call. */
  readonly orderBreaks: readonly string[]
  /** The most sockets of one endpoint that were open at one instant. */
  readonly sockets: number
  /** Frames on a socket after a later socket of the same endpoint had carried one. */
  readonly staleFrames: number
  readonly sends: number
  /** Sends that were not answered 202. */
  readonly failedSends: number
  /** Messages that the provider was asked for more than once. */
  readonly sentTwice: number
  readonly calls: number
  /** Calls that never rang, and what the product says of each. */
  readonly silentCalls: readonly string[]
  /** Calls that rang later than `LATE_MS`. */
  readonly lateCalls: number
  readonly ringP50Ms: number
  readonly ringMaxMs: number
  readonly textP50Ms: number
  readonly textMaxMs: number
  /** A process has found that Postgres lacks rows. */
  readonly isRestored: boolean
  /** From the heal, or from a harm that does not heal, to the last arrival that was late. */
  readonly recoverMs: number
}

const LATE_MS = 1_000

interface Arrival {
  readonly at: number
  readonly lateMs: number
}

/** Names an event by what it is about, so that every copy has the same name. */
function nameOf({ event, data, call }: Json): string {
  if (event === 'message.received') return `${data.text}`
  if (event === 'message.status') return `${data.messageId} ${data.status}`
  if (event === 'call.status') return `${data.wacid} ${data.status}`
  return `${call.wacid} ${event}`
}

type First = ReadonlyMap<string, number>

/** The first arrival of each event, in the order of arrival. */
function firstArrivals(received: readonly Received[]): First {
  const first = new Map<string, number>()
  for (const { body, at } of received) if (!first.has(nameOf(body))) first.set(nameOf(body), at)
  return first
}

export async function figuresOf(cluster: Cluster, done: Done, healedAt: number): Promise<Figures> {
  const arrived = new Map(
    cluster.targets.map((target) => [target, firstArrivals(target.receiver.inbox.received)]),
  )
  const at = (target: Target, name: string) => arrived.get(target)?.get(name)
  const expected = await expectedEvents(cluster, done)
  const texts = done.texts.map(({ text, target, at: sentAt }) => arrival(at(target, text), sentAt))
  const rings = done.calls.map(({ wacid, target, at: sentAt }) =>
    arrival(at(target, `${wacid} call.ringing`), sentAt),
  )
  const rung = rings.filter((ring) => ring !== undefined)
  const all = [...rung, ...texts.filter((text) => text !== undefined)]
  const late = all.filter(({ lateMs }) => lateMs > LATE_MS)
  const received = cluster.targets.flatMap(({ receiver }) => receiver.inbox.received)
  const different = [...arrived.values()].reduce((sum, { size }) => sum + size, 0)
  return {
    sent: expected.length,
    lost: expected
      .filter(({ target, name }) => at(target, name) === undefined)
      .map(({ target, name }) => `${target.name}: ${name}`),
    copies: received.length - different,
    orderBreaks: await orderBreaks(cluster),
    sockets: Math.max(...cluster.sockets.map(mostOpen)),
    staleFrames: cluster.sockets.reduce((sum, socket) => sum + staleFrames(socket), 0),
    sends: done.sends.length,
    failedSends: done.sends.filter(({ reply }) => reply?.status !== 202).length,
    sentTwice: (await askedFor(cluster)).filter(([, times]) => times > 1).length,
    calls: rings.length,
    silentCalls: await reasonsOf(
      cluster,
      done.calls.filter((_, index) => rings[index] === undefined),
    ),
    lateCalls: rung.filter(({ lateMs }) => lateMs > LATE_MS).length,
    ...latencies('ring', rung),
    ...latencies(
      'text',
      texts.filter((text) => text !== undefined),
    ),
    isRestored: (await cluster.stack.sql`select from database_era where restored_at is not null`).count > 0,
    recoverMs: Math.max(0, ...late.map((one) => one.at - healedAt)),
  }
}

const arrival = (at: number | undefined, sentAt: number): Arrival | undefined =>
  at === undefined ? undefined : { at, lateMs: at - sentAt }

function latencies<Name extends string>(name: Name, arrivals: readonly Arrival[]) {
  const sorted = arrivals.map(({ lateMs }) => lateMs).toSorted((one, other) => one - other)
  return {
    [`${name}P50Ms`]: sorted[Math.floor(sorted.length / 2)] ?? 0,
    [`${name}MaxMs`]: sorted.at(-1) ?? 0,
  } as Record<`${Name}P50Ms` | `${Name}MaxMs`, number>
}

interface Expected {
  readonly target: Target
  readonly name: string
}

/**
 * Every text, the end of every call, and the outcome of every message that the provider was asked for, which
 * every endpoint is told.
 */
async function expectedEvents(cluster: Cluster, { texts, calls, sends }: Done): Promise<Expected[]> {
  const asked = new Map(await askedFor(cluster))
  return [
    ...texts.map(({ text: name, target }) => ({ target, name })),
    ...calls.map(({ wacid, target }) => ({ target, name: `${wacid} MISSED` })),
    ...sends.flatMap(({ reply }) =>
      reply?.status === 202 && asked.has(reply.body.id)
        ? cluster.targets.map((target) => ({ target, name: `${reply.body.id} DELIVERED` }))
        : [],
    ),
  ]
}

/** How often the provider was asked for each message, by our id. */
async function askedFor({ stack }: Cluster): Promise<[string, number][]> {
  const { data } = (await stack.sim.get('/requests?limit=10000')).body
  const counts = new Map<string, number>()
  for (const { method, body } of data) {
    const id = body?.biz_opaque_callback_data
    if (method === 'POST' && id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return [...counts]
}

/** Each call with its end and why it could not be forwarded. */
async function reasonsOf({ stack }: Cluster, calls: readonly Call[]): Promise<string[]> {
  const rows = await stack.sql<
    { wacid: string; status: string; error: { code: string; message: string } | null }[]
  >`
    select wacid, status, last_forward_error as error from calls where wacid = any(${calls.map(({ wacid }) => wacid)})`
  return calls.map(({ wacid, target, at }) => {
    const row = rows.find((one) => one.wacid === wacid)
    const reason = row ? `${row.status}, ${row.error?.code}: ${row.error?.message}` : 'no row'
    return `${target.name} at ${new Date(at).toISOString()}: ${reason}`
  })
}

/** The delivery of an event to one endpoint. */
interface Stored {
  readonly id: string
  readonly key: string
  readonly endpointId: string
  readonly attemptCount: number
}

/**
 * Compares the order of first arrivals with the order in which the database wrote the deliveries. A retry may
 * come after later events. An event has a delivery for each endpoint, and each has attempts of its own.
 */
async function orderBreaks({ stack, targets }: Cluster): Promise<string[]> {
  const rows = await stack.sql<(Stored & { body: Buffer })[]>`
    select d.id, d.key, d.endpoint_id, d.attempt_count, e.body
    from deliveries d
    join events e on e.id = d.event_id`
  return targets.flatMap(({ name, endpoint, receiver }) => {
    const own = rows.filter(({ endpointId }) => encodeId('endpoint', endpointId as never) === endpoint.id)
    const stored = new Map(own.map((row) => [nameOf(JSON.parse(row.body.toString())), row]))
    return breaksIn(receiver.inbox.received, stored).map((one) => `${name}: ${one}`)
  })
}

function breaksIn(received: readonly Received[], stored: ReadonlyMap<string, Stored>): string[] {
  const latest = new Map<string, { readonly id: string; readonly name: string }>()
  const breaks: string[] = []
  for (const [name, at] of firstArrivals(received)) {
    const row = stored.get(name)
    // Direct events have no row.
    if (row === undefined || row.attemptCount > 1) continue
    const before = latest.get(row.key)
    if (before && row.id < before.id)
      breaks.push(`${name} at ${new Date(at).toISOString()}, after ${before.name}`)
    else latest.set(row.key, { id: row.id, name })
  }
  return breaks
}

function mostOpen({ connections }: SocketReceiver): number {
  const counts = connections.map(
    ({ openedAt }) =>
      connections.filter(
        (other) => other.openedAt <= openedAt && (other.closed?.at ?? Number.POSITIVE_INFINITY) > openedAt,
      ).length,
  )
  return Math.max(0, ...counts)
}

function staleFrames({ inbox }: SocketReceiver): number {
  let newest = 0
  let count = 0
  for (const { connection } of inbox.received) {
    if (connection < newest) count += 1
    newest = Math.max(newest, connection)
  }
  return count
}
