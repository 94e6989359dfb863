// Sends events by POST. Judges nothing about them and retries nothing but a request that a stale connection swallowed.
import type { Clock } from '../shared/clock.ts'
import { judgeUrl, type TargetPolicy, type UrlVerdict, type WebhookTarget } from '../webhooks/address-rule.ts'
import type { AttemptReport, AttemptTimings } from '../webhooks/attempt.ts'
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
  /** Lower-case names. The user agent and the accepted encoding are added. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly deadlineMs: number
  /**
   * Requests of one lane to one origin share connections and wait for each other when all are taken; other lanes
   * never do. One lane per endpoint and urgency keeps a slow endpoint from delaying another, or its own calls.
   */
  readonly lane: string
  readonly isUrgent?: boolean
  readonly signal?: AbortSignal
}

export interface HttpsSender {
  /** Makes one attempt. Never rejects. */
  send(request: SendRequest): Promise<AttemptReport>
  openConnections(): number
  /** Refuses new attempts; resolves when those under way have ended, each by its own deadline at the latest. */
  close(): Promise<void>
}

interface Try {
  readonly exchanged: Exchanged
  readonly timings: AttemptTimings
  readonly connection?: Connection
  readonly reused: boolean
}

/** A lane holds as many as an endpoint may ever have under way, so that waiting for a connection is the exception. */
const DEFAULT_LIMITS: ConnectionLimits = { perLane: 32, total: 4096 }

export function createHttpsSender(options: HttpsSenderOptions): HttpsSender {
  const pool = new ConnectionPool(options.connect, options.limits ?? DEFAULT_LIMITS)
  const underWay = new Set<Promise<AttemptReport>>()
  let closed = false

  async function attempt(request: SendRequest): Promise<AttemptReport> {
    const startedAt = performance.now()
    const verdict = judgeUrl(request.url, options.policy)
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

  /** A kept connection may have been closed by the receiver while the request was on its way: that is nobody's failure. */
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
    const acquired = await pool.acquire({
      target,
      lane: request.lane,
      deadline,
      fresh,
      isUrgent: request.isUrgent === true,
    })
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
  if (exchanged.type === 'failed') return failedReport(exchanged.code, facts)
  const timings = { ...tried.timings, firstByteMs: exchanged.firstByteMs }
  return answeredReport(exchanged.answer, { ...facts, timings }, clock)
}
