// Texts for calls: their states, why they ended, why they did not reach the receiver, and their timelines.
import type { CallRecord, CallStatus, ForwardError } from '../../../../contract/records/call.ts'
import { phone, sentence } from '../../core/format.ts'
import type { Tone } from '../../parts/badge.tsx'

export const callTones: Readonly<Record<CallStatus, Tone>> = {
  INITIATED: 'info',
  RINGING: 'info',
  ACCEPTED: 'good',
  COMPLETED: 'neutral',
  MISSED: 'warn',
  DECLINED: 'neutral',
  REJECTED: 'warn',
  NO_ANSWER: 'warn',
  CANCELLED: 'neutral',
  FAILED: 'bad',
}

export const callStatusNames = Object.keys(callTones) as CallStatus[]

export const isLive = ({ status }: Pick<CallRecord, 'status'>): boolean =>
  status === 'INITIATED' || status === 'RINGING' || status === 'ACCEPTED'

const endings: Readonly<Record<string, string>> = {
  CALLER_GAVE_UP: 'The caller gave up',
  TIMEOUT: 'Nobody answered in time',
  FORWARD_FAILED: 'It never reached your receiver',
  DECLINED: 'Declined here',
  CUSTOMER_DECLINED: 'The customer declined it',
  RANG_OUT: 'It rang out',
  WORKSPACE_HUNG_UP: 'Hung up here',
  HUNG_UP: 'The customer hung up',
  PROVIDER_ERROR: 'The provider reported an error',
  OUTCOME_UNKNOWN: 'The provider never told how it went',
}
export const ending = (reason: string): string => endings[reason] ?? sentence(reason)

interface Problem {
  readonly cause: string
  readonly remedy: string
}

const checkReceiver = 'Check that the receiver runs and can be reached from the internet.'
const checkAddress = 'Check the address of the endpoint.'
const nothingToDo = 'Nothing needs to be changed.'

const problems: Readonly<Record<string, Problem>> = {
  TIMEOUT: {
    cause: 'Your receiver took longer than five seconds',
    remedy: 'Answer 200 at once, and do the work afterwards.',
  },
  CONNECT_REFUSED: { cause: 'Your receiver refused the connection', remedy: checkReceiver },
  CONNECT_TIMEOUT: { cause: 'Your receiver could not be reached in time', remedy: checkReceiver },
  CONNECT_FAILED: { cause: 'Your receiver could not be reached', remedy: checkReceiver },
  CONNECTION_RESET: { cause: 'Your receiver broke the connection', remedy: checkReceiver },
  INVALID_RESPONSE: { cause: 'Your receiver answered something that is no HTTP', remedy: checkAddress },
  DNS_NOT_FOUND: { cause: 'The name of your receiver does not exist', remedy: checkAddress },
  TLS_CERTIFICATE_REJECTED: {
    cause: 'The certificate of your receiver is not trusted',
    remedy: 'Renew it, and send the whole chain.',
  },
  TLS_FAILED: {
    cause: 'No secure connection came about with your receiver',
    remedy: 'Offer TLS 1.2 or later.',
  },
  ADDRESS_FORBIDDEN: { cause: 'Your receiver has an address that is not allowed', remedy: checkAddress },
  URL_FORBIDDEN: { cause: 'Your receiver has an address that is not allowed', remedy: checkAddress },
  ENDPOINT_OFF: { cause: 'The endpoint was off', remedy: 'Turn the endpoint on again.' },
  OVERLOADED: {
    cause: 'Your receiver had too many calls before it',
    remedy: 'Answer faster, so that fewer wait.',
  },
  RESTARTED: { cause: 'The gateway was restarted while it forwarded the call', remedy: nothingToDo },
  INTERRUPTED: { cause: 'The gateway was stopped while it forwarded the call', remedy: nothingToDo },
  CALL_ENDED: { cause: 'The call ended before the receiver had confirmed it', remedy: nothingToDo },
  NO_OFFER: { cause: 'The provider sent no usable offer', remedy: nothingToDo },
  NO_ANSWER_SDP: { cause: 'The provider sent no answer for the sound', remedy: nothingToDo },
}

/** An unknown code shows the gateway's own message. */
export function forwardProblem({ code, message }: Pick<ForwardError, 'code' | 'message'>): Problem {
  const status = /^HTTP_(\d{3})$/.exec(code)?.[1]
  if (status !== undefined)
    return {
      cause: `Your receiver answered ${status}`,
      remedy: 'It must answer with a status from 200 to 299.',
    }
  return problems[code] ?? { cause: sentence(message), remedy: checkReceiver }
}

const kinds: Readonly<Record<string, string>> = {
  'provider.connect': 'The provider announced the call',
  'connect.stale': 'The announcement came too late to ring',
  'place.posted': 'A program asked for the call',
  'provider.placed': 'The provider took the call',
  'forward.attempted': 'Forwarding to your receiver',
  'forward.delivered': 'Your receiver took it',
  'forward.failed': 'Your receiver did not take it',
  'forward.repeated': 'Forwarding again after a restart',
  'answer.posted': 'An answer came from your program',
  'pre_accept.posted': 'A pre-accept came from your program',
  'provider.pre_accepted': 'Pre-accepted at the provider',
  'provider.accept_confirmed': 'Accepted at the provider',
  'provider.refused': 'The provider refused',
  'decline.posted': 'Somebody asked to decline it',
  'hang_up.posted': 'Somebody asked to hang up',
  'provider.terminate': 'The provider reported the end',
  'media.failed': 'The sound failed',
}

export const momentTitle = (kind: string, detail: Readonly<Record<string, unknown>>): string =>
  kind === 'status' ? sentence(String(detail['status'])) : (kinds[kind] ?? sentence(kind.replace('.', ' ')))

/** The customer: the caller of an inbound call, the callee of an outbound one. */
export const contactOf = ({ fromName, contactWaId }: CallRecord): { name: string; number: string } => ({
  name: fromName ?? phone(contactWaId),
  number: phone(contactWaId),
})

/** 75 becomes 1:15. */
export function lasting(seconds: number): string {
  const whole = Math.max(Math.floor(seconds), 0)
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60]
  const tail = String(whole % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`
}
