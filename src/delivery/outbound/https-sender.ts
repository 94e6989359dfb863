// Sends events by POST. Decides nothing about them, and repeats only a request that a stale connection lost.
import type { Clock } from '../../shared/clock.ts'
import { Lru } from '../../shared/lru.ts'
import { judgeUrl, type TargetPolicy, type UrlVerdict, type WebhookTarget } from '../address-rule.ts'
import type { AttemptReport, AttemptTimings } from '../attempt.ts'
import type { Connector } from './connect.ts'
import { type Connection, type ConnectionLimits, ConnectionPool } from './connections.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { type Exchanged, exchange } from './exchange.ts'
import { answeredReport, failedReport, refusalCode } from './report.ts'

export interface HttpsSenderOptions {
  readonly policy: TargetPolicy
  readonly connect: Connector
  readonly clock: Clock
  readonly userAgent: string
  readonly limits?: ConnectionLimits
}

export interface SendRequest {
  readonly url: string
  /** Lower-case names. The sender adds the user agent and the accepted encoding. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly deadlineMs: number
  /**
   * Requests of one pool to one origin share connections, and wait for each other when all are in use. Other
   * pools never wait for them. One pool per endpoint and urgency keeps a slow endpoint from delaying other
   * endpoints or its own calls.
   */
  readonly pool: string
  readonly isUrgent?: boolean
  readonly signal?: AbortSignal
}

export interface HttpsSender {
  /** Makes one attempt. Never rejects. */
  send(request: SendRequest): Promise<AttemptReport>
  openConnections(): number
  /**
   * Refuses new attempts. Resolves when those under way have ended, each by its own deadline at the latest.
   */
  close(): Promise<void>
}

interface Try {
  readonly exchanged: Exchanged
  readonly timings: AttemptTimings
  readonly connection?: Connection
  readonly reused: boolean
}

/**
 * A pool holds as many as an endpoint may ever have under way, so a wait for a connection is the exception.
 */
const DEFAULT_LIMITS: ConnectionLimits = { perPool: 96, total: 4096 }

export function createHttpsSender(options: HttpsSenderOptions): HttpsSender {
  const pool = new ConnectionPool(options.connect, options.limits ?? DEFAULT_LIMITS)
  const underWay = new Set<Promise<AttemptReport>>()
  const verdicts = new Lru<UrlVerdict>(1_000)
  let closed = false

  /** The verdict depends on the address and the policy alone. */
  function judged(url: string): UrlVerdict {
    const known = verdicts.get(url)
    if (known) return known
    const verdict = judgeUrl(url, options.policy)
    verdicts.set(url, verdict)
    return verdict
  }

  async function attempt(request: SendRequest): Promise<AttemptReport> {
    const startedAt = performance.now()
    const verdict = judged(request.url)
    if (closed) return failedReport('INTERRUPTED', { durationMs: 0 })
    if (!isHttp(verdict)) return failedReport(refusalCode(verdict), { durationMs: 0 })
    const deadline = startDeadline(request.deadlineMs, request.signal)
    try {
      const tried = await tryTwice(request, verdict.target, deadline)
      return reportOf(tried, performance.now() - startedAt, options.clock)
    } finally {
      deadline.clear()
    }
  }

  /**
   * The receiver may have closed a kept connection while the request was on its way. That is not a failure:
   * try again on a new one.
   */
  async function tryTwice(request: SendRequest, target: WebhookTarget, deadline: Deadline): Promise<Try> {
    const first = await tryOnce(request, target, { deadline, fresh: false })
    const { exchanged } = first
    const wasStale = exchanged.type === 'failed' && exchanged.code === 'CONNECTION_RESET' && first.reused
    return wasStale && !first.connection?.heard ? tryOnce(request, target, { deadline, fresh: true }) : first
  }

  async function tryOnce(
    request: SendRequest,
    target: WebhookTarget,
    { deadline, fresh }: { deadline: Deadline; fresh: boolean },
  ): Promise<Try> {
    const acquiring = pool.acquire({
      target,
      pool: request.pool,
      deadline,
      fresh,
      isUrgent: request.isUrgent === true,
    })
    const acquired = acquiring instanceof Promise ? await acquiring : acquiring
    if (acquired.type === 'failed') return { exchanged: acquired, timings: acquired.timings, reused: false }
    const { connection } = acquired
    const reused = connection.uses > 1
    const headers = { 'user-agent': options.userAgent, 'accept-encoding': 'identity', ...request.headers }
    const exchanged = await exchange(connection, { path: target.path, headers, body: request.body }, deadline)
    pool.release(connection)
    return { exchanged, connection, reused, timings: reused ? {} : connection.timings }
  }

  return {
    send(request) {
      const sending = attempt(request)
      underWay.add(sending)
      return sending.finally(() => underWay.delete(sending))
    },
    openConnections: () => pool.openConnections,
    async close() {
      closed = true
      pool.close()
      await Promise.all(underWay)
    },
  }
}

const isHttp = (verdict: UrlVerdict): verdict is UrlVerdict & { type: 'ok' } =>
  verdict.type === 'ok' && (verdict.target.scheme === 'https' || verdict.target.scheme === 'http')

function reportOf({ exchanged, connection, ...tried }: Try, durationMs: number, clock: Clock): AttemptReport {
  const facts = {
    durationMs,
    timings: tried.timings,
    remoteAddress: connection?.remoteAddress ?? null,
    reusedConnection: tried.reused,
  }
  if (exchanged.type === 'failed') return failedReport(exchanged.code, { ...facts, detail: exchanged.detail })
  const timings = { ...tried.timings, firstByteMs: exchanged.firstByteMs }
  return answeredReport(exchanged.answer, { ...facts, timings }, clock)
}
