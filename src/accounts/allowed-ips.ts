// From which addresses an API key may be used: its list of ranges. An empty list allows every address.
import { type IpRange, isInRange, parseIpv4, parseIpv6, parseRange } from '../shared/ip.ts'
import { Lru } from '../shared/lru.ts'

/** Ranges of one key at most. */
export const mostAllowedIps = 50

/** What an operator enters: an address, or a range such as `203.0.113.0/24` or `2001:db8::/32`. */
export const isIpRange = (text: string): boolean => parseRange(text) !== undefined

// Keys are read for every request, their ranges are parsed once. The text decides, so no entry is stale.
const parsed = new Lru<readonly IpRange[]>(1_000)

export function isAllowedIp(allowed: readonly string[], address: string): boolean {
  if (allowed.length === 0) return true
  const found = numberOf(address)
  if (found === undefined) return false
  return rangesOf(allowed).some((range) => range.family === found.family && isInRange(range, found.value))
}

function rangesOf(allowed: readonly string[]): readonly IpRange[] {
  const key = allowed.join(' ')
  const known = parsed.get(key)
  if (known) return known
  const ranges = allowed.flatMap((text) => unmapped(parseRange(text)) ?? [])
  parsed.set(key, ranges)
  return ranges
}

/** A range within `::ffff:0:0/96` is one of IPv4 addresses, as such an address is. */
function unmapped(range: IpRange | undefined): IpRange | undefined {
  if (range?.family !== 6 || range.shift > 32n || (range.prefix << range.shift) >> 32n !== 0xffffn)
    return range
  return {
    family: 4,
    shift: range.shift,
    prefix: ((range.prefix << range.shift) & 0xffff_ffffn) >> range.shift,
  }
}

/** An IPv4 address within IPv6 (`::ffff:0:0/96`) counts as the IPv4 address. */
function numberOf(address: string): { readonly family: 4 | 6; readonly value: bigint } | undefined {
  const four = parseIpv4(address)
  if (four !== undefined) return { family: 4, value: four }
  const six = parseIpv6(address)
  if (six === undefined) return undefined
  return six >> 32n === 0xffffn ? { family: 4, value: six & 0xffff_ffffn } : { family: 6, value: six }
}
