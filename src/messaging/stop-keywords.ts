// The keywords STOP and START, which opt a contact out and in. They must be the whole text that the contact
// wrote, or of the button of a template that they tapped, and said to us alone.
import type { InboundMessageUpdate } from '../contract/provider-updates.ts'
import type { MessageType } from '../contract/records/message.ts'

export type OptChange = 'opted-out' | 'opted-in'

const keywords: Readonly<Record<string, OptChange>> = { STOP: 'opted-out', START: 'opted-in' }

// A caption, a place or a choice that we offered is no keyword: its text is about something else.
const said: ReadonlySet<MessageType> = new Set<MessageType>(['TEXT', 'BUTTON'])

export const optChangeOf = ({
  messageType,
  text,
  details,
}: Pick<InboundMessageUpdate, 'messageType' | 'text' | 'details'>): OptChange | undefined =>
  said.has(messageType) && !details?.group ? keywords[text.trim().toUpperCase()] : undefined
