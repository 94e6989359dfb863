// Parses IP addresses and ranges into numbers.

export interface IpRange {
  readonly family: 4 | 6
  readonly prefix: bigint
  readonly shift: bigint
}

/** Accepts only the dotted decimal form without leading zeros. */
export function parseIpv4(text: string): bigint | undefined {
  if (!/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text)) return undefined
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
}

/** The platform's URL parser normalises the many spellings of IPv6. This reads its canonical form. */
export function parseIpv6(text: string): bigint | undefined {
  const canonical = /^[0-9a-f:.]+$/i.test(text) ? canonicalOf(text) : undefined
  if (canonical === undefined) return undefined
  const [head = '', tail = ''] = canonical.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].reduce((value, word) => (value << 16n) | BigInt(`0x${word}`), 0n)
}

/** Not URL.canParse: on Node 20 it gives wrong results once it is JIT-compiled. */
function canonicalOf(ip: string): string | undefined {
  try {
    return new URL(`http://[${ip}]`).hostname.slice(1, -1)
  } catch {
    return undefined
  }
}

/** Parses `10.0.0.0/8`, `fd00::/8` or an address. Undefined otherwise, or with bits set beyond the length. */
export function parseRange(text: string): IpRange | undefined {
  const [ip = '', length, ...rest] = text.split('/')
  const four = parseIpv4(ip)
  const value = four ?? parseIpv6(ip)
  const bits = four === undefined ? 128n : 32n
  if (value === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length ?? '0')) return undefined
  const shift = length === undefined ? 0n : bits - BigInt(length)
  if (shift < 0n || (value >> shift) << shift !== value) return undefined
  return { family: four === undefined ? 6 : 4, prefix: value >> shift, shift }
}

/** For ranges that are constants in the code. Throws for an invalid range. */
export function rangesOf(texts: readonly string[]): IpRange[] {
  return texts.map((text) => {
    const range = parseRange(text)
    if (range === undefined) throw new Error(`${text} is no range of addresses`)
    return range
  })
}

/** The value must have the address family of the range. */
export const isInRange = (range: IpRange, value: bigint): boolean => value >> range.shift === range.prefix

/**
 * What one household or attacker has: an IPv4 address, or the /64 of an IPv6 address, whose holder can use any
 * address in it. A text that is no address is its own network.
 */
export function networkOf(address: string): string {
  const value = parseIpv6(address)
  if (value === undefined) return address.slice(0, 64)
  if (value >> 32n === 0xffffn) return dotted(value & 0xffff_ffffn)
  return `${(value >> 64n).toString(16).padStart(16, '0')}/64`
}

const dotted = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
