// Judges webhook addresses and IP addresses. Resolves nothing: the resolver judges each of its answers.
import { limits } from '../contract/limits.ts'
import { type IpRange, isInRange, parseIpv4, parseIpv6, parseRange, rangesOf } from '../shared/ip.ts'

/** `any` permits plain schemes, local names and private addresses, for tests and local work. */
export type TargetPolicy = 'public' | 'any' | TargetExceptions

/**
 * Public targets, and what an operator permits of the own network. Schemes must be encrypted all the same.
 */
export interface TargetExceptions {
  /** Judges an address in 64:ff9b::/96 by the IPv4 address inside it. */
  readonly nat64: boolean
  readonly ranges: readonly IpRange[]
  /** Local names that are permitted. Their addresses are judged like any other. */
  readonly names: ReadonlySet<string>
}

/** `allow`: entries of WEBHOOK_ALLOW: ranges, addresses and names. */
export function policyOf(settings: {
  readonly targets: 'public' | 'any'
  readonly nat64: boolean
  readonly allow: readonly string[]
}): TargetPolicy {
  if (settings.targets === 'any') return 'any'
  if (!settings.nat64 && settings.allow.length === 0) return 'public'
  const ranges = settings.allow.map(parseRange).filter((range) => range !== undefined)
  const names = settings.allow.filter((entry) => parseRange(entry) === undefined)
  return { nat64: settings.nat64, ranges, names: new Set(names.map((name) => name.toLowerCase())) }
}

export const urlRefusals = {
  TOO_LONG: 'Use an address of at most 2,048 characters',
  MALFORMED: 'Enter a complete address, such as https://example.com/events',
  SCHEME: 'Use an https:// or wss:// address',
  CREDENTIALS: 'Leave user name and password out of the address',
  FRAGMENT: 'Leave # and what follows it out of the address',
  PORT: 'Use a port other than 0',
  SPELLING: 'Write the host in its plain form',
  LOCAL_NAME: 'Use a public host: this is a local name',
  PRIVATE_ADDRESS: 'Use a public host: this address is not public',
} as const

export type UrlRefusal = keyof typeof urlRefusals
export type TargetScheme = 'https' | 'wss' | 'http' | 'ws'

export interface WebhookTarget {
  /** The address as it is stored: scheme and host normalised, path and query as they were written. */
  readonly url: string
  readonly scheme: TargetScheme
  /** Name or IP address, without brackets and without a final dot. */
  readonly host: string
  readonly isLiteral: boolean
  readonly port: number
  /** Host and port as in a Host header. */
  readonly authority: string
  /** The request target: path and query byte for byte. Only non-ASCII characters are encoded. */
  readonly path: string
}

export type UrlVerdict =
  | { readonly type: 'ok'; readonly target: WebhookTarget }
  | { readonly type: 'refused'; readonly reason: UrlRefusal }

export type AddressVerdict = { readonly type: 'ok'; readonly family: 4 | 6 } | { readonly type: 'refused' }

const DEFAULT_PORTS = { https: 443, wss: 443, http: 80, ws: 80 } as const

const localZones = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'home.arpa',
  'home',
  'lan',
  'corp',
  'intranet',
  'private',
  'onion',
  'alt',
  'test',
  'invalid',
  'example',
  'svc',
  'consul',
]

const forbiddenRanges4 = rangesOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The host service of a large cloud: only its own machines reach it, although the address looks public.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

// Default deny: only global unicast is public. This excludes every mapped and translated form in ::/8.
const globalRange6 = rangesOf(['2000::/3'])
const forbiddenRanges6 = rangesOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])
const nat64Range = rangesOf(['64:ff9b::/96'])

const REFUSED: AddressVerdict = { type: 'refused' }

/** Whether events may be sent to an IP address. Any text that is not a plain IP address is refused. */
export function judgeAddress(ip: string, policy: TargetPolicy = 'public'): AddressVerdict {
  const four = parseIpv4(ip)
  if (four !== undefined) return isGood4(four, policy) ? { type: 'ok', family: 4 } : REFUSED
  const six = parseIpv6(ip)
  return six !== undefined && isGood6(six, policy) ? { type: 'ok', family: 6 } : REFUSED
}

/**
 * The address that was actually reached decides, whatever a resolver returned. There is none where the receiver has reset
 * the connection already: then its policy is not what fails.
 */
export function judgeReached(ip: string | undefined, policy: TargetPolicy): 'ok' | 'reset' | 'forbidden' {
  if (ip === undefined) return 'reset'
  return judgeAddress(ip, policy).type === 'ok' ? 'ok' : 'forbidden'
}

const isGood4 = (value: bigint, policy: TargetPolicy): boolean =>
  isExempt(4, value, policy) || !isAmong(forbiddenRanges4, value)

function isGood6(value: bigint, policy: TargetPolicy): boolean {
  if (isExempt(6, value, policy)) return true
  if (typeof policy === 'object' && policy.nat64 && isAmong(nat64Range, value))
    return isGood4(value & 0xffff_ffffn, policy)
  return isAmong(globalRange6, value) && !isAmong(forbiddenRanges6, value) && !isIsatap(value)
}

function isExempt(family: 4 | 6, value: bigint, policy: TargetPolicy): boolean {
  if (typeof policy === 'string') return policy === 'any'
  return policy.ranges.some((range) => range.family === family && isInRange(range, value))
}

const isAmong = (ranges: readonly IpRange[], value: bigint): boolean =>
  ranges.some((range) => isInRange(range, value))

/** Judges everything about an address that needs no resolver. */
export function judgeUrl(text: string, policy: TargetPolicy): UrlVerdict {
  const written = readText(text)
  if (typeof written === 'string') return refused(written)
  const scheme = written.scheme.toLowerCase()
  if (!isScheme(scheme) || (policy !== 'any' && DEFAULT_PORTS[scheme] === 80)) return refused('SCHEME')
  if (written.authority.includes('@')) return refused('CREDENTIALS')
  if (written.fragment !== '') return refused('FRAGMENT')
  const rawHost = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(written.authority)?.[1]
  const parsed = parseUrl(text)
  if (rawHost === undefined || parsed === undefined) return refused('MALFORMED')
  if (parsed.port === '0') return refused('PORT')
  const verdict = judgeHost(rawHost, parsed.hostname, policy)
  if (verdict !== undefined) return refused(verdict)
  return { type: 'ok', target: targetOf(scheme, parsed, written.path) }
}

/** The parts as they are written, before a parser normalises them. */
function readText(text: string): UrlRefusal | Record<'scheme' | 'authority' | 'path' | 'fragment', string> {
  if (text.length > limits.endpointUrlLength) return 'TOO_LONG'
  // Characters that one parser drops and another keeps: controls, spaces, backslashes, lone surrogates.
  if (/[\p{Cc}\p{Z}\p{Cs}\\]/u.test(text)) return 'MALFORMED'
  const parts = /^([a-z]+):\/\/([^/?#]+)([^#]*)(#?)/i.exec(text)
  if (parts === null) return /^(https?|wss?):/i.test(text) ? 'MALFORMED' : 'SCHEME'
  const [, scheme = '', authority = '', path = '', fragment = ''] = parts
  return { scheme, authority, path, fragment }
}

function targetOf(scheme: TargetScheme, parsed: URL, rawPath: string): WebhookTarget {
  const host = parsed.hostname.replace(/\.$/, '')
  const authority = parsed.port === '' ? host : `${host}:${parsed.port}`
  const slashed = rawPath.startsWith('/') ? rawPath : `/${rawPath}`
  const path = slashed.replace(/[^\0-\x7f]+/g, encodeURIComponent)
  return {
    url: `${scheme}://${authority}${path}`,
    scheme,
    host: host.replace(/^\[|\]$/g, ''),
    isLiteral: host.startsWith('[') || parseIpv4(host) !== undefined,
    port: parsed.port === '' ? DEFAULT_PORTS[scheme] : Number(parsed.port),
    authority,
    path,
  }
}

function judgeHost(raw: string, host: string, policy: TargetPolicy): UrlRefusal | undefined {
  if (raw.includes('%')) return 'SPELLING'
  if (host.startsWith('[')) return judgeLiteral(host.slice(1, -1), policy)
  // 127.1, 0x7f.1 and similar spellings parse to the same number. Only its plain form is accepted.
  if (parseIpv4(host) !== undefined) return raw === host ? judgeLiteral(host, policy) : 'SPELLING'
  const name = host.replace(/\.$/, '')
  const labels = name.split('.')
  if (name.length > 253 || !labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) return 'MALFORMED'
  return isNameAllowed(name, policy) ? undefined : 'LOCAL_NAME'
}

const judgeLiteral = (ip: string, policy: TargetPolicy): UrlRefusal | undefined =>
  judgeAddress(ip, policy).type === 'refused' ? 'PRIVATE_ADDRESS' : undefined

function isNameAllowed(name: string, policy: TargetPolicy): boolean {
  if (policy === 'any' || (typeof policy === 'object' && policy.names.has(name))) return true
  return name.includes('.') && !localZones.some((zone) => name === zone || name.endsWith(`.${zone}`))
}

const isScheme = (text: string): text is TargetScheme => Object.hasOwn(DEFAULT_PORTS, text)

const refused = (reason: UrlRefusal): UrlVerdict => ({ type: 'refused', reason })

/** Not URL.canParse: on Node 20, once compiled, it rejects every letter from U+0080 to U+00FF. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/**
 * ISATAP: the interface identifiers 0000:5efe and 0200:5efe tunnel to the IPv4 address behind them, under any
 * prefix.
 */
const isIsatap = (value: bigint): boolean => ((value >> 32n) & 0xfdff_ffffn) === 0x5efen
