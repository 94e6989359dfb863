// Sends signed webhooks at planned times without waiting for answers (open loop). Runs in its own process.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { PlanOptions, ScenarioName, Shot } from '../scenarios/scenario.ts'
import { scenarios } from '../scenarios/scenarios.ts'
import { nowNs } from './monotonic.ts'
import { serve } from './part.ts'

export interface Sent {
  readonly id: string
  readonly role: Shot['role']
  readonly scheduledNs: number
  readonly sentNs: number
  readonly answeredNs: number
  /** HTTP status of the answer; 0 without an answer. */
  readonly status: number
}

export interface GeneratorProtocol {
  /** The answer is the number of webhooks that are ready. */
  plan: { question: { scenario: ScenarioName; options: PlanOptions }; answer: number }
  fire: { question: { url: string }; answer: Sent[] }
}

const answerTimeoutMs = 10_000
const connections = 64
let planned: Shot[] = []

async function fire(url: string): Promise<Sent[]> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, {
    connections,
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
  })
  const startNs = nowNs() + 50e6
  const waiting: Promise<Sent>[] = []
  const taken = new Map<string, Promise<Sent>>()
  try {
    for (const shot of planned) {
      const scheduledNs = startNs + shot.atMs * 1e6
      // Sleep although a timer can fire late. A busy loop would take CPU time from the measured processes.
      for (let leftMs = until(scheduledNs); leftMs > 0; leftMs = until(scheduledNs)) await sleep(leftMs)
      const sending = () => send(pool, pathname, shot, scheduledNs)
      // A provider sends the end of a call only after its connect webhook was answered.
      const before = shot.role === 'follow' ? taken.get(shot.id) : undefined
      const sent = before === undefined ? sending() : before.then(sending)
      waiting.push(sent)
      taken.set(shot.id, sent)
    }
    return await Promise.all(waiting)
  } finally {
    await pool.close()
  }
}

const until = (atNs: number): number => (atNs - nowNs()) / 1e6

async function send(pool: Pool, path: string, shot: Shot, scheduledNs: number): Promise<Sent> {
  const { id, role, body, signature } = shot
  const sentNs = nowNs()
  let status = 0
  try {
    const answer = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
      body,
    })
    status = answer.statusCode
    await answer.body.dump()
  } catch {
    // A status of 0 fails the run.
  }
  return { id, role, scheduledNs, sentNs, answeredNs: nowNs(), status }
}

serve<GeneratorProtocol>({
  async plan({ scenario, options }) {
    planned = await scenarios[scenario].plan(options)
    return planned.length
  },
  fire: ({ url }) => fire(url),
})
