// What is kept of an element: its JSON, without SDP and bounded, and what it was made into.
import type { UnappliedReason, UpdateOutcome } from '../../contract/inbound-elements.ts'
import type {
  LinkedElement,
  SubjectOf,
  UnlinkedElement,
} from '../../platform/postgres/inbound-elements.store.ts'
import { decodeId, newId } from '../../shared/ids.ts'
import type { Element } from './element.ts'
import { readText, record } from './fields.ts'
import { maxPeople, type People, peopleIn, peopleInText } from './people-in.ts'
import { changeOf, type RawElement, type ReadElement } from './raw-elements.ts'

/** Ten times what the provider's largest messages have. */
const keptBytes = 64 * 1024

export type KeptElement =
  | { readonly type: 'linked'; readonly row: LinkedElement }
  | { readonly type: 'unlinked'; readonly row: UnlinkedElement }

/** `outcome` of an update, or why the element was skipped. */
export function keptOf({ element, raw }: ReadElement, outcome: UpdateOutcome | undefined): KeptElement {
  const id = newId('element')
  const [field, part] = [textOf(raw.change?.['field']), textOf(raw.part)]
  const subject = outcome === 'applied' ? subjectOf(element) : undefined
  if (subject && element.type !== 'skipped' && 'phoneNumberId' in element) {
    const { phoneNumberId } = element
    // Everything around a status stands in its message, and statuses are three in four elements.
    const given = element.type === 'messageStatus' ? raw.given : changeOf(raw)
    const json = element.type === 'callConnect' ? jsonWithoutSdp(given) : jsonOf(given)
    return { type: 'linked', row: { id, field, part, phoneNumberId, subject, ...bounded(json) } }
  }
  const kept = mayBeOfErased(element, outcome) ? withoutPeople(raw) : changeOf(raw)
  const people = peopleIn(kept)
  const row = {
    ...{ id, field, part },
    phoneNumberId: numberIn(raw),
    wabaId: raw.wabaId,
    entryAt: raw.time,
    reason: unappliedReason(element, outcome),
    ...keptWith(people, () => jsonOf(kept)),
  }
  return { type: 'unlinked', row }
}

/**
 * A message or call is written before the provider hears of it. One with our id that is not there was erased, and so must
 * stay whom it was with. The provider's id has the number in it. The end of a call that is not there, without our id, may be
 * of an erased call too; what it tells waits an hour for its call.
 */
function mayBeOfErased(element: Element, outcome: UpdateOutcome | undefined): boolean {
  if (outcome === 'unknownMessage' && element.type === 'messageStatus')
    return decodeId('message', element.opaque ?? '') !== undefined
  if (outcome === 'early') return true
  if (outcome === 'unknownCall' && 'wacid' in element)
    return decodeId('call', element.opaque ?? '') !== undefined
  return false
}

function withoutPeople({ given }: RawElement): unknown {
  const { event, status, timestamp, biz_opaque_callback_data } = record(given)
  return { event, status, timestamp, biz_opaque_callback_data }
}

/** What an erasure could not find is not kept. */
const keptWith = ({ addresses, areAll }: People, text: () => string) =>
  areAll
    ? { people: addresses, ...bounded(text()) }
    : { people: [], ...bounded(`"[names more than ${maxPeople} people, or too deep, and is not kept]"`) }

/** A signed body that is not JSON. Whom it concerns can only be searched for. */
export function keptBody(body: Uint8Array): KeptElement {
  const text = withoutSdp(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()).replaceAll(
    '\0',
    '\uFFFD',
  )
  const number = /"phone_number_id"\s*:\s*"([^"\\]{1,128})"/.exec(text)
  return {
    type: 'unlinked',
    row: {
      ...{ id: newId('element'), field: null, part: null, wabaId: null, entryAt: null, reason: 'unreadable' },
      phoneNumberId: number?.[1] ?? null,
      ...keptWith(peopleInText(text), () => text),
    },
  }
}

/** Null where something was made of it. */
export function unappliedReason(
  element: Element,
  outcome: UpdateOutcome | undefined,
): UnappliedReason | null {
  if (element.type === 'skipped') return element.reason
  return outcome === undefined || outcome === 'applied' || outcome === 'early' ? null : outcome
}

/** The message or call that an update was made into; undefined where that is something else. */
export function subjectOf(element: Element): SubjectOf | undefined {
  switch (element.type) {
    case 'inboundMessage':
      return { kind: 'message', providerId: element.providerMessageId, id: null }
    case 'messageStatus':
      return {
        kind: 'message',
        providerId: element.providerMessageId,
        id: decodeId('message', element.opaque ?? '') ?? null,
      }
    case 'callConnect':
    case 'callStatus':
    case 'callTerminate':
      return { kind: 'call', providerId: element.wacid, id: decodeId('call', element.opaque ?? '') ?? null }
    default:
      return undefined
  }
}

const maxText = 512

const textOf = (given: unknown): string | null => readText(given, maxText)

function numberIn({ change }: RawElement): string | null {
  const value = record(change?.['value'])
  return textOf(record(value['metadata'])['phone_number_id'])
}

const sdpMarker = (sdp: string): string => `[SDP of ${Buffer.byteLength(sdp)} bytes, not kept]`
export const isSdpMarker = (text: unknown): boolean =>
  typeof text === 'string' && /^\[SDP of \d+ bytes, not kept\]$/.test(text)

const isSdp = (name: string, value: string): boolean => name === 'sdp' || /^\s*v=0\s*[\r\n]/.test(value)

/** SDP names addresses and keys of a line, and is never in Postgres. */
function jsonOf(given: unknown): string {
  const json = serialized(given)
  return json.includes('v=0') || json.includes('"sdp"') ? jsonWithoutSdp(given) : json
}

/** The same for what has one nearly always: it is not serialized twice. */
const jsonWithoutSdp = (given: unknown): string => serialized(given, (value) => marked('', value))

function serialized(given: unknown, changed = (value: unknown) => value): string {
  try {
    return JSON.stringify(changed(given)) ?? 'null'
  } catch {
    // Lists within lists, so deep that no serializer follows.
    return '"[nested too deeply to be kept]"'
  }
}

/** With a marker for each SDP; what has none is not copied. */
function marked(name: string, value: unknown): unknown {
  if (typeof value === 'string') return isSdp(name, value) && !isSdpMarker(value) ? sdpMarker(value) : value
  if (Array.isArray(value)) {
    const all = value.map((one: unknown) => marked('', one))
    return all.some((one, index) => one !== value[index]) ? all : value
  }
  return typeof value === 'object' && value !== null ? markedFields(value as Fields) : value
}

type Fields = Readonly<Record<string, unknown>>

function markedFields(fields: Fields): Fields {
  let copy: Record<string, unknown> | undefined
  for (const name of Object.keys(fields)) {
    const value = marked(name, fields[name])
    if (value === fields[name]) continue
    copy ??= { ...fields }
    copy[name] = value
  }
  return copy ?? fields
}

/** The same in a text that cannot be parsed: from the beginning of the description to the end of the string. */
const withoutSdp = (text: string): string =>
  text
    .replace(
      /("sdp"\s*:\s*")((?:[^"\\]|\\.)*)/g,
      (_, name: string, sdp: string) => `${name}${sdpMarker(sdp)}`,
    )
    .replace(/v=0\s*(?:\\r|\\n|\r|\n)[^"]*/g, sdpMarker)

function bounded(text: string): { readonly body: string; readonly fullBytes: number | null } {
  if (text.length * 3 <= keptBytes) return { body: text, fullBytes: null }
  const bytes = Buffer.from(text)
  if (bytes.byteLength <= keptBytes) return { body: text, fullBytes: null }
  const body = bytes
    .subarray(0, keptBytes)
    .toString()
    .replace(/\uFFFD$/, '')
  return { body, fullBytes: bytes.byteLength }
}
