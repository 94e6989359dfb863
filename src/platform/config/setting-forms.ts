// Schemas that parse the text of settings. Each error message follows the name of the setting.
import { isIP } from 'node:net'
import * as v from 'valibot'
import { parseDuration } from '../../shared/duration.ts'
import { parseRange } from '../../shared/ip.ts'

export const integer = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d+$/, 'must be a whole number'),
    v.transform(Number),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  )

export const duration = v.pipe(
  v.string(),
  v.transform((text) => parseDuration(text) ?? Number.NaN),
  v.check((ms) => ms >= 0, 'must be a duration such as 500ms, 10s, 5m or 2h'),
)

export const durationFrom = (leastMs: number, mostMs: number, range: string) =>
  v.pipe(
    duration,
    v.check((ms) => ms >= leastMs && ms <= mostMs, `must be ${range}`),
  )

/**
 * A time that must pass: with none, what it limits would be over before it began. A timer that is set for longer than some
 * 24.8 days fires at once.
 */
export const timeSpan = durationFrom(50, 24 * 86_400_000, '50ms to 24d')

export const list = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
)

/** Ranges of addresses, single addresses and host names. */
export const targets = v.pipe(
  list,
  v.check(
    (entries) => entries.every((entry) => parseRange(entry) !== undefined || isHostName(entry)),
    'must be ranges such as 10.20.0.0/16 or fd00:1::/32, addresses or host names, comma separated',
  ),
)

export const resolvers = v.pipe(
  list,
  v.check(
    (addresses) => addresses.every(isResolver),
    'must be IP addresses, such as 10.0.0.2 or [fd00::2]:5353, comma separated',
  ),
)

/** Not left to node:dns: port 0 ends the process there. */
function isResolver(text: string): boolean {
  const [, inBrackets, bare, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false
  return isIP(text) !== 0 || isIP(inBrackets ?? '') === 6 || isIP(bare ?? '') === 4
}

// A last part that is a decimal or hexadecimal number makes the text an address.
const isHostName = (text: string): boolean =>
  /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i.test(text) && !/(^|\.)(\d+|0x[\da-f]*)$/i.test(text)

// The syntax of RFC 7064 and RFC 7065.
const iceUrl = /^(stuns?:[^\s?/@]+|turns?:[^\s?/@]+(\?transport=(udp|tcp))?)$/

export const iceUrls = v.pipe(
  list,
  v.check(
    (urls) => urls.every((url) => iceUrl.test(url)),
    'must be URLs such as stun:stun.example.com:3478 or turns:turn.example.com:5349?transport=tcp',
  ),
)

export const durations = v.pipe(
  list,
  v.transform((parts) => parts.map((part) => parseDuration(part) ?? Number.NaN)),
  v.check((all) => all.length > 0 && all.every((ms) => ms >= 0), 'must be durations, such as 10s,1m,5m'),
)

export const url = (...schemes: string[]) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => {
        try {
          return schemes.includes(new URL(text).protocol.replace(':', ''))
        } catch {
          return false
        }
      },
      `must be a URL starting with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    ),
  )

/** A URL without a path, to which paths are added. */
export const origin = (scheme: string) =>
  v.pipe(
    url(scheme),
    v.check(
      (text) => new URL(text).href === `${new URL(text).origin}/`,
      'must have no path, query or credentials',
    ),
  )

// Text that fits into a header. This finds a line break that was pasted with a key before a server does.
export const visible = v.pipe(
  v.string(),
  v.regex(/^[!-~]+$/, 'must be visible ASCII characters without spaces'),
)

export const flag = v.pipe(
  v.picklist(['true', 'false'], 'must be true or false'),
  v.transform((text) => text === 'true'),
)

/** Comma separated: all are accepted. */
export const clusterSecrets = v.pipe(
  list,
  v.check(
    (parts) => parts.length > 0 && parts.every((part) => part.length >= 16),
    'must be at least 16 characters, or several of them, comma separated',
  ),
)

// 32 bytes as `<key id>:<64 hex>`, 64 hex or 44 base64. Comma separated: the first encrypts, all decrypt.
export const secretsKey = v.pipe(
  list,
  v.transform((parts) => parts.map(parseSecretsKey)),
  v.check(
    (keys) => keys.length > 0 && keys.every((key) => key !== undefined),
    'must be 32 bytes as 64 hex or 44 base64 characters, optionally after <key id>:',
  ),
  v.transform((keys) => keys.filter((key) => key !== undefined)),
)

export interface SecretsKey {
  readonly id: string
  readonly bytes: Buffer
}

function parseSecretsKey(text: string): SecretsKey | undefined {
  const [first = '', second] = text.split(':')
  const id = second === undefined ? '1' : first
  const encoded = second ?? first
  const bytes = /^[0-9a-f]{64}$/i.test(encoded) ? Buffer.from(encoded, 'hex') : Buffer.from(encoded, 'base64')
  return bytes.length === 32 && /^[\w-]{1,16}$/.test(id) ? { id, bytes } : undefined
}
