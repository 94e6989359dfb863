import { Pool } from 'undici'
import { BoundedMap, pushBounded, Ring } from './bounded.ts'
import type { Faults } from './faults.ts'
import { Timers } from './timers.ts'
import { encodeWebhook, signatureOf } from './webhook-encoding.ts'
import { envelope, type Update } from './webhook-payloads.ts'

const PENDING_LIMIT = 50_000
const JOURNAL_SIZE = 100_000
const BODIES_KEPT = 500
const CONNECTIONS_PER_URL = 64
const ANSWER_TIMEOUT_MS = 20_000
const FIRST_RETRY_MS = 200
const LONGEST_RETRY_MS = 10_000
const ATTEMPT_LIMIT = 60
const BATCH_WAIT_MS = 100

export type WebhookAttempt = Readonly<{
  at: string
  url: string
  status?: number
  error?: string
  durationMs: number
}>

type Outcome = 'pending' | 'delivered' | 'given-up' | 'silent' | 'overflow' | 'unsubscribed'

/** One POST in the journal; `sentNs` and `scheduledNs` are on the monotonic clock of this machine. */
export type WebhookEntry = {
  readonly at: string
  readonly kinds: readonly string[]
  readonly refs: readonly string[]
  readonly scheduledNs: string | null
  sentNs: string | null
  outcome: Outcome
  attemptCount: number
  attempts: WebhookAttempt[]
}

type Post = {
  readonly entry: WebhookEntry
  readonly body: Buffer
  readonly signature: string
  readonly settle: () => void
  repeatsLeft: number
}

type Held = Readonly<{ update: Update; settle: () => void }>

/** Delivers updates to the gateway: signed, at least once, to the webhook URLs in rotation. */
export class WebhookSender {
  readonly journal = new Ring<WebhookEntry>(JOURNAL_SIZE)
  /** The bodies of the latest entries, by their sequence numbers. */
  readonly bodies = new BoundedMap<number, Buffer>(BODIES_KEPT)
  subscribed = true
  readonly #identity: Readonly<{ wabaId: string; appSecret: string }>
  readonly #faults: Faults
  readonly #timers = new Timers()
  readonly #pools = new Map<string, Pool>()
  #urls: URL[] = []
  #turn = 0
  #pending = 0
  #generation = 0
  #closed = false
  #batch: Held[] = []

  constructor(identity: Readonly<{ wabaId: string; appSecret: string }>, faults: Faults) {
    this.#identity = identity
    this.#faults = faults
  }

  get urls(): string[] {
    return this.#urls.map((url) => url.href)
  }

  set urls(urls: readonly string[]) {
    this.#urls = urls.map((url) => new URL(url))
  }

  get pending(): number {
    return this.#pending
  }

  /** Resolves when the update was delivered, given up or dropped. A reset leaves the promise unresolved. */
  send(update: Update): Promise<void> {
    if (this.#closed) return Promise.resolve()
    const faults = this.#faults.webhooks
    const affected = faults.only === undefined || faults.only.some((kind) => update.kind.startsWith(kind))
    if (!this.subscribed) return this.#drop(update, 'unsubscribed')
    if (affected && faults.silent) return this.#drop(update, 'silent')
    if (this.#pending >= PENDING_LIMIT) return this.#drop(update, 'overflow')
    this.#pending += 1
    return new Promise((settle) => {
      const held = { update, settle }
      const wait = faults.delayMs + Math.random() * faults.reorderMs
      if ('payload' in update) this.#postAlone(held, wait)
      else if (!affected) this.#post([held], 0)
      else if (wait === 0) this.#collect(held)
      else this.#timers.later(wait, () => this.#collect(held))
    })
  }

  /** Cancels all pending updates and clears the journal. */
  reset(): void {
    this.#generation += 1
    this.#timers.clear()
    this.#batch = []
    this.#pending = 0
    this.subscribed = true
    this.journal.clear()
    this.bodies.clear()
  }

  /** After this call nothing is sent, even if other work is still finishing. */
  async close(): Promise<void> {
    this.#closed = true
    this.reset()
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()))
    this.#pools.clear()
  }

  #drop(update: Update, outcome: Outcome): Promise<void> {
    this.#record([update], outcome)
    return Promise.resolve()
  }

  #record(updates: readonly Update[], outcome: Outcome): WebhookEntry {
    const scheduled = updates[0]?.scheduledNs
    const entry: WebhookEntry = {
      at: new Date().toISOString(),
      kinds: updates.map((update) => update.kind),
      refs: updates.map((update) => update.ref),
      scheduledNs: scheduled === undefined ? null : String(scheduled),
      sentNs: null,
      outcome,
      attemptCount: 0,
      attempts: [],
    }
    this.journal.push(entry)
    return entry
  }

  #postAlone(held: Held, wait: number): void {
    const post = () => this.#post([held], this.#faults.webhooks.repeat)
    if (wait === 0) post()
    else this.#timers.later(wait, post)
  }

  #collect(held: Held): void {
    const { batch, repeat } = this.#faults.webhooks
    this.#batch.push(held)
    if (this.#batch.length >= batch) this.#flush(repeat)
    else if (this.#batch.length === 1) this.#timers.later(BATCH_WAIT_MS, () => this.#flush(repeat))
  }

  #flush(repeat: number): void {
    const batch = this.#batch
    this.#batch = []
    if (batch.length > 0) this.#post(batch, repeat)
  }

  #post(held: readonly Held[], repeatsLeft: number): void {
    const updates = held.map(({ update }) => update)
    const body = encodeWebhook(bodyOf(this.#identity.wabaId, updates))
    const settle = () => {
      this.#pending -= held.length
      for (const one of held) one.settle()
    }
    const signature = signatureOf(this.#identity.appSecret, body)
    const entry = this.#record(updates, 'pending')
    this.bodies.set(this.journal.last, body)
    void this.#attempt({ entry, body, signature, settle, repeatsLeft })
  }

  async #attempt(post: Post): Promise<void> {
    const generation = this.#generation
    const url = this.#urls[this.#turn++ % Math.max(this.#urls.length, 1)]
    post.entry.sentNs ??= String(process.hrtime.bigint())
    const attempt = await this.#request(url, post)
    if (generation !== this.#generation) return
    post.entry.attemptCount += 1
    pushBounded(post.entry.attempts, attempt, 20)
    const answered = attempt.status === 200 && post.entry.attemptCount > this.#faults.webhooks.failFirst
    if (answered) return this.#delivered(post)
    if (post.entry.attemptCount >= ATTEMPT_LIMIT) return finish(post, 'given-up')
    const wait = Math.min(FIRST_RETRY_MS * 2 ** (post.entry.attemptCount - 1), LONGEST_RETRY_MS)
    this.#timers.later(wait, () => void this.#attempt(post))
  }

  #delivered(post: Post): void {
    if (post.repeatsLeft === 0) {
      finish(post, 'delivered')
      return
    }
    post.repeatsLeft -= 1
    void this.#attempt(post)
  }

  async #request(url: URL | undefined, post: Post): Promise<WebhookAttempt> {
    const at = new Date().toISOString()
    const startedMs = performance.now()
    const took = () => Math.round((performance.now() - startedMs) * 1000) / 1000
    if (url === undefined) return { at, url: '', error: 'no webhook URL is set', durationMs: 0 }
    try {
      const answer = await this.#pool(url.origin).request({
        method: 'POST',
        path: url.pathname + url.search,
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': post.signature },
        body: post.body,
        headersTimeout: ANSWER_TIMEOUT_MS,
        bodyTimeout: ANSWER_TIMEOUT_MS,
      })
      await answer.body.dump()
      return { at, url: url.href, status: answer.statusCode, durationMs: took() }
    } catch (error) {
      return {
        at,
        url: url.href,
        error: error instanceof Error ? error.message : 'failed',
        durationMs: took(),
      }
    }
  }

  #pool(origin: string): Pool {
    const present = this.#pools.get(origin)
    if (present !== undefined) return present
    const pool = new Pool(origin, { connections: CONNECTIONS_PER_URL, connectTimeout: ANSWER_TIMEOUT_MS })
    this.#pools.set(origin, pool)
    return pool
  }
}

const bodyOf = (wabaId: string, updates: readonly Update[]): unknown => {
  const [update] = updates
  return update !== undefined && 'payload' in update ? update.payload : envelope(wabaId, updates)
}

function finish(post: Post, outcome: Outcome): void {
  post.entry.outcome = outcome
  post.settle()
}
