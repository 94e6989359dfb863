// Judges the text of an address and IP addresses. Resolves nothing: who asks for a name judges each of its answers.
import { limits } from '../contract/limits.ts'

/** `any` lets tests and local work use plain schemes, local names and private addresses. */
export type TargetPolicy = 'public' | 'any'

export const urlRefusals = {
  TOO_LONG: 'the address is longer than 2048 characters',
  MALFORMED: 'the address is not a valid URL',
  SCHEME: 'the address must start with https:// or wss://',
  CREDENTIALS: 'the address must not contain a user name or password',
  FRAGMENT: 'the address must not contain a fragment (#)',
  PORT: 'port 0 cannot be used',
  SPELLING: 'the host must be written in its plain form',
  LOCAL_NAME: 'the host is a local name; a public one is needed',
  PRIVATE_ADDRESS: 'the host is not a public address',
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
  /** Host and port as a Host header shows them. */
  readonly authority: string
  /** What the request line asks for: path and query byte for byte; only what is not ASCII is encoded. */
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

interface Range {
  readonly prefix: bigint
  readonly shift: bigint
}

const forbiddenRanges4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The host service of a large cloud, reachable from its machines alone though the address looks public.
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
].map(parseRange)

// Default deny: nothing outside global unicast is public, which leaves out every mapped and translated form in ::/8.
const globalRange6 = parseRange('2000::/3')
const forbiddenRanges6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(parseRange)

/** Whether an IP address is public. Anything that is not the plain text of one address is refused. */
export function judgeAddress(ip: string): AddressVerdict {
  const four = parseIpv4(ip)
  if (four !== undefined) {
    return forbiddenRanges4.some((range) => isIn(range, four))
      ? { type: 'refused' }
      : { type: 'ok', family: 4 }
  }
  const six = parseIpv6(ip)
  const isPublic =
    six !== undefined &&
    isIn(globalRange6, six) &&
    !forbiddenRanges6.some((range) => isIn(range, six)) &&
    !isIsatap(six)
  return isPublic ? { type: 'ok', family: 6 } : { type: 'refused' }
}

/** Judges everything about an address that needs no resolver. */
export function judgeUrl(text: string, policy: TargetPolicy): UrlVerdict {
  const written = readText(text)
  if (typeof written === 'string') return refused(written)
  const scheme = written.scheme.toLowerCase()
  if (!isScheme(scheme) || (policy === 'public' && DEFAULT_PORTS[scheme] === 80)) return refused('SCHEME')
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

/** The parts as they are written, before a parser makes something else of them. */
function readText(text: string): UrlRefusal | Record<'scheme' | 'authority' | 'path' | 'fragment', string> {
  if (text.length > limits.endpointUrlLength) return 'TOO_LONG'
  // What one parser drops and another keeps: controls, spaces, backslashes, halves of characters.
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
  // 127.1, 0x7f.1 and their kin all parse to the same number: only its plain form is taken.
  if (parseIpv4(host) !== undefined) return raw === host ? judgeLiteral(host, policy) : 'SPELLING'
  const name = host.replace(/\.$/, '')
  const labels = name.split('.')
  if (name.length > 253 || !labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) return 'MALFORMED'
  return policy === 'public' && isLocalName(name) ? 'LOCAL_NAME' : undefined
}

const judgeLiteral = (ip: string, policy: TargetPolicy): UrlRefusal | undefined =>
  policy === 'public' && judgeAddress(ip).type === 'refused' ? 'PRIVATE_ADDRESS' : undefined

const isLocalName = (name: string): boolean =>
  !name.includes('.') || localZones.some((zone) => name === zone || name.endsWith(`.${zone}`))

const isScheme = (text: string): text is TargetScheme => Object.hasOwn(DEFAULT_PORTS, text)

const refused = (reason: UrlRefusal): UrlVerdict => ({ type: 'refused', reason })

/** Not URL.canParse: on Node 20, once it is compiled, it says no to every letter between U+0080 and U+00FF. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

function parseIpv4(text: string): bigint | undefined {
  if (!/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)) return undefined
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
}

/** Leaves the many spellings of IPv6 to the platform's URL parser, and reads its one canonical form. */
function parseIpv6(text: string): bigint | undefined {
  const parsed = /^[0-9a-f:.]+$/i.test(text) ? parseUrl(`http://[${text}]`) : undefined
  if (parsed === undefined) return undefined
  const [head = '', tail = ''] = parsed.hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].reduce((value, word) => (value << 16n) | BigInt(`0x${word}`), 0n)
}

function parseRange(text: string): Range {
  const [ip = '', length = ''] = text.split('/')
  const four = parseIpv4(ip)
  const value = four ?? parseIpv6(ip) ?? 0n
  const shift = (four === undefined ? 128n : 32n) - BigInt(length)
  return { prefix: value >> shift, shift }
}

const isIn = (range: Range, value: bigint): boolean => value >> range.shift === range.prefix

/** An interface identifier 0000:5efe or 0200:5efe tunnels to the IPv4 address behind it, under any prefix. */
const isIsatap = (value: bigint): boolean => ((value >> 32n) & 0xfdff_ffffn) === 0x5efen
