// Identifiers: UUIDv7 internally and in Postgres, TypeID (prefix and base32) in APIs, without any lookup.
import { randomFillSync } from 'node:crypto'

declare const brand: unique symbol
type Id<Kind extends string> = string & { readonly [brand]: Kind }

/** Prefix of each kind of id in APIs. */
export const idPrefixes = {
  message: 'msg',
  conversation: 'cnv',
  template: 'tpl',
  number: 'num',
  call: 'call',
  campaign: 'cmp',
  recipient: 'rcp',
  endpoint: 'whe',
  event: 'evt',
  delivery: 'dlv',
  attempt: 'att',
  key: 'key',
  workspace: 'wsp',
  operator: 'opr',
  audit: 'aud',
  session: 'ses',
  invitation: 'inv',
  erasure: 'era',
  export: 'exp',
  upload: 'med',
  element: 'inb',
  accountUpdate: 'acu',
} as const

export type IdKind = keyof typeof idPrefixes

/** A UUID as Postgres stores it: lower case, with dashes. The brand keeps ids of different kinds apart. */
export type Uuid<Kind extends IdKind = IdKind> = Id<Kind>
export type WorkspaceId = Uuid<'workspace'>
export type MessageId = Uuid<'message'>
export type ConversationId = Uuid<'conversation'>
export type TemplateId = Uuid<'template'>
export type NumberId = Uuid<'number'>
export type CallId = Uuid<'call'>
export type CampaignId = Uuid<'campaign'>
export type RecipientId = Uuid<'recipient'>
export type EndpointId = Uuid<'endpoint'>
export type EventId = Uuid<'event'>
export type DeliveryId = Uuid<'delivery'>
export type KeyId = Uuid<'key'>
export type OperatorId = Uuid<'operator'>
export type SessionId = Uuid<'session'>
export type InvitationId = Uuid<'invitation'>
export type ErasureId = Uuid<'erasure'>
export type ExportId = Uuid<'export'>
export type UploadId = Uuid<'upload'>

// One system call per id costs as much as an HMAC, so random bytes are fetched in blocks.
const pool = Buffer.allocUnsafe(16 * 256)
let poolOffset = pool.length
let lastMs = 0
let sequence = 0

/**
 * A UUIDv7 that increases within this process: the 12 bits after the time are a counter, so rows that are
 * created in one millisecond keep their order.
 */
export function newId<Kind extends IdKind>(_kind: Kind): Uuid<Kind> {
  if (poolOffset === pool.length) {
    randomFillSync(pool)
    poolOffset = 0
  }
  const bytes = pool.subarray(poolOffset, poolOffset + 16)
  poolOffset += 16
  let ms = Math.max(Date.now(), lastMs)
  if (ms === lastMs) {
    sequence += 1
    if (sequence > 0xfff) {
      ms += 1
      sequence = 0
    }
  } else {
    sequence = bytes.readUInt16BE(6) & 0x7ff
  }
  lastMs = ms
  bytes.writeUIntBE(ms, 0, 6)
  bytes.writeUInt16BE(0x7000 | sequence, 6)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return toUuid(bytes) as Uuid<Kind>
}

/** The creation time of a UUIDv7, in milliseconds since the epoch. */
export function idTimeMs(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
}

/** The smallest UUIDv7 of a millisecond: a bound for range queries over ids. */
export function idFloor(atMs: number): string {
  const hex = Math.max(0, Math.trunc(atMs)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

function toUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const values = new Map([...alphabet].map((letter, value) => [letter, value]))

// Two characters are ten bits: looked up and added up, they cost half of what bytes in a buffer do.
const pairs = Array.from({ length: 1_024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`)

/** Of a list, all rows have the same number, key and so on: the last id of each kind is at hand. */
const lastOfKind = new Map<IdKind, { readonly uuid: string; readonly text: string }>()

/** `msg` and a UUID → `msg_01h...`: two zero bits and the 128 bits, as 26 base32 characters. */
export function encodeId(kind: IdKind, uuid: string): string {
  const last = lastOfKind.get(kind)
  if (last?.uuid === uuid) return last.text
  let text = `${idPrefixes[kind]}_`
  let pending = 0
  let pendingBits = 2
  for (let index = 0; index < uuid.length; index += 1) {
    const code = uuid.charCodeAt(index)
    if (code === dash) continue
    pending = ((pending << 4) | (code <= nine ? code - zero : code - a + 10)) & 0x3fff
    pendingBits += 4
    if (pendingBits < 10) continue
    pendingBits -= 10
    text += pairs[(pending >> pendingBits) & 0x3ff]
  }
  lastOfKind.set(kind, { uuid, text })
  return text
}

const dash = 0x2d
const zero = 0x30
const nine = 0x39
const a = 0x61

/** Undefined unless the text is exactly an id of that kind. Callers treat a malformed id as unknown. */
export function decodeId<Kind extends IdKind>(kind: Kind, text: string): Uuid<Kind> | undefined {
  const prefix = `${idPrefixes[kind]}_`
  if (!text.startsWith(prefix) || text.length !== prefix.length + 26) return undefined
  let bits = 0n
  for (const letter of text.slice(prefix.length)) {
    const value = values.get(letter)
    if (value === undefined) return undefined
    bits = (bits << 5n) | BigInt(value)
  }
  if (bits >> 128n !== 0n) return undefined
  const hex = bits.toString(16).padStart(32, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Uuid<Kind>
}

const kindOf = new Map(Object.entries(idPrefixes).map(([kind, prefix]) => [prefix as string, kind as IdKind]))
/** With fewer letters, a part of an id does not name a millisecond. */
const leastLetters = 10

export interface IdRange {
  readonly kind: IdKind
  readonly from: Uuid
  readonly to: Uuid
}

/** The ids that begin with this text, if it is an id or a good part of one. Upper case is taken too. */
export function idRange(text: string): IdRange | undefined {
  const [, prefix = '', letters = ''] = /^([a-z]{3,4})_([0-9a-z]{1,26})$/.exec(text.toLowerCase()) ?? []
  const kind = kindOf.get(prefix)
  if (kind === undefined || letters.length < leastLetters) return undefined
  const [from, to] = ['0', 'z'].map((pad) => decodeId(kind, `${prefix}_${letters.padEnd(26, pad)}`))
  return from === undefined || to === undefined ? undefined : { kind, from, to }
}
