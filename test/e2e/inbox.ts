// Stores what a receiver has received, and waits for more.
import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { assertDocumentedEvent } from '../support/documented.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import type { Json } from './clients.ts'

export interface Received {
  readonly raw: Buffer
  /** The raw bytes, parsed as JSON. */
  readonly body: Json
  /** The headers of the POST or, for a frame, of the upgrade request. */
  readonly headers: IncomingHttpHeaders
  /** The number of the connection that carried it, from one. */
  readonly connection: number
  readonly at: number
}

export type Fits = (body: Json, received: Received) => boolean

export class Inbox {
  readonly received: Received[] = []
  readonly #name: string
  readonly #more = new EventEmitter()

  constructor(name: string) {
    this.#name = name
    this.#more.setMaxListeners(0)
  }

  add(received: Omit<Received, 'body' | 'at'>): Received {
    const whole = { ...received, body: JSON.parse(received.raw.toString()), at: Date.now() }
    this.received.push(whole)
    this.changed()
    return whole
  }

  /** Makes pending waits check again. */
  changed(): void {
    this.#more.emit('more')
  }

  all(fits: Fits): Received[] {
    return this.received.filter((one) => fits(one.body, one))
  }

  /** Waits for the first entry that fits. */
  async first(what: string, fits: Fits): Promise<Received> {
    await this.until(what, () => this.received.some((one) => fits(one.body, one)))
    const [found] = this.all(fits)
    if (!found) throw new Error('unreachable')
    assertDocumentedEvent(found.body)
    return found
  }

  /** Waits for the first `count` entries that fit. */
  async take(what: string, count: number, fits: Fits): Promise<Received[]> {
    await this.until(`${count} ${what}`, () => this.all(fits).length >= count)
    const taken = this.all(fits).slice(0, count)
    for (const { body } of taken) assertDocumentedEvent(body)
    return taken
  }

  async until(what: string, isTrue: () => boolean): Promise<void> {
    const deadline = AbortSignal.timeout(PATIENCE_MS)
    while (!isTrue()) {
      if (deadline.aborted) throw new Error(`${this.#name}: no ${what} came; there were:\n${this.summary()}`)
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#more.off('more', done)
          deadline.removeEventListener('abort', done)
          resolve()
        }
        this.#more.once('more', done)
        deadline.addEventListener('abort', done)
      })
    }
  }

  summary(): string {
    return this.received.map(({ body, at }) => `  ${new Date(at).toISOString()} ${describe(body)}`).join('\n')
  }
}

const describe = ({ event, data, call }: Json): string =>
  [event, data?.messageId ?? data?.callId ?? call?.id, data?.status ?? call?.status ?? data?.text].join(' ')
