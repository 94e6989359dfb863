// The ways to write one IPv4 address, or to embed it in an IPv6 address.

export type Octets = readonly [number, number, number, number]

const numberOf = ([a, b, c, d]: Octets): number => a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
const fullWidth = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
const percent = (text: string): string =>
  text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
const words = ([a, b, c, d]: Octets): string => `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`

export const dotted = (octets: Octets): string => octets.join('.')

/** Spellings besides the plain one that parsers of IPv4 accept. */
export const oddSpellings: Record<string, (octets: Octets) => string> = {
  decimal: (octets) => String(numberOf(octets)),
  hexadecimal: (octets) => `0x${numberOf(octets).toString(16)}`,
  octal: (octets) => `0${numberOf(octets).toString(8)}`,
  'dotted hexadecimal': (octets) => octets.map((octet) => `0x${octet.toString(16)}`).join('.'),
  'dotted octal': (octets) => octets.map((octet) => `0${octet.toString(8)}`).join('.'),
  'two parts': ([a, ...rest]) => `${a}.${numberOf([0, ...rest])}`,
  'three parts': ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  'final dot': (octets) => `${dotted(octets)}.`,
  'percent-encoded': (octets) => percent(dotted(octets)),
  'percent-encoded dots': (octets) => octets.join('%2e'),
  'full-width digits': (octets) => fullWidth(dotted(octets)),
  'full-width dots': (octets) => octets.join('．'),
  'ideographic dots': (octets) => octets.join('。'),
}

/** IPv6 forms that reach or represent an IPv4 address. */
export const embeddings: Record<string, (octets: Octets) => string> = {
  mapped: (octets) => `::ffff:${dotted(octets)}`,
  'mapped in hexadecimal': (octets) => `::FfFf:${words(octets)}`,
  'mapped written out': (octets) => `0:0:0:0:0:ffff:${words(octets)}`,
  compatible: (octets) => `::${dotted(octets)}`,
  SIIT: (octets) => `::ffff:0:${words(octets)}`,
  NAT64: (octets) => `64:ff9b::${dotted(octets)}`,
  'local NAT64': (octets) => `64:ff9b:1::${words(octets)}`,
  '6to4': (octets) => `2002:${words(octets)}::1`,
  Teredo: (octets) => `2001:0:${words(octets)}:0:0:0:1`,
  ISATAP: (octets) => `2a00:1450:4001:81b:0:5efe:${words(octets)}`,
  'ISATAP, global bit': (octets) => `2a00:1450:4001:81b:200:5efe:${dotted(octets)}`,
}
