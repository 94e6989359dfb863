// The keywords STOP and START, which opt a contact out and in. They must be the whole text that the contact
// wrote, or of the reply button that they tapped.
import type { MessageType } from '../contract/records/message.ts'

export type OptChange = 'opted-out' | 'opted-in'

const keywords: Readonly<Record<string, OptChange>> = { STOP: 'opted-out', START: 'opted-in' }

// A caption or a place is no keyword: its text is about something else.
const said: ReadonlySet<MessageType> = new Set<MessageType>(['TEXT', 'BUTTON', 'INTERACTIVE'])

export const optChangeOf = (type: MessageType, text: string): OptChange | undefined =>
  said.has(type) ? keywords[text.trim().toUpperCase()] : undefined
