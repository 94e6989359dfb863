// Types of the call actor: its messages, replies, commits, effects and state.

import type { SessionDescription } from '../contract/events.ts'
import type { ProviderErrorClass } from '../contract/provider-errors.ts'
import type { CallStatus } from '../contract/records/call.ts'
import type { ReplyTo, RuntimeEffect } from '../platform/actors/actor.ts'
import type { EndpointId, WorkspaceId } from '../shared/ids.ts'
import type { CallRow, PendingAction } from './call.ts'

export interface ProviderRefusal {
  readonly code: string
  readonly title: string
  readonly details: string | null
  readonly subcode?: string | null | undefined
  readonly traceId?: string | null | undefined
  readonly class: ProviderErrorClass
}

export type ProviderRequest = 'place' | 'preAccept' | 'accept' | 'reject' | 'terminate'

/** The outcome of a request to the provider. `unknown`: the request may have taken effect. */
export type ProviderOutcome =
  | { readonly type: 'ok'; readonly wacid?: string }
  | { readonly type: 'refused' | 'unknown' | 'notSent'; readonly error: ProviderRefusal }

export type ForwardOutcome =
  | { readonly type: 'delivered' }
  | {
      readonly type: 'failed'
      /** Without it, the first of those that it was for. */
      readonly endpointId?: EndpointId
      readonly code: string
      readonly message: string
    }

/** An SDP of the customer's server, with its SHA-256 in hex. */
export interface OwnSdp {
  readonly sdp: string
  readonly hash: string
}

export interface TerminateFacts {
  /** Null: the call was never picked up. */
  readonly durationSeconds: number | null
  readonly error: { readonly code: string; readonly title: string } | null
}

export type CallMessage =
  /** First message of an inbound call, with the provider's offer. */
  | { readonly type: 'ringing'; readonly session: SessionDescription | null }
  /** First message of an outbound call, with the customer's offer. */
  | { readonly type: 'place'; readonly sdp: string }
  | {
      readonly type: 'providerConnect'
      readonly wacid: string
      readonly session: SessionDescription | null
    }
  | {
      readonly type: 'providerStatus'
      readonly wacid: string
      readonly status: 'RINGING' | 'ACCEPTED' | 'REJECTED'
    }
  | ({
      readonly type: 'providerTerminate'
      readonly wacid: string
      /** When the call ended, as the provider tells: an ISO time. Absent: now. */
      readonly toldAt?: string
    } & TerminateFacts)
  | ({ readonly type: 'answer' | 'preAccept'; readonly actionId: string } & OwnSdp)
  | { readonly type: 'decline' | 'hangUp'; readonly actionId: string }
  | { readonly type: 'offer' }
  | { readonly type: 'forwarded'; readonly outcome: ForwardOutcome }
  | {
      readonly type: 'providerAnswered'
      readonly request: ProviderRequest
      readonly actionId: string | null
      readonly outcome: ProviderOutcome
    }
  /** The write of the SDP for a later owner has finished or failed. */
  | { readonly type: 'sdpSaved'; readonly replyTo: ReplyTo }
  /** Do what is due. Sent by the owner's timer, or by the reaper where the timer's process is dead. */
  | { readonly type: 'wake' }
  | { readonly type: 'drain' }

export type CallReply =
  | { readonly type: 'done' }
  | { readonly type: 'offer'; readonly session: SessionDescription }
  | { readonly type: 'offerUnavailable' }
  | { readonly type: 'ended' }
  /** `instead`: the action that ends this call. */
  | { readonly type: 'notRinging'; readonly instead?: 'HANG_UP' }
  | { readonly type: 'alreadyAnswered' }
  /** Another command is under way, or the status does not allow this one. */
  | {
      readonly type: 'wrongState'
      readonly status: CallStatus
      readonly pending: PendingAction | null
      readonly instead?: 'DECLINE'
    }
  | { readonly type: 'refused'; readonly error: ProviderRefusal }

/** The SDP that a new owner needs from the previous owner. */
export interface SavedSdp {
  /** The provider's SDP. */
  readonly session: SessionDescription | null
  /** The customer's SDP, while the provider is being asked to take it. */
  readonly ownSdp: string | null
}

/** One entry of the call's timeline. Never contains SDP. */
export interface Note {
  readonly at: Date
  readonly kind: string
  readonly detail?: Readonly<Record<string, string | number | null>>
}

/** In one statement: the new row, its `call.status` (null without a transition) and its timeline notes. */
export interface Change {
  readonly row: CallRow
  readonly body: string | null
  readonly notes: readonly Note[]
  /** The owner leaves with it: the row is released, too. */
  readonly isLast?: boolean
}

/** Usually one. Two where a terminate reveals an answer that no update reported. Committed together. */
export type CallTx = readonly Change[]

/** A request to the provider on behalf of `call`. */
interface Asking {
  readonly type: 'askProvider'
  readonly call: CallRow
}

export type CallEffect =
  | (Asking & { readonly request: 'place'; readonly actionId: string; readonly sdp: string })
  | (Asking & {
      readonly request: 'preAccept' | 'accept'
      readonly actionId: string
      readonly wacid: string
      readonly sdp: string
    })
  | (Asking & {
      readonly request: 'reject' | 'terminate'
      /** Null: no command waits for the outcome; the request only ends the call at the provider too. */
      readonly actionId: string | null
      readonly wacid: string
    })
  | {
      readonly type: 'forward'
      readonly workspaceId: WorkspaceId
      readonly event: 'call.ringing' | 'call.accepted'
      readonly endpointIds: readonly EndpointId[]
      readonly body: string
      /** ISO time; null for `call.accepted`. */
      readonly answerBy: string | null
    }
  /**
   * The receiver has the event. The note is batched with others, or goes with the next change, instead of being
   * committed in this turn. After a
   * crash before that write, the event is forwarded again, as after any crash during a forward.
   */
  | {
      readonly type: 'noteForwarded'
      readonly workspaceId: WorkspaceId
      readonly wakeAt: Date | null
      readonly notes: readonly Note[]
      /** The owner leaves: the row is released, too. */
      readonly isLast: boolean
    }
  | ({ readonly type: 'saveSdp' } & SavedSdp)
  | { readonly type: 'dropSdp' }
  /** Posts `sdpSaved` when the write that `saveSdp` started has finished or failed. */
  | { readonly type: 'replyOnceSdpSaved'; readonly to: ReplyTo }

export type CallOut = CallEffect | RuntimeEffect<CallMessage>

/** The part of a pending action that only this incarnation knows. */
export interface Command {
  readonly ownSdp: string | null
  readonly waiting: readonly ReplyTo[]
  readonly notes: readonly Note[]
  /** An earlier request of this command may have taken effect: then `already answered` means success. */
  readonly isRepeat: boolean
}

export interface CallState {
  readonly row: CallRow
  /** The endpoints that get the direct events of this call. */
  readonly route: readonly EndpointId[]
  /** The provider's SDP while it is needed: the offer of an inbound call, the answer to an outbound one. */
  readonly session: SessionDescription | null
  readonly command: Command | null
  /** False right after loading, until what the previous owner left unfinished is resumed. */
  readonly isResumed: boolean
  /** The end of the call as a new owner finds it: the terminate came before the call was known. */
  readonly earlyTerminate?: TerminateFacts | null
  /** The same for its command alone: the first turn resumes it, while a forward may have to wait. */
  readonly isCommandResumed: boolean
  /** Set where this process itself has begun the forward that the row shows as under way. */
  readonly isForwardedHere?: boolean
  /** True once, in the incarnation that began the call: a later owner cannot know whether it was placed. */
  readonly mayPlace: boolean
  /** The process is draining: passivate as soon as nothing is pending. */
  readonly isDraining: boolean
  /** The provider has told this owner that the call is over: no further update or outcome is expected. */
  readonly isTerminated: boolean
}

/** Durations are in milliseconds. */
export interface CallTiming {
  readonly ringTimeoutMs: number
  readonly callTimeoutMs: number
  readonly reforwardOnCrash: boolean
}

/** The inputs of one turn, besides the state and the message. */
export interface StepContext {
  readonly at: Date
  readonly replyTo: ReplyTo | undefined
  readonly timing: CallTiming
}
