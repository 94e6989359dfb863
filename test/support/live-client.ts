// A browser's side of the console's live updates: keeps every frame, and the state that the frames add up to.
import WebSocket from 'ws'
import { withDeadline } from '../../src/shared/deadline.ts'

// Each test asserts the fields that it reads, so the type stays open.
// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
type Json = any

export interface Frame {
  readonly topic: string
  readonly seq: number
  readonly snapshot?: Json
  readonly delta?: Json
}

export interface LiveClient {
  /** Snapshots and deltas. */
  readonly frames: readonly Frame[]
  /** What the server said of topics that it could not read, and could again. */
  readonly staleness: readonly { readonly topic: string; readonly stale: { asOf: string | null } | null }[]
  /** How often the server said that it is there. */
  readonly heartbeats: () => number
  /** The state of each topic after the frames so far. */
  readonly states: Readonly<Record<string, Json>>
  readonly socket: WebSocket
  subscribe(...topics: string[]): void
  /** Resolves once the condition holds for what has come in. */
  until(what: string, isTrue: () => boolean): Promise<void>
  /** Resolves with the code that the server closed with. */
  closed(): Promise<number>
}

const withinMs = 10_000

export async function watchLive(
  origin: string,
  workspace: string,
  headers: Readonly<Record<string, string>>,
): Promise<LiveClient> {
  const url = `${origin.replace('http', 'ws')}/console/live?workspace=${workspace}`
  const socket = new WebSocket(url, { headers })
  const frames: Frame[] = []
  const staleness: LiveClient['staleness'][number][] = []
  let heartbeats = 0
  const states: Record<string, Json> = {}
  const waiting = new Set<() => void>()
  let code: number | undefined
  const stir = () => {
    for (const look of [...waiting]) look()
  }
  const until = (what: string, isTrue: () => boolean) => {
    let look: () => void = () => undefined
    const came = new Promise<void>((resolve) => {
      look = () => isTrue() && resolve()
      waiting.add(look)
      look()
    })
    return withDeadline(came, withinMs, what).finally(() => waiting.delete(look))
  }
  socket.on('message', (bytes) => {
    const frame: Frame & {
      readonly alive?: true
      readonly stale?: LiveClient['staleness'][number]['stale']
    } = JSON.parse(String(bytes))
    if (frame.alive) heartbeats += 1
    else if (frame.stale !== undefined) staleness.push({ topic: frame.topic, stale: frame.stale })
    if (frame.alive || frame.stale !== undefined) return stir()
    frames.push(frame)
    states[frame.topic] = frame.snapshot ?? merged(states[frame.topic], frame.delta)
    stir()
  })
  socket.on('close', (given) => {
    code = given
    stir()
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return {
    ...{ frames, staleness, states, socket, until },
    heartbeats: () => heartbeats,
    subscribe: (...topics) => socket.send(JSON.stringify({ subscribe: topics })),
    async closed() {
      await until('the socket is closed', () => code !== undefined)
      return code ?? 0
    },
  }
}

/** The status with which an upgrade is refused. */
export const refusedUpgrade = (
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, { headers })
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.on('open', () => reject(new Error('the upgrade was accepted')))
    socket.on('error', reject)
  })

/** Merges shallowly. Lists are merged by removed and upserted records, and sorted newest first. */
function merged(state: Json, delta: Json): Json {
  const after = { ...state }
  for (const [name, value] of Object.entries(delta as Record<string, Json>)) {
    if (!Array.isArray(value?.upsert)) {
      after[name] = value
      continue
    }
    const records = new Map(after[name].map((record: Json) => [record.id, record]))
    for (const id of value.remove) records.delete(id)
    for (const record of value.upsert) records.set(record.id, record)
    after[name] = [...records.values()].sort((one: Json, other: Json) => (one.id < other.id ? 1 : -1))
  }
  return after
}
