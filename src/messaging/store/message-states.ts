import type { MessageFilter } from '../../contract/filters.ts'
import type { Direction, MessageStatus } from '../../contract/records/message.ts'
import { inboundMachine, outboundMachine } from '../message.machine.ts'
import { narrow } from './narrow-filters.ts'

/** The pairs that exist. */
const states = [
  ...Object.keys(inboundMachine).map((status) => ['INBOUND', status] as const),
  ...Object.keys(outboundMachine).map((status) => ['OUTBOUND', status] as const),
] as readonly (readonly [Direction, MessageStatus])[]

/** Each has fewer messages than a direction or a status. */
const narrower = [...narrow, 'apiKeyId', 'template', 'errorCode'] as const
const nearlyAsWide = ['type', 'numberId'] as const

/**
 * The filter with one direction and status at a time: of messages in a certain state there is one index, which begins
 * with both. Undefined where it asks for neither, or another index serves it better.
 */
export function onePerState(filter: MessageFilter): readonly MessageFilter[] | undefined {
  const { direction, status } = filter
  const others = status === undefined ? [...narrower, ...nearlyAsWide] : narrower
  if ((direction ?? status) === undefined || others.some((name) => filter[name] !== undefined))
    return undefined
  const asked = status === undefined ? undefined : [status].flat()
  const found = states.filter(
    ([ofDirection, ofStatus]) =>
      (direction === undefined || direction === ofDirection) && (asked?.includes(ofStatus) ?? true),
  )
  return found.length === 0
    ? undefined
    : found.map(([one, other]) => ({ ...filter, direction: one, status: other }))
}
