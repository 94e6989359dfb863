// The owners of calls, on this node or another: finds them, and gives the calls that begin here their first one.

import { AppError, notFound } from '../../contract/errors.ts'
import type { ActorDirectory } from '../../platform/actors/directory.ts'
import type { AskResult, TellResult } from '../../platform/actors/mailbox-entry.ts'
import type { Ownership } from '../../platform/actors/ownership.ts'
import type { CallId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import { stateOf } from '../begin-call.ts'
import type { CallEffect, CallMessage, CallReply, CallState, CallTiming, CallTx } from '../call.messages.ts'
import { neverPlaced } from '../place-call.ts'
import type { BegunCall, CallClock, CallOwners } from '../ports.ts'
import type { CallHost } from './call-host.ts'

/** Finds the owner of a call, on this node or another. */
export interface CallRouter {
  ask(kind: 'call', id: string, message: CallMessage, deadlineMs: number): Promise<AskResult>
  tell(kind: 'call', id: string, message: CallMessage): Promise<TellResult>
}

type CallDirectory = ActorDirectory<CallState, CallMessage, CallTx, CallEffect>

export interface CallOwnersOptions {
  readonly directory: Pick<CallDirectory, 'adopt' | 'has' | 'isDraining' | 'stateOf'>
  readonly host: CallHost
  readonly router: CallRouter
  readonly ownership: Pick<Ownership, 'sid' | 'release'>
  readonly clock: CallClock
  readonly timing: CallTiming
  readonly log: Log
}

export function createCallOwners(options: CallOwnersOptions): CallOwners {
  const { directory, host, router } = options
  return {
    isLeaving: () => directory.isDraining,
    workspaceOf: (id) => directory.stateOf(id)?.row.workspaceId,
    async adopt(call, first) {
      const loaded = { state: stateOf(call.row, call.route), epoch: call.epoch, silentMs: 0 }
      const born = { first, asked: call.asked, claimed: call.claimed }
      const { type } = await directory.adopt(call.row.id, loaded, born)
      if (type !== 'accepted') await notAdopted(options, call, { first, why: type })
      // Whoever waits for this may tell another node of the call next, and that node must find its owner.
      await Promise.all([call.claimed, host.sdpSaved(call.row.id)])
      return type === 'accepted'
    },
    async ask(id: CallId, message, deadlineMs) {
      const result = await router.ask('call', id, message, deadlineMs)
      if (result.type !== 'answered') throw unanswered(result)
      return result.value as CallReply
    },
  }
}

interface Refused {
  readonly first: CallMessage | undefined
  readonly why: string
}

/** This process took no more actors in when the call was written. Its row names this process as the owner. */
async function notAdopted(
  options: CallOwnersOptions,
  call: BegunCall,
  { first, why }: Refused,
): Promise<void> {
  const { id, workspaceId } = call.row
  const settled = first === undefined ? giveUp(options, call) : handOn(options, call, first)
  const result = await settled.catch(String)
  options.log.warn({ callId: id, workspaceId, why, result }, 'call.not_adopted')
}

/** Another process gets the first message at once, and has nobody to wait for. */
async function handOn(
  { directory, host, router, ownership }: CallOwnersOptions,
  { row, epoch, claimed }: BegunCall,
  first: CallMessage,
): Promise<string> {
  await claimed
  // A message may have loaded the call here meanwhile.
  if (!directory.has(row.id)) {
    await host.release([{ id: row.id, epoch }], ownership.sid)
    await ownership.release('call', [row.id])
  }
  return (await router.tell('call', row.id, first)).type
}

/** Only this process may place the call: with it ends the call. */
async function giveUp(
  { host, clock, timing }: CallOwnersOptions,
  { row, route, epoch }: BegunCall,
): Promise<string> {
  const context = { at: new Date(clock.now()), replyTo: undefined, timing }
  const { type } = await host.commit(row.id, epoch, neverPlaced(context, stateOf(row, route)))
  host.dropped(row.id, epoch)
  return type
}

function unanswered({ type }: Exclude<AskResult, { type: 'answered' }>): AppError {
  const options = { retryAfterSeconds: 1 }
  if (type === 'notFound') return notFound('call')
  if (type === 'full')
    return new AppError('OVERLOADED', 'too much is waiting for this call; try again shortly', options)
  return new AppError('UNAVAILABLE', 'the outcome is not known yet; repeat the request', options)
}
