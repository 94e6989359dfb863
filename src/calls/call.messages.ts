// The vocabulary of the call actor: what it is told, what it answers, what it commits and what it sets off.
import type { ReplyTo, RuntimeEffect } from '../actors/actor.ts'
import type { SessionDescription } from '../contract/events.ts'
import type { ProviderErrorClass } from '../contract/provider-errors.ts'
import type { CallStatus } from '../contract/records/call.ts'
import type { EndpointId, WorkspaceId } from '../shared/ids.ts'
import type { CallRow, PendingAction } from './call.ts'

export interface ProviderRefusal {
  readonly code: string
  readonly title: string
  readonly details: string | null
  readonly class: ProviderErrorClass
}

export type ProviderRequest = 'place' | 'preAccept' | 'accept' | 'reject' | 'terminate'

/** The outcome of a request to the provider. `unknown`: it may have had its effect. */
export type ProviderOutcome =
  | { readonly type: 'ok'; readonly wacid?: string }
  | { readonly type: 'refused' | 'unknown' | 'notSent'; readonly error: ProviderRefusal }

export type ForwardOutcome =
  | { readonly type: 'delivered' }
  | {
      readonly type: 'failed'
      readonly endpointId: EndpointId
      readonly code: string
      readonly message: string
    }

/** An SDP of the customer's server, with its SHA-256 in hex. */
export interface OwnSdp {
  readonly sdp: string
  readonly hash: string
}

export interface TerminateFacts {
  /** Null: never picked up. */
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
  | ({ readonly type: 'providerTerminate'; readonly wacid: string } & TerminateFacts)
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
  /** The SDP is where a successor finds it, or could not be brought there. */
  | { readonly type: 'sessionKept'; readonly replyTo: ReplyTo }
  /** From the timer, or from the reaper where the timer died with its process: do what is due. */
  | { readonly type: 'wake' }
  | { readonly type: 'drain' }

export type CallReply =
  | { readonly type: 'done' }
  | { readonly type: 'offer'; readonly session: SessionDescription }
  | { readonly type: 'offerUnavailable' }
  | { readonly type: 'ended' }
  | { readonly type: 'notRinging' }
  | { readonly type: 'alreadyAnswered' }
  /** Another command is under way, or the status does not allow this one. */
  | { readonly type: 'wrongState'; readonly status: CallStatus; readonly pending: PendingAction | null }
  | { readonly type: 'refused'; readonly error: ProviderRefusal }

/** What a new owner needs of the one before it. */
export interface KeptSession {
  /** The provider's SDP. */
  readonly session: SessionDescription | null
  /** The customer's, while the provider is being asked to take it. */
  readonly ownSdp: string | null
}

/** One row of the call's timeline; never SDP. */
export interface Note {
  readonly at: Date
  readonly kind: string
  readonly detail?: Readonly<Record<string, string | number | null>>
}

/** The row as it shall be, the `call.status` that goes with it, and what happened, in one statement. */
export interface Change {
  readonly row: CallRow
  readonly body: string | null
  readonly notes: readonly Note[]
}

/** Usually one; two where a terminate tells of an answer nobody had told us about. Committed together. */
export type CallTx = readonly Change[]

/** On behalf of `call`. */
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
      /** Null: nobody waits for it; it only makes the provider agree with us. */
      readonly actionId: string | null
      readonly wacid: string
    })
  | {
      readonly type: 'forward'
      readonly workspaceId: WorkspaceId
      readonly event: 'call.ringing' | 'call.accepted'
      readonly endpointIds: readonly EndpointId[]
      readonly body: string
      /** ISO time; only where it rings. */
      readonly answerBy: string | null
    }
  /**
   * The receiver has the event. Written soon, with others, and not by a turn of its own: should we die before, the
   * event is forwarded once more, as after any crash of a forwarder.
   */
  | {
      readonly type: 'noteForwarded'
      readonly workspaceId: WorkspaceId
      readonly wakeAt: Date | null
      readonly notes: readonly Note[]
    }
  | ({ readonly type: 'keepSession' } & KeptSession)
  | { readonly type: 'dropSession' }
  /** Answers with `sessionKept` when what `keepSession` began is over. */
  | { readonly type: 'replyOnceKept'; readonly to: ReplyTo }

export type CallOut = CallEffect | RuntimeEffect<CallMessage>

/** What only this incarnation knows of a pending action. */
export interface Command {
  readonly ownSdp: string | null
  readonly waiting: readonly ReplyTo[]
  readonly notes: readonly Note[]
  /** An earlier request of this command may have had its effect: then `already answered` means success. */
  readonly isRepeat: boolean
}

export interface CallState {
  readonly row: CallRow
  /** Who gets the direct events of this call. */
  readonly route: readonly EndpointId[]
  /** The provider's SDP, while it is of use: the offer of an inbound call, the answer to an outbound one. */
  readonly session: SessionDescription | null
  readonly command: Command | null
  /** False right after loading: the first turn looks for what the former owner left undone. */
  readonly isResumed: boolean
  /** Only in the incarnation that began the call, and once: no other can know whether it was placed. */
  readonly mayPlace: boolean
  /** The process is leaving: go as soon as nothing is under way. */
  readonly isDraining: boolean
}

/** All in milliseconds. */
export interface CallTiming {
  readonly ringTimeoutMs: number
  readonly callTimeoutMs: number
  readonly reforwardOnCrash: boolean
}

/** The world of one turn. */
export interface Turn {
  readonly at: Date
  readonly replyTo: ReplyTo | undefined
  readonly timing: CallTiming
}
