// The only place that opens connections to receivers: resolve, connect to the judged addresses and no others,
// judge the address actually reached, then TLS. Nothing is written before all of that has passed.
import { connect as connectTcp, type Socket } from 'node:net'
import { createSecureContext, rootCertificates, connect as startTls, type TLSSocket } from 'node:tls'
import { judgeReached, type TargetPolicy, type WebhookTarget } from '../address-rule.ts'
import type { AttemptErrorCode, AttemptTimings } from '../attempt.ts'
import { certificateFault } from './certificate-fault.ts'
import { type Deadline, unlessStopped } from './deadline.ts'
import type { AddressResolver, ResolvedAddress } from './resolve.ts'

export interface ConnectorOptions {
  readonly policy: TargetPolicy
  readonly resolver: AddressResolver
  /** PEM of certificate authorities that are trusted besides the public ones. */
  readonly ca?: string | undefined
}

interface Fault {
  readonly code: AttemptErrorCode
  readonly detail?: string
}

export type Connected =
  | { readonly type: 'connected'; readonly socket: Socket; readonly timings: AttemptTimings }
  | (Fault & { readonly type: 'failed'; readonly timings: AttemptTimings })

/**
 * Never rejects. The socket that it returns has an error listener, so it can never end the process. `urgency`
 * is aborted when the dial goes before others: before the call or during it.
 */
export type Connector = (
  target: WebhookTarget,
  deadline: Deadline,
  urgency?: AbortSignal,
) => Promise<Connected>

/** Tells of each dial how it ended. */
export const observed =
  (connect: Connector, onDialled: (connected: Connected) => void): Connector =>
  async (...dial) => {
    const connected = await connect(...dial)
    onDialled(connected)
    return connected
  }

type Opened<Kind> = { type: 'connected'; socket: Kind } | (Fault & { type: 'failed' })

/** Node gives up on each address but the last after this time. A good one may be very far away. */
const NEXT_ADDRESS_MS = 500

export function createConnector(options: ConnectorOptions): Connector {
  // Created once, because reading the public roots takes longer than a handshake.
  const secureContext = createSecureContext({
    ...(options.ca !== undefined && { ca: [...rootCertificates, options.ca] }),
  })

  async function secure(
    target: WebhookTarget,
    plain: Socket,
    deadline: Deadline,
  ): Promise<Opened<TLSSocket>> {
    const socket = startTls({
      socket: plain,
      host: target.host,
      // SNI carries names only.
      ...(!target.isLiteral && { servername: target.host }),
      secureContext,
      ALPNProtocols: ['http/1.1'],
    })
    return settle(socket, { event: 'secureConnect', deadline, timeout: 'TLS_TIMEOUT', faultOf: tlsFault })
  }

  return async (target, deadline) => {
    const lap = stopwatch()
    const resolution = await unlessStopped(options.resolver.resolve(target.host), deadline.signal)
    const dnsMs = lap()
    const dns: AttemptTimings = target.isLiteral ? {} : { dnsMs }
    if (resolution === undefined) return { ...stopped(deadline, 'DNS_TIMEOUT'), timings: dns }
    if (resolution.type === 'failed') return { ...resolution, timings: dns }

    const plain = await openTcp(target, resolution.addresses, deadline)
    const timings = { ...dns, connectMs: lap() }
    if (plain.type === 'failed') return { ...plain, timings }
    const reached = judgeReached(plain.socket.remoteAddress, options.policy)
    if (reached !== 'ok') {
      plain.socket.destroy()
      return { type: 'failed', code: unreached[reached], timings }
    }
    if (!isEncrypted(target)) return { ...plain, timings }
    const encrypted = await secure(target, plain.socket, deadline)
    return { ...encrypted, timings: { ...timings, tlsMs: lap() } }
  }
}

const unreached = { reset: 'CONNECTION_RESET', forbidden: 'ADDRESS_FORBIDDEN' } as const

const isEncrypted = ({ scheme }: WebhookTarget): boolean => scheme === 'https' || scheme === 'wss'

function openTcp(
  target: WebhookTarget,
  addresses: readonly ResolvedAddress[],
  deadline: Deadline,
): Promise<Opened<Socket>> {
  const socket = connectTcp({
    host: target.host,
    port: target.port,
    // Pins the judged addresses: Node asks no resolver. With autoSelectFamily it requests all of them.
    lookup: (_host, _options, callback) => callback(null, [...addresses]),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
  })
  const hasIpv4 = addresses.some((address) => address.family === 4)
  return settle(socket, {
    event: 'connect',
    deadline,
    timeout: 'CONNECT_TIMEOUT',
    faultOf: (error) => ({ code: connectErrorCode(error, hasIpv4) }),
  })
}

interface Settling<Kind> {
  readonly event: 'connect' | 'secureConnect'
  readonly deadline: Deadline
  readonly timeout: AttemptErrorCode
  readonly faultOf: (error: NodeJS.ErrnoException, socket: Kind) => Fault
}

/** Waits for the event, an error or the deadline. After the last two the socket is destroyed. */
function settle<Kind extends Socket>(
  socket: Kind,
  { event, deadline, timeout, faultOf }: Settling<Kind>,
): Promise<Opened<Kind>> {
  return new Promise((resolve) => {
    const finish = (opened: Opened<Kind>) => {
      deadline.signal.removeEventListener('abort', stop)
      if (opened.type === 'failed') socket.destroy()
      resolve(opened)
    }
    const stop = () => finish(stopped(deadline, timeout))
    socket.once(event, () => finish({ type: 'connected', socket }))
    // Never removed: a later error has other listeners or none, and without any it would end the process.
    socket.on('error', (error) => finish({ type: 'failed', ...faultOf(error, socket) }))
    socket.once('close', () => finish({ type: 'failed', code: 'CONNECTION_RESET' }))
    deadline.signal.addEventListener('abort', stop, { once: true })
    if (deadline.signal.aborted) stop()
  })
}

const stopped = (deadline: Deadline, timeout: AttemptErrorCode) =>
  ({ type: 'failed', code: deadline.isInterrupted() ? 'INTERRUPTED' : timeout }) as const

function connectErrorCode(error: NodeJS.ErrnoException, hasIpv4: boolean): AttemptErrorCode {
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'CONNECT_REFUSED'
    case 'ETIMEDOUT':
      return 'CONNECT_TIMEOUT'
    case 'ECONNRESET':
      return 'CONNECTION_RESET'
    // Without a route to IPv4 our network is at fault. A receiver may have only IPv6, and we may have none.
    case 'ENETUNREACH':
      return hasIpv4 ? 'EGRESS_FAILED' : 'CONNECT_FAILED'
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOBUFS':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return 'EGRESS_FAILED'
    default:
      return 'CONNECT_FAILED'
  }
}

function tlsFault(error: NodeJS.ErrnoException, socket: TLSSocket): Fault {
  // Typed as always present, but null until a certificate was checked and rejected.
  const wanting: unknown = socket.authorizationError
  if (wanting) return { code: 'TLS_CERTIFICATE_REJECTED', detail: certificateFault(error.code) }
  return { code: error.code === 'ECONNRESET' ? 'CONNECTION_RESET' : 'TLS_FAILED' }
}

/** Milliseconds since the last call. */
function stopwatch(): () => number {
  let last = performance.now()
  return () => {
    const now = performance.now()
    const lapMs = now - last
    last = now
    return lapMs
  }
}
