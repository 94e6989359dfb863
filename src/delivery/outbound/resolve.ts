// Resolves names with its own resolver: dns.lookup shares four threads with the whole process, so one slow
// name would delay every other. Addresses are judged here, and the connector connects to no others.
import type { RecordWithTtl } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Clock } from '../../shared/clock.ts'
import { judgeAddress, type TargetPolicy } from '../address-rule.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

export type ResolveError =
  | 'ADDRESS_FORBIDDEN'
  | 'DNS_NOT_FOUND'
  | 'DNS_FAILED'
  | 'DNS_TIMEOUT'
  | 'DNS_UNAVAILABLE'

export type Resolution =
  | { readonly type: 'resolved'; readonly addresses: readonly ResolvedAddress[] }
  | { readonly type: 'failed'; readonly code: ResolveError }

export interface AddressResolver {
  /** Never rejects, and takes two seconds at most. `fresh` bypasses the cache. */
  resolve(host: string, options?: { fresh?: boolean }): Promise<Resolution>
}

export interface ResolverOptions {
  readonly policy: TargetPolicy
  readonly clock: Clock
  /** Addresses of name servers, `ip` or `ip:port`. When empty, those of the machine. */
  readonly servers?: readonly string[]
  readonly cacheSize?: number
}

type Answer =
  | { readonly type: 'records'; readonly records: readonly RecordWithTtl[] }
  | { readonly type: 'nothing' }
  | { readonly type: 'failed'; readonly code: ResolveError }

interface Remembered {
  readonly resolution: Resolution
  readonly untilMs: number
}

/** Per address family. All answers are judged, but a dial has no time to try more than these. */
const MAX_ADDRESSES = 8
const TIME_LIMIT_MS = 2_000
const MAX_POSITIVE_MS = 300_000
const MAX_NEGATIVE_MS = 30_000
/** A zone's broken servers may recover at any moment. A name that does not exist seldom appears so soon. */
const FAILED_MS = 5_000
/** A resolver that has answered any query this recently works: its silence concerns the queried name. */
const ALIVE_MS = 10_000

export function createResolver(options: ResolverOptions): AddressResolver {
  // With a single wait of two seconds, c-ares gives up after one second once it has seen a server answer
  // quickly. Repeats use the whole time, and can reach a second server. Our own limit ends them.
  const dns = new Resolver({ timeout: 500, tries: 3 })
  if (options.servers && options.servers.length > 0) dns.setServers(options.servers)
  const cache = createCache(options.cacheSize ?? 10_000, options.clock)
  const asking = new Map<string, Promise<Remembered>>()
  const ask = createAsker(options.clock)

  async function query(host: string): Promise<Remembered> {
    const [four, six] = await Promise.all([
      ask(dns.resolve4(host, { ttl: true })),
      ask(dns.resolve6(host, { ttl: true })),
    ])
    return judge(four, six, options)
  }

  function queryOnce(host: string): Promise<Remembered> {
    const running = asking.get(host) ?? query(host).finally(() => asking.delete(host))
    asking.set(host, running)
    return running
  }

  return {
    async resolve(host, { fresh = false } = {}) {
      const known = withoutAsking(host, options.policy) ?? (fresh ? undefined : cache.get(host))
      if (known) return known
      const answer = await queryOnce(host)
      cache.set(host, answer)
      return answer.resolution
    },
  }
}

function withoutAsking(host: string, policy: TargetPolicy): Resolution | undefined {
  const family = isIP(host)
  const isLocal = host === 'localhost' || host.endsWith('.localhost')
  if (family === 0 && !isLocal) return undefined
  const addresses = isLocal ? ['127.0.0.1', '::1'] : [host]
  return areAllowed(addresses, policy) ? resolved(addresses) : failed('ADDRESS_FORBIDDEN')
}

const areAllowed = (addresses: readonly string[], policy: TargetPolicy): boolean =>
  addresses.every((address) => judgeAddress(address, policy).type === 'ok')

const resolved = (addresses: readonly string[]): Resolution => ({
  type: 'resolved',
  addresses: addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 })),
})

/** IPv4 comes first: machines without an IPv6 route are common, and trying IPv6 costs time on every dial. */
function judge(four: Answer, six: Answer, { policy, clock }: ResolverOptions): Remembered {
  const records = [...recordsOf(four), ...recordsOf(six)]
  const all = records.map(({ address }) => address)
  const untilMs = (ms: number) => clock.mono() + ms
  if (records.length === 0) {
    const code = worstOf(four, six)
    return { resolution: failed(code), untilMs: untilMs(negativeMs[code]) }
  }
  // One bad answer among good ones is typical of DNS rebinding: none of them is used.
  if (!areAllowed(all, policy)) {
    return { resolution: failed('ADDRESS_FORBIDDEN'), untilMs: untilMs(MAX_NEGATIVE_MS) }
  }
  const kept = [four, six].flatMap((answer) => recordsOf(answer).slice(0, MAX_ADDRESSES))
  const ttlMs = Math.min(...records.map((record) => record.ttl * 1000), MAX_POSITIVE_MS)
  const isWhole = four.type !== 'failed' && six.type !== 'failed'
  const keepMs = isWhole ? ttlMs : Math.min(ttlMs, FAILED_MS)
  return { resolution: resolved(kept.map(({ address }) => address)), untilMs: untilMs(keepMs) }
}

const negativeMs: Record<ResolveError, number> = {
  ADDRESS_FORBIDDEN: MAX_NEGATIVE_MS,
  DNS_NOT_FOUND: MAX_NEGATIVE_MS,
  DNS_FAILED: FAILED_MS,
  DNS_TIMEOUT: FAILED_MS,
  // A fault of ours ends for all names at once, so it is not cached.
  DNS_UNAVAILABLE: 0,
}

const recordsOf = (answer: Answer): readonly RecordWithTtl[] =>
  answer.type === 'records' ? answer.records : []

function worstOf(four: Answer, six: Answer): ResolveError {
  if (four.type === 'failed') return four.code
  return six.type === 'failed' ? six.code : 'DNS_NOT_FOUND'
}

const failed = (code: ResolveError): Resolution => ({ type: 'failed', code })

/** Turns one query into an answer within the time limit. Distinguishes a dead resolver from a dead zone. */
function createAsker(clock: Clock): (query: Promise<RecordWithTtl[]>) => Promise<Answer> {
  let answeredAt = Number.NEGATIVE_INFINITY
  const silence = (): Answer => {
    const isAlive = clock.mono() - answeredAt < ALIVE_MS
    return { type: 'failed', code: isAlive ? 'DNS_TIMEOUT' : 'DNS_UNAVAILABLE' }
  }
  const read = (error: NodeJS.ErrnoException): Answer => {
    if (error.code === 'ETIMEOUT' || error.code === 'ECANCELLED') return silence()
    // No resolver listens there, or it refuses to serve us: neither is the fault of the name.
    if (error.code === 'ECONNREFUSED' || error.code === 'EREFUSED')
      return { type: 'failed', code: 'DNS_UNAVAILABLE' }
    answeredAt = clock.mono()
    if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return { type: 'nothing' }
    return { type: 'failed', code: 'DNS_FAILED' }
  }
  return (query) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(silence()), TIME_LIMIT_MS)
      query
        .then((records): Answer => {
          answeredAt = clock.mono()
          return records.length === 0 ? { type: 'nothing' } : { type: 'records', records }
        }, read)
        .then((answer) => {
          clearTimeout(timer)
          resolve(answer)
        })
    })
}

/** The least recently used name is evicted first. A Map keeps the order of insertion. */
function createCache(size: number, clock: Clock) {
  const entries = new Map<string, Remembered>()
  return {
    get(host: string): Resolution | undefined {
      const found = entries.get(host)
      if (found === undefined) return undefined
      entries.delete(host)
      if (found.untilMs <= clock.mono()) return undefined
      entries.set(host, found)
      return found.resolution
    },
    set(host: string, answer: Remembered): void {
      entries.delete(host)
      if (answer.untilMs <= clock.mono()) return
      entries.set(host, answer)
      for (const oldest of entries.keys()) {
        if (entries.size <= size) return
        entries.delete(oldest)
      }
    },
  }
}
