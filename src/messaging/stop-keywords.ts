// The keywords STOP and START, which opt a contact out and in. They must be the whole text of a message.

export type OptChange = 'opted-out' | 'opted-in'

const keywords: Readonly<Record<string, OptChange>> = { STOP: 'opted-out', START: 'opted-in' }

export const optChangeOf = (text: string): OptChange | undefined => keywords[text.trim().toUpperCase()]
