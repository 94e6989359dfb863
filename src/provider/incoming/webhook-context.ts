// Reads the number and the contacts of a webhook change.
import * as v from 'valibot'
import type { NumberContext, WebhookContext } from './element.ts'
import { id, list, optional, phone, record, text } from './fields.ts'

const Metadata = v.object({ phone_number_id: id, display_phone_number: optional(phone) })

const Contact = v.object({
  wa_id: optional(phone),
  profile: optional(v.object({ name: optional(text(256)) })),
})

/** Null when the change names no number: it cannot be assigned to a workspace. */
export function numberContext(value: unknown, context: WebhookContext): NumberContext | null {
  const metadata = v.safeParse(Metadata, record(value)['metadata'])
  if (!metadata.success) return null
  const contacts = list(record(value)['contacts']).flatMap((given) => {
    const contact = v.safeParse(Contact, given)
    return contact.success ? [contact.output] : []
  })
  const nameOf = (waId: string | null) =>
    waId === null ? null : (contacts.find((one) => one.wa_id === waId)?.profile?.name ?? null)
  return {
    ...context,
    phoneNumberId: metadata.output.phone_number_id,
    displayDigits: metadata.output.display_phone_number,
    nameOf,
  }
}
