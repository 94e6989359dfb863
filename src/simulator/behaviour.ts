/** One delivery status that a handset causes. `afterMs` counts from the acceptance of the message. */
export type StatusStep = Readonly<{
  afterMs: number
  status: 'sent' | 'delivered' | 'read' | 'failed'
  code?: number
}>

export type MessageBehaviour = Readonly<{
  statuses: readonly StatusStep[]
  /** The API answer refuses the message with this code, this many times in a row (Infinity: always). */
  refusal?: Readonly<{ code: number; times: number }>
  /** The API answers template sends with the status `held_for_quality_assessment`. */
  held?: true
  reply?: Readonly<{ afterMs: number; text: string }>
}>

/** What the handset does when the business calls it. */
export type CalledBehaviour = 'answers' | 'rings-out' | 'declines' | 'waits'

const sent = (afterMs: number): StatusStep => ({ afterMs, status: 'sent' })
const delivered = (afterMs: number): StatusStep => ({ afterMs, status: 'delivered' })
const read = (afterMs: number): StatusStep => ({ afterMs, status: 'read' })
const failed = (afterMs: number, code: number): StatusStep => ({ afterMs, status: 'failed', code })

const PROMPT = [sent(20), delivered(60)]

const MESSAGES: Readonly<Record<string, MessageBehaviour>> = {
  '0001': { statuses: [sent(100), delivered(500), read(2000)] },
  '0002': { statuses: PROMPT },
  '0003': { statuses: [failed(100, 131026)] },
  '0004': { statuses: [failed(100, 131049)] },
  '0005': { statuses: PROMPT, refusal: { code: 130429, times: 3 } },
  '0006': { statuses: [], refusal: { code: 131056, times: Number.POSITIVE_INFINITY } },
  '0007': { statuses: [] },
  '0008': {
    statuses: [read(50), sent(100), delivered(150), delivered(200), sent(250), read(300), delivered(350)],
  },
  '0009': { held: true, statuses: [failed(1000, 132015)] },
  '0010': { held: true, statuses: [sent(1000), delivered(1100)] },
  '0011': { statuses: [...PROMPT, read(500)], reply: { afterMs: 1000, text: 'STOP' } },
  '0012': { statuses: [...PROMPT, read(500)], reply: { afterMs: 1000, text: 'Thank you, got it.' } },
}

const CALLED: Readonly<Record<string, CalledBehaviour>> = {
  '0021': 'answers',
  '0023': 'rings-out',
  '0024': 'declines',
}

const ending = (waId: string): string => waId.slice(-4)

export const messageBehaviour = (waId: string): MessageBehaviour =>
  MESSAGES[ending(waId)] ?? { statuses: PROMPT }

export const calledBehaviour = (waId: string): CalledBehaviour => CALLED[ending(waId)] ?? 'waits'

/** 0021 has audio through a WebRTC peer. The others only send a valid SDP, unless configured otherwise. */
export const mediaOf = (waId: string): 'real' | 'template' => (ending(waId) === '0021' ? 'real' : 'template')

/** 0022 hangs up one second after calling, and the terminate webhook arrives before the connect webhook. */
export const hangsUpEarly = (waId: string): boolean => ending(waId) === '0022'

/** 0025 starts without call permission and grants it when asked. */
export const startsWithPermission = (waId: string): boolean => ending(waId) !== '0025'

/** Only 0025 grants by itself. Other handsets without permission wait for the user's decision. */
export const grantsWhenAsked = (waId: string): boolean => ending(waId) === '0025'
