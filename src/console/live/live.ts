// Live updates of the console: who may watch, what each socket watches, and when a socket is closed. The
// feeds decide what is read and how often. A workspace without viewers costs nothing.

import type { Logger } from 'pino'
import type { Standing } from '../../accounts/operator.ts'
import { sessionHashOf } from '../../accounts/operator-session.ts'
import { isSameOrigin } from '../../accounts/same-origin.ts'
import { type Barrier, barrierOf } from '../../accounts/session-rules.ts'
import { AppError } from '../../contract/errors.ts'
import type { HttpRequest } from '../../platform/http/exchange.ts'
import type { ServerSocket, SocketEdge, SocketHandler } from '../../platform/http/sockets.ts'
import type { Clock, Timer } from '../../shared/clock.ts'
import { decodeId, type WorkspaceId } from '../../shared/ids.ts'
import { createTurns } from '../../shared/turns.ts'
import { isSecure } from '../secure.ts'
import type { ConsoleServices } from '../services.ts'
import { Feed } from './feed.ts'
import { parseSubscription, type Topic, type TopicReaders } from './topics.ts'

export interface LiveOptions {
  readonly services: TopicReaders & Pick<ConsoleServices, 'sessions' | 'settings'>
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
}

export interface Live extends SocketEdge {
  /** Open sockets of this process. */
  openSockets(): number
  /** Stops all polling. */
  close(): void
}

export const liveLimits = {
  perSession: 10,
  perWorkspace: 100,
  perProcess: 1_000,
  frameBytes: 4 * 1024,
  bufferedBytes: 4 * 1024 * 1024,
  /** Lists of topics that a client may send: the sustained rate and the burst. */
  framesPerSecond: 5,
  framesAtOnce: 50,
  /** Concurrent queries of feeds, however much is watched: calls and messages have priority. */
  looksAtOnce: 2,
  recheckMs: 2_000,
  /** A client that hears nothing for longer takes the gateway for dead. */
  aliveMs: 5_000,
} as const

const codes = { signedOut: 4401, noFactor: 4402, noMember: 4403, tooMany: 1013, unfit: 1008 } as const

interface Viewer {
  readonly sessionHash: Buffer
  readonly workspaceId: WorkspaceId
  readonly socket: ServerSocket
  readonly feeds: Set<Feed>
  frames: number
  framesAt: number
}

interface Closing {
  readonly code: number
  readonly reason: string
}

type Admitted = Pick<Viewer, 'sessionHash' | 'workspaceId'>

export function createLive(options: LiveOptions): Live {
  const hub = new Hub(options)
  return {
    path: '/console/live',
    maxFrameBytes: liveLimits.frameBytes,
    maxBufferedBytes: liveLimits.bufferedBytes,
    upgrade: (request) => hub.upgrade(request),
    publishWith: (publish) => hub.publishWith(publish),
    openSockets: () => hub.size,
    close: () => hub.close(),
  }
}

class Hub {
  readonly #options: LiveOptions
  readonly #viewers = new Set<Viewer>()
  readonly #feeds = new Map<string, Feed>()
  readonly #inTurn = createTurns(liveLimits.looksAtOnce)
  #publish: (channel: string, text: string) => void = () => undefined
  #recheck: Timer | undefined
  #alive: Timer | undefined

  constructor(options: LiveOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#viewers.size
  }

  publishWith(publish: (channel: string, text: string) => void): void {
    this.#publish = publish
  }

  /**
   * Refuses the upgrade for other sites. If the operator is not signed in, not a member or barred, it accepts the
   * upgrade and closes the socket with a code: a page cannot read why an upgrade was refused. Pages connect again by
   * themselves, so this is no use of the session.
   */
  async upgrade(request: HttpRequest): Promise<SocketHandler> {
    const { settings, sessions } = this.#options.services
    const headers = {
      origin: request.header('origin'),
      fetchSite: request.header('sec-fetch-site'),
      host: request.header('host'),
    }
    if (!isSameOrigin(headers, settings.publicUrl))
      throw new AppError('FORBIDDEN', 'Live updates are for the console’s own pages.')
    const sessionHash = sessionHashOf(request.header('cookie'), isSecure(this.#options.services.settings))
    const operator = sessionHash && (await sessions.find(sessionHash, { isUse: false }))
    if (!sessionHash || !operator) return turnedAway(signedOut)
    const workspaceId = decodeId('workspace', request.query.get('workspace') ?? '')
    const membership = workspaceId && (await sessions.membership(operator.operatorId, workspaceId))
    if (!workspaceId || !membership) return turnedAway(noMember)
    const barrier = barrierOf(membership, operator)
    if (barrier) return turnedAway(barred[barrier])
    return this.#handler({ sessionHash, workspaceId })
  }

  close(): void {
    this.#recheck?.cancel()
    this.#alive?.cancel()
    for (const feed of this.#feeds.values()) feed.close()
    this.#feeds.clear()
  }

  #handler(admitted: Admitted): SocketHandler {
    let viewer: Viewer | undefined
    return {
      opened: (socket) => {
        if (this.#isFull(admitted)) return socket.close(codes.tooMany, 'too many live connections')
        const framesAt = this.#options.clock.mono()
        viewer = { ...admitted, socket, feeds: new Set(), frames: liveLimits.framesAtOnce, framesAt }
        this.#viewers.add(viewer)
        this.#recheck ??= this.#recheckLater()
        this.#alive ??= this.#aliveLater()
      },
      received: (text) => viewer && this.#received(viewer, text),
      drained: () => {
        if (viewer) for (const feed of viewer.feeds) feed.drained(viewer.socket)
      },
      closed: () => {
        if (!viewer) return
        this.#viewers.delete(viewer)
        this.#watch(viewer, [])
      },
    }
  }

  // Counted when a socket opens, because many upgrades may be in progress at once.
  #isFull({ sessionHash, workspaceId }: Admitted): boolean {
    let [ofSession, ofWorkspace] = [0, 0]
    for (const viewer of this.#viewers) {
      if (viewer.sessionHash.equals(sessionHash)) ofSession += 1
      if (viewer.workspaceId === workspaceId) ofWorkspace += 1
    }
    return (
      ofSession >= liveLimits.perSession ||
      ofWorkspace >= liveLimits.perWorkspace ||
      this.size >= liveLimits.perProcess
    )
  }

  #received(viewer: Viewer, text: string): void {
    if (!takesFrame(viewer, this.#options.clock.mono()))
      return viewer.socket.close(codes.unfit, 'too many lists of topics')
    const topics = parseSubscription(text, this.#options.services)
    if (typeof topics === 'string') return viewer.socket.close(codes.unfit, topics)
    this.#watch(viewer, topics)
  }

  /** Replaces the viewer's former list of topics. */
  #watch(viewer: Viewer, topics: readonly Topic[]): void {
    const former = new Set(viewer.feeds)
    viewer.feeds.clear()
    for (const topic of topics) viewer.feeds.add(this.#feedOf(viewer.workspaceId, topic))
    for (const feed of former) if (!viewer.feeds.has(feed)) feed.leave(viewer.socket)
    for (const feed of viewer.feeds) feed.join(viewer.socket)
    for (const [channel, feed] of this.#feeds) {
      if (feed.size > 0 || !former.has(feed)) continue
      feed.close()
      this.#feeds.delete(channel)
    }
  }

  #feedOf(workspaceId: WorkspaceId, topic: Topic): Feed {
    const channel = `${workspaceId}/${topic.name}`
    const known = this.#feeds.get(channel)
    if (known) return known
    const feed = new Feed({
      ...{ topic, workspaceId, clock: this.#options.clock, inTurn: this.#inTurn },
      publish: (to, text) => this.#publish(to, text),
      onFault: (error, name) =>
        this.#options.log.warn({ topic: name, error: String(error) }, 'live.not_read'),
    })
    this.#feeds.set(channel, feed)
    return feed
  }

  #recheckLater(): Timer {
    return this.#options.clock.after(liveLimits.recheckMs, () => void this.#recheckAll())
  }

  /** A client cannot see pings, so this is a frame. It needs no database: it tells that the gateway answers. */
  #aliveLater(): Timer {
    return this.#options.clock.after(liveLimits.aliveMs, () => {
      // Unread data says the same.
      for (const { socket } of this.#viewers) if (socket.bufferedBytes() === 0) socket.send(aliveFrame)
      this.#alive = this.size > 0 ? this.#aliveLater() : undefined
    })
  }

  /** One query for all sockets. If it fails the sockets stay: without the store the feeds read nothing. */
  async #recheckAll(): Promise<void> {
    const viewers = [...this.#viewers]
    try {
      const standings = await this.#options.services.sessions.standings(viewers)
      viewers.forEach(({ socket }, index) => {
        const closing = closingFor(standings[index])
        if (closing) socket.close(closing.code, closing.reason)
      })
    } catch (error) {
      this.#options.log.warn({ error: String(error) }, 'live.sessions_not_checked')
    }
    this.#recheck = this.size > 0 ? this.#recheckLater() : undefined
  }
}

const aliveFrame = JSON.stringify({ alive: true })

const signedOut: Closing = { code: codes.signedOut, reason: 'sign in first' }
const noMember: Closing = { code: codes.noMember, reason: 'there is no such workspace for you' }

const barred: Record<Barrier, Closing> = {
  SESSION_EXPIRED: { code: codes.signedOut, reason: 'sign in again' },
  SECOND_FACTOR_REQUIRED: { code: codes.noFactor, reason: 'turn on a second factor first' },
}

function closingFor(standing: Standing | undefined): Closing | undefined {
  if (standing?.isSignedIn !== true) return signedOut
  if (!standing.isMember) return noMember
  return standing.barrier ? barred[standing.barrier] : undefined
}

const turnedAway = ({ code, reason }: Closing): SocketHandler => ({
  opened: (socket) => socket.close(code, reason),
  received: () => undefined,
  drained: () => undefined,
  closed: () => undefined,
})

function takesFrame(viewer: Viewer, nowMs: number): boolean {
  const { framesAtOnce, framesPerSecond } = liveLimits
  const earned = ((nowMs - viewer.framesAt) / 1_000) * framesPerSecond
  viewer.frames = Math.min(framesAtOnce, viewer.frames + earned) - 1
  viewer.framesAt = nowMs
  return viewer.frames >= 0
}
