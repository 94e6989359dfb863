// One WebSocket for all live updates. A topic starts with a snapshot and continues with deltas. After a gap
// in the sequence numbers it subscribes to all topics again.
import { effect, type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isSignedOut, lacksFactor } from '../core/api.ts'
import { liveStale } from '../core/freshness.ts'
import { merged } from '../core/live-merge.ts'
import { askToSignIn, timesSignedIn } from './ended-session.ts'
import { route } from './router.ts'

interface Frame {
  readonly topic: string
  readonly seq: number
  readonly snapshot?: Readonly<Record<string, unknown>>
  readonly delta?: Readonly<Record<string, unknown>>
  /** The server cannot read the topic, and since when; null: it can again. */
  readonly stale?: { readonly asOf: string | null } | null
}

interface Topic {
  readonly state: Signal<Readonly<Record<string, unknown>> | undefined>
  stale: { readonly asOf: string | null } | undefined
  seq: number
  watchers: number
}

const SESSION_ENDED = 4401
const NO_SECOND_FACTOR = 4402
const NOT_A_MEMBER = 4403
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
const LISTEN_MS = 5_000
const SILENCE_MS = 20_000

/** `off`: there is no connection, and none is wanted. */
export const liveState = signal<'off' | 'connecting' | 'live' | 'lost' | 'refused'>('off')

const topics = new Map<string, Topic>()
let socket: WebSocket | undefined
let failures = 0
/** When the server last said anything. */
let heardAt: number | null = null
let timer: ReturnType<typeof setTimeout> | undefined

/** The latest state of a topic; undefined before its snapshot. Watched while the component is mounted. */
export function useTopic<State>(name: string | undefined): State | undefined {
  useEffect(() => (name === undefined ? undefined : watch(name)), [name])
  return name === undefined ? undefined : (topicOf(name).state.value as State | undefined)
}

function topicOf(name: string): Topic {
  let topic = topics.get(name)
  if (!topic) {
    topic = { state: signal(undefined), stale: undefined, seq: 0, watchers: 0 }
    topics.set(name, topic)
  }
  return topic
}

function watch(name: string): () => void {
  const topic = topicOf(name)
  topic.watchers += 1
  if (topic.watchers === 1) subscribe()
  return () => {
    topic.watchers -= 1
    if (topic.watchers > 0) return
    topics.delete(name)
    judge()
    subscribe()
  }
}

const watched = (): string[] => [...topics].filter(([, { watchers }]) => watchers > 0).map(([name]) => name)

function subscribe(): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ subscribe: watched() }))
  else if (watched().length > 0) connect()
}

function connect(): void {
  const { workspaceId } = route.peek()
  if (socket || timer || workspaceId === undefined) return
  liveState.value = failures === 0 ? 'connecting' : 'lost'
  const times = timesSignedIn()
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
  const opened = new WebSocket(
    `${scheme}://${location.host}/console/live?workspace=${encodeURIComponent(workspaceId)}`,
  )
  socket = opened
  opened.onopen = () => {
    heardAt = Date.now()
    liveState.value = 'live'
    subscribe()
    judge()
  }
  opened.onmessage = ({ data }) => {
    if (socket !== opened) return
    // Not when it opens: the server opens one too many and closes it with the reason.
    failures = 0
    heardAt = Date.now()
    take(JSON.parse(String(data)) as Frame)
  }
  opened.onclose = ({ code }) => {
    if (socket === opened) lost(code, times)
  }
}

/** Whether what the topics show is out of date, and why. Topics that nobody watches do not count. */
function judge(): void {
  const late = [...topics.values()].find(({ stale }) => stale)?.stale
  if (liveState.value === 'lost') liveStale.value = { what: 'gateway', asOf: heardAt }
  else if (late)
    liveStale.value = { what: 'database', asOf: late.asOf === null ? null : Date.parse(late.asOf) }
  else liveStale.value = undefined
}

/** The server says something every few seconds. If it does not, the connection is dead, although nobody closed it. */
function listen(): void {
  const opened = socket
  if (opened === undefined || liveState.value !== 'live' || Date.now() - (heardAt ?? 0) < SILENCE_MS) return
  opened.close()
  lost(0, timesSignedIn())
}

function take({ topic: name, seq, snapshot, delta, stale }: Frame): void {
  const topic = topics.get(name)
  if (!topic) return
  if (stale !== undefined) {
    topic.stale = stale ?? undefined
    return judge()
  }
  if (snapshot) topic.state.value = snapshot
  else if (!delta || topic.state.value === undefined) return
  else if (seq === topic.seq + 1) topic.state.value = merged(topic.state.value, delta)
  else if (seq > topic.seq) return void subscribe()
  else return
  topic.seq = seq
}

function lost(code: number, times: number): void {
  socket = undefined
  if (code === SESSION_ENDED) {
    liveState.value = 'off'
    void resume(times)
  } else if (code === NO_SECOND_FACTOR) {
    liveState.value = 'refused'
    lacksFactor.value += 1
  } else if (code === NOT_A_MEMBER) liveState.value = 'refused'
  else later()
}

/** The socket may be of a session that was replaced while a request asked for the sign-in. */
async function resume(times: number): Promise<void> {
  if (times !== timesSignedIn() || (await askToSignIn())) connect()
}

function later(): void {
  failures += 1
  liveState.value = 'lost'
  // What the old connection said of the topics is not known any more.
  for (const topic of topics.values()) topic.stale = undefined
  judge()
  const longest = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
  // Jitter, so that the consoles of a whole team do not reconnect at the same moment.
  timer = setTimeout(
    () => {
      timer = undefined
      if (watched().length > 0) connect()
    },
    longest * (0.5 + Math.random() / 2),
  )
}

/** After a sign-out or a change of workspace no known state may stay. */
function forget(): void {
  clearTimeout(timer)
  timer = undefined
  failures = 0
  const closing = socket
  socket = undefined
  closing?.close(1000)
  for (const topic of topics.values()) {
    topic.state.value = undefined
    topic.stale = undefined
    topic.seq = 0
  }
  heardAt = null
  liveState.value = 'off'
  judge()
}

export function startLive(): void {
  setInterval(listen, LISTEN_MS)
  let before: string | undefined
  effect(() => {
    const current = isSignedOut.value ? undefined : route.value.workspaceId
    if (current === before) return
    before = current
    forget()
    if (current !== undefined && watched().length > 0) connect()
  })
}
