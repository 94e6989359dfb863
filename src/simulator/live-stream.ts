// The page's stream of server-sent events: the state of its handsets, and the requests and webhooks.
import type { ServerResponse } from 'node:http'
import { handsetView } from './control-handsets.ts'
import { isUserId } from './identity.ts'
import type { HandsetView, LiveFrame, RequestRow, WebhookRow } from './views.ts'
import type { WebhookEntry } from './webhook-sender.ts'
import { handsetAtAddress, type World } from './world.ts'

const STREAM_LIMIT = 32
const WATCHED_LIMIT = 12
const MESSAGES_SHOWN = 100
const ROWS_SHOWN = 100
const TICK_MS = 150
const QUIET_MS = 15_000
/** A page with more unread bytes than this skips frames. */
const UNREAD_BYTES = 1024 * 1024

export type Streams = Set<ServerResponse>

/** Opens a stream. Returns false when too many are open. */
export function openStream(
  world: World,
  streams: Streams,
  query: URLSearchParams,
  response: ServerResponse,
): boolean {
  if (streams.size >= STREAM_LIMIT) return false
  streams.add(response)
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  const watched = (query.get('handsets') ?? '').split(',')
  const watcher = new Watcher(
    world,
    watched.filter((one) => isUserId(one) || /^\d{5,20}$/.test(one)).slice(0, WATCHED_LIMIT),
  )
  let saidAt = 0
  const say = () => {
    if (response.writableLength > UNREAD_BYTES) return
    const frame = watcher.nextFrame()
    const isQuiet = Object.keys(frame).length === 0
    if (isQuiet && performance.now() - saidAt < QUIET_MS) return
    saidAt = performance.now()
    // When nothing changes, an SSE comment shows that the connection is alive.
    response.write(isQuiet ? ':\n\n' : `data: ${JSON.stringify(frame)}\n\n`)
  }
  say()
  const timer = setInterval(say, TICK_MS)
  response.once('close', () => {
    clearInterval(timer)
    streams.delete(response)
  })
  return true
}

/** Remembers what one page has received, and finds the changes since then. */
class Watcher {
  readonly #world: World
  readonly #watched: readonly string[]
  readonly #said = new Map<string, string>()
  #generation: number | undefined
  #requestsSeen = 0

  constructor(world: World, watched: readonly string[]) {
    this.#world = world
    this.#watched = watched
  }

  /** The changes since the last frame. The first frame, and the first after a reset, contains everything. */
  nextFrame(): LiveFrame {
    const world = this.#world
    const isSnapshot = this.#generation !== world.generation
    this.#generation = world.generation
    if (isSnapshot) this.#said.clear()
    return {
      ...(isSnapshot ? { isSnapshot } : {}),
      ...this.#changed('numbers', numbersOf(world)),
      ...this.#changed('webhookUrls', world.webhooks.urls),
      ...this.#changed('faults', world.faults.view()),
      ...filled('handsets', this.#handsets()),
      ...filled('requests', this.#requests()),
      ...filled('webhooks', this.#webhooks()),
    }
  }

  #isNew(name: string, value: unknown): boolean {
    const text = JSON.stringify(value)
    if (this.#said.get(name) === text) return false
    this.#said.set(name, text)
    return true
  }

  #changed(name: string, value: unknown): Record<string, unknown> {
    return this.#isNew(name, value) ? { [name]: value } : {}
  }

  #handsets(): Record<string, HandsetView> {
    const views = this.#watched.map((address) => {
      const handset = handsetAtAddress(this.#world, address)
      return [address, handsetView(this.#world, handset, MESSAGES_SHOWN)] as const
    })
    return Object.fromEntries(views.filter(([address, view]) => this.#isNew(`handset ${address}`, view)))
  }

  #requests(): RequestRow[] {
    const { requests } = this.#world
    const since = Math.max(this.#requestsSeen, requests.last - ROWS_SHOWN)
    const { data, next } = requests.since(since, ROWS_SHOWN)
    this.#requestsSeen = next
    return data.map(requestRow)
  }

  /** New and changed rows: a pending webhook is sent again whenever it changes. */
  #webhooks(): WebhookRow[] {
    const { journal } = this.#world.webhooks
    const { data } = journal.since(Math.max(journal.last - ROWS_SHOWN, 0), ROWS_SHOWN)
    // The key is the position in the window, so that the map of sent rows stays as small as the window.
    return data.map(webhookRow).filter((row) => this.#isNew(`webhook ${row.seq % ROWS_SHOWN}`, row))
  }
}

const filled = (name: string, value: object): Record<string, unknown> =>
  Object.keys(value).length > 0 ? { [name]: value } : {}

const numbersOf = (world: World) =>
  [...world.numbers.values()].map(({ id, digits, verifiedName }) => ({ id, digits, verifiedName }))

const requestRow = ({ seq, at, method, path, status, durationMs }: RequestRow): RequestRow => ({
  ...{ seq, at, method, path, status, durationMs },
})

function webhookRow({ seq, at, kinds, outcome, attemptCount, attempts }: WebhookEntry & { seq: number }) {
  const last = attempts.at(-1)
  const row: WebhookRow = {
    ...{ seq, at, outcome, attemptCount },
    kinds: [...new Set(kinds)],
    answer: last?.status ?? last?.error ?? null,
  }
  return row
}
