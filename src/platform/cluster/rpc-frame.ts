// The text frames of a socket between two processes. A message is `<number> <seals> <envelope>`, its answer
// `<number> <answer>`. The number is the sender's, since answers come in any order.
import { maxEnvelopeBytes, type Seals } from './rpc-envelope.ts'

/** Also what the seals of the upgrade are of. */
export const socketPath = '/rpc/socket'
/** An envelope, with its number and seals. */
export const maxFrameBytes = maxEnvelopeBytes + 4_096

export interface Message {
  readonly number: string
  readonly seals: Seals
  readonly body: string
}

export const messageFrame = (number: string, { first, more }: Seals, body: string): string =>
  `${number} ${first}${more ? `,${more}` : ''} ${body}`

export function messageIn(frame: string): Message | undefined {
  const [number, rest] = cut(frame, ' ')
  const [seals, body] = cut(rest ?? '', ' ')
  if (body === undefined) return undefined
  const [first, more] = cut(seals, ',')
  return { number, seals: { first, more }, body }
}

export const answerFrame = (number: string, answer: object): string => `${number} ${JSON.stringify(answer)}`

/** From a process that is going away, which takes no more messages. No message of an older release has this number. */
export const leaveFrame = '0'

export const answerIn = (frame: string): readonly [number: string, answer: string | undefined] =>
  cut(frame, ' ')

function cut(text: string, at: string): readonly [head: string, rest: string | undefined] {
  const place = text.indexOf(at)
  return place === -1 ? [text, undefined] : [text.slice(0, place), text.slice(place + 1)]
}
