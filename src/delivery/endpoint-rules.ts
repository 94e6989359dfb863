// Which combinations of an endpoint, its events and its assigned numbers are allowed. Pure.
import { type EventKind, eventKinds } from '../contract/events.ts'

export interface RoutedNumber {
  readonly number: string
  readonly forwardCalls: boolean
}

export interface RoutingTarget {
  readonly name: string
  readonly events: readonly EventKind[]
}

/** Each kind once, in the order of the catalogue. */
export const orderedEvents = (events: readonly EventKind[]): EventKind[] =>
  eventKinds.filter((kind) => events.includes(kind))

/** Why a number cannot be routed like this, or undefined. `target` is the endpoint of the assignment. */
export function routingObjection(
  forwardCalls: boolean,
  target: RoutingTarget | undefined,
): string | undefined {
  if (target === undefined)
    return forwardCalls ? 'Forward needs an endpoint: assign the number to one first' : undefined
  if (!target.events.includes('message.received'))
    return `endpoint "${target.name}" does not list message.received: add it to its events first`
  if (forwardCalls && !target.events.includes('call.ringing'))
    return `endpoint "${target.name}" does not list call.ringing: add it to its events before turning Forward on`
  return undefined
}

/** Why an endpoint cannot have only these events, or undefined. Names the numbers that need a missing one. */
export function eventsObjection(
  events: readonly EventKind[],
  numbers: readonly RoutedNumber[],
): string | undefined {
  const callers = numbers.filter((number) => number.forwardCalls)
  if (numbers.length > 0 && !events.includes('message.received'))
    return `message.received is needed by ${named(numbers)}: assign the number elsewhere first`
  if (callers.length > 0 && !events.includes('call.ringing'))
    return `call.ringing is needed by ${named(callers)}: turn Forward off there first`
  return undefined
}

/** Why an endpoint cannot be deleted, or undefined. */
export const removalObjection = (numbers: readonly RoutedNumber[]): string | undefined =>
  numbers.length === 0 ? undefined : `${named(numbers)} is routed to it: assign the number elsewhere first`

const named = (numbers: readonly RoutedNumber[]): string => numbers.map(({ number }) => number).join(', ')
