// A steady load: contacts write and call, and the workspace sends. It is bounded and never waits for answers.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Json, ok, type Reply } from '../../e2e/clients.ts'
import type { Received } from '../../e2e/inbox.ts'
import type { Cluster, Target } from './cluster.ts'

/** A second each, over all receivers together. */
export interface Rates {
  readonly texts: number
  readonly calls: number
  readonly sends: number
}

export interface Text {
  readonly text: string
  readonly target: Target
  readonly at: number
}

export interface Call {
  readonly wacid: string
  readonly target: Target
  readonly at: number
}

export interface Send {
  readonly to: string
  readonly at: number
  /** Undefined without an answer. */
  readonly reply: Reply | undefined
}

export interface Done {
  readonly texts: readonly Text[]
  readonly calls: readonly Call[]
  readonly sends: readonly Send[]
}

export interface Load {
  /** Sends nothing more; resolves when every call has rung or been given up, and every send has an answer. */
  stop(): Promise<Done>
}

/** Phones ring for at least this long before their callers give up. */
const PATIENCE_MS = 25_000
/** A call that rang is ended after this. */
const RUNG_MS = 500
const HANDSETS = 10

/** A number whose last four digits, the index and 55, give the handset no special behaviour. */
const handset = (prefix: string, index: number): string => `${prefix}${String(index).padStart(5, '0')}55`

export const isRing =
  (wacid: string) =>
  ({ event, call }: Json, _: Received): boolean =>
    event === 'call.ringing' && call.wacid === wacid

export function startLoad(cluster: Cluster, rates: Rates): Load {
  const over = new AbortController()
  const done = { texts: [] as Text[], calls: [] as Call[], sends: [] as Send[] }
  const waiting = new Set<Promise<unknown>>()
  const start = (rate: number, work: (index: number) => Promise<unknown>) =>
    every(1_000 / rate, over.signal, (index) => {
      const working = work(index).finally(() => waiting.delete(working))
      waiting.add(working)
    })
  const clocks = [
    start(rates.texts, async (index) => void done.texts.push(await write(cluster, index))),
    start(rates.calls, (index) => callUp(cluster, index, (call) => done.calls.push(call))),
    start(rates.sends, async (index) => void done.sends.push(await send(cluster, index))),
  ]
  return {
    async stop() {
      over.abort()
      await Promise.all(clocks)
      await Promise.all(waiting)
      return done
    },
  }
}

/** Calls at planned times: work that is late does not make later work fewer. */
async function every(periodMs: number, signal: AbortSignal, work: (index: number) => void): Promise<void> {
  const startedMs = performance.now()
  for (let index = 0; !signal.aborted; index += 1) {
    await sleep(Math.max(0, startedMs + index * periodMs - performance.now()))
    if (!signal.aborted) work(index)
  }
}

const targetOf = ({ targets }: Cluster, index: number): Target => {
  const target = targets[index % targets.length]
  if (!target) throw new Error('there are no targets')
  return target
}

async function write(cluster: Cluster, index: number): Promise<Text> {
  const target = targetOf(cluster, index)
  const text = `text ${index}`
  const at = Date.now()
  const from = handset(`1558${index % cluster.targets.length}`, index % HANDSETS)
  const body = { to: target.number.phoneNumberId, type: 'text', text, name: 'Ines Duarte' }
  await ok(cluster.stack.sim.post(`/handsets/${from}/messages`, body))
  return { text, target, at }
}

async function callUp(cluster: Cluster, index: number, began: (call: Call) => void): Promise<void> {
  const { sim } = cluster.stack
  const target = targetOf(cluster, index)
  const at = Date.now()
  const to = { to: target.number.phoneNumberId, media: 'template' }
  const { wacid } = await ok(sim.post(`/handsets/${handset('1557', index)}/calls`, to))
  began({ wacid, target, at })
  const { inbox } = target.receiver
  const hasRung = () => inbox.received.some((one) => isRing(wacid)(one.body, one))
  while (!hasRung() && Date.now() - at < PATIENCE_MS) await sleep(100)
  await sleep(RUNG_MS)
  // The product may have ended a call that it could not forward.
  await sim.post(`/calls/${encodeURIComponent(wacid)}/hangup`)
}

async function send({ api }: Cluster, index: number): Promise<Send> {
  const to = handset('1559', index)
  const at = Date.now()
  const template = { name: 'hello_world', language: 'en_US' }
  const body = { to: `+${to}`, template, idempotencyKey: `send ${index}` }
  const reply = await api.post('/messages/chat', body).catch(() => undefined)
  return { to, at, reply }
}
