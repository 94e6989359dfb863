// STOP and START, when they are the whole text (decisions 2, opt-out).

export type OptChange = 'opted-out' | 'opted-in'

const keywords: Readonly<Record<string, OptChange>> = { STOP: 'opted-out', START: 'opted-in' }

export const optChangeOf = (text: string): OptChange | undefined => keywords[text.trim().toUpperCase()]
