// Texts of the form about what each event means.
import type { EventKind } from '../../../../contract/events.ts'
import type { Choice } from '../../parts/field.tsx'

const hints: Readonly<Record<EventKind, string>> = {
  'message.status': 'A message was sent, delivered, read, or failed.',
  'message.received': 'A customer wrote. Needed for a number’s replies.',
  'call.status': 'A call changed its state.',
  'call.ringing': 'A customer calls: sent at once, with the SDP offer. Needed to forward calls.',
  'call.accepted': 'A placed call was answered: sent at once, with the SDP answer.',
  'account.updated': 'The provider reports about the account, its limits, numbers or templates.',
}

export const eventChoices: readonly Choice<EventKind>[] = (Object.keys(hints) as EventKind[]).map((kind) => ({
  value: kind,
  label: kind,
  hint: hints[kind],
}))

export const allEvents = eventChoices.map(({ value }) => value)
