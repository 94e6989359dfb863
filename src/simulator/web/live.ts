// Receives all changes over one stream. A different set of handsets or a lost connection opens a new stream.
import { effect, signal } from '@preact/signals'
import type {
  BusinessNumberView,
  FaultsView,
  HandsetView,
  LiveFrame,
  RequestRow,
  WebhookRow,
} from '../views.ts'
import { opened } from './opened.ts'

const ROWS_KEPT = 200
const AGAIN_MS = 1_000

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')
export const numbers = signal<readonly BusinessNumberView[]>([])
export const webhookUrls = signal<readonly string[] | undefined>(undefined)
export const faults = signal<FaultsView | undefined>(undefined)
export const handsets = signal<Readonly<Record<string, HandsetView>>>({})
export const requests = signal<readonly RequestRow[]>([])
export const webhooks = signal<readonly WebhookRow[]>([])

let stream: EventSource | undefined
let timer: ReturnType<typeof setTimeout> | undefined

export function startLive(): void {
  effect(() => connect(opened.value))
}

function connect(watched: readonly string[]): void {
  clearTimeout(timer)
  stream?.close()
  const next = new EventSource(`/sim/live?handsets=${watched.join(',')}`)
  stream = next
  next.onmessage = ({ data }) => {
    connection.value = 'live'
    take(JSON.parse(String(data)) as LiveFrame)
  }
  next.onerror = () => {
    // Reconnect with a timer: the browser stops its own attempts at an answer that is not an event stream.
    next.close()
    connection.value = 'lost'
    timer = setTimeout(() => connect(opened.peek()), AGAIN_MS)
  }
}

function take(frame: LiveFrame): void {
  if (frame.isSnapshot) {
    handsets.value = {}
    requests.value = []
    webhooks.value = []
  }
  if (frame.numbers) numbers.value = frame.numbers
  if (frame.webhookUrls) webhookUrls.value = frame.webhookUrls
  if (frame.faults) faults.value = frame.faults
  if (frame.handsets) handsets.value = { ...handsets.value, ...frame.handsets }
  if (frame.requests) requests.value = merged(requests.value, frame.requests)
  if (frame.webhooks) webhooks.value = merged(webhooks.value, frame.webhooks)
}

/** Newest first. A row with a known `seq` replaces the old one. */
function merged<Row extends { readonly seq: number }>(
  before: readonly Row[],
  news: readonly Row[],
): readonly Row[] {
  const rows = new Map([...before, ...news].map((row) => [row.seq, row]))
  return [...rows.values()].sort((a, b) => b.seq - a.seq).slice(0, ROWS_KEPT)
}
