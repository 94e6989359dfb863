import type { BusinessNumber } from './model.ts'
import { contactEntry, type Person } from './person.ts'

/** One change that the provider reports. One POST can contain several updates. */
export type Update = Readonly<{
  /** For faults and the journal: `message`, `status.sent`, `call.connect`, `call.ringing`, `template`, ... */
  kind: string
  /** The id of its subject: a wamid, a wacid, a template id. */
  ref: string
  field: string
  value: Readonly<Record<string, unknown>>
  /** `entry[].time`, which the provider sends only for account and template fields. */
  time?: number
  /** The whole body in place of an envelope with field and value. Such an update is posted alone. */
  payload?: unknown
  /** The planned time of a load run, on the monotonic clock. */
  scheduledNs?: bigint
}>

export const metadata = (number: BusinessNumber) => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: number.digits, phone_number_id: number.id },
})

export const messageUpdate = (
  number: BusinessNumber,
  from: Person,
  message: Record<string, unknown> & { id: string },
): Update => ({
  kind: 'message',
  ref: message.id,
  field: 'messages',
  value: {
    ...metadata(number),
    // Only system messages have no contact.
    ...(message['type'] === 'system' ? {} : { contacts: [contactEntry(from, 'name', 'username')] }),
    messages: [message],
  },
})

export const statusUpdate = (
  number: BusinessNumber,
  contact: Readonly<Record<string, unknown>> | undefined,
  status: Record<string, unknown> & { id: string; status: string },
): Update => ({
  kind: `status.${status.status}`,
  ref: status.id,
  field: 'messages',
  value: {
    ...metadata(number),
    ...(contact === undefined ? {} : { contacts: [contact] }),
    statuses: [status],
  },
})

export const callUpdate = (
  number: BusinessNumber,
  contact: Readonly<Record<string, unknown>>,
  call: Record<string, unknown> & { id: string; event: string },
  errors?: readonly unknown[],
): Update => ({
  kind: `call.${call.event}`,
  ref: call.id,
  field: 'calls',
  value: {
    ...metadata(number),
    contacts: [contact],
    calls: [call],
    ...(errors === undefined ? {} : { errors }),
  },
})

export const callStatusUpdate = (
  number: BusinessNumber,
  contact: Readonly<Record<string, unknown>>,
  status: Record<string, unknown> & { id: string; status: string },
): Update => ({
  kind: `call.${status.status.toLowerCase()}`,
  ref: status.id,
  field: 'calls',
  value: { ...metadata(number), contacts: [contact], statuses: [{ ...status, type: 'call' }] },
})

export const accountUpdate = (field: string, ref: string, value: Record<string, unknown>): Update => ({
  kind: field === 'message_template_status_update' ? 'template' : field,
  ref,
  field,
  value,
  time: Math.floor(Date.now() / 1000),
})

const sameNumber = (a: Update, b: Update): boolean =>
  JSON.stringify(a.value['metadata']) === JSON.stringify(b.value['metadata'])

function mergeValues(a: Update['value'], b: Update['value']): Update['value'] {
  const merged: Record<string, unknown> = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const present = merged[key]
    merged[key] = Array.isArray(present) && Array.isArray(value) ? [...present, ...value] : value
  }
  return merged
}

/** Adjacent updates of one field and number share a value, so that receivers must loop at every level. */
function foldChanges(updates: readonly Update[]): { field: string; value: Update['value'] }[] {
  const folded: Update[] = []
  for (const update of updates) {
    const last = folded.at(-1)
    if (last !== undefined && last.field === update.field && sameNumber(last, update)) {
      folded[folded.length - 1] = { ...last, value: mergeValues(last.value, update.value) }
    } else folded.push(update)
  }
  return folded.map(({ field, value }) => ({ field, value }))
}

export function envelope(wabaId: string, updates: readonly Update[]): unknown {
  const time = updates.find((update) => update.time !== undefined)?.time
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: wabaId, ...(time === undefined ? {} : { time }), changes: foldChanges(updates) }],
  }
}
