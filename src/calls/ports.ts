// The ports of calls. gateway/ or calls.module.ts provides them.

import type { Stopped } from '../contract/account-health.ts'
import type { StoredPermission } from '../contract/call-permission.ts'
import type { WrittenDelivery } from '../contract/dispatch.ts'
import type { SessionDescription } from '../contract/events.ts'
import type { Person } from '../contract/person.ts'
import type { EarlierRequest, RequestKey } from '../contract/request-key.ts'
import type { Claim } from '../platform/actors/ownership.ts'
import type { CallId, ConversationId, EndpointId, KeyId, NumberId, Uuid, WorkspaceId } from '../shared/ids.ts'
import type {
  CallMessage,
  CallReply,
  ForwardOutcome,
  Note,
  SavedSdp,
  TerminateFacts,
} from './call.messages.ts'
import type { CallRow } from './call.ts'

export interface CallNumber {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  /** E.164 with a plus. */
  readonly number: string
  readonly phoneNumberId: string
}

export interface CallParties extends CallNumber {
  readonly contactId: Uuid
  readonly conversationId: ConversationId
  /** Digits, or a user id where the number is not known. */
  readonly address: string
  readonly userId: string | null
  readonly username: string | null
}

export interface Contacts {
  findNumber(phoneNumberId: string): Promise<CallNumber | undefined>
  resolveParties(from: {
    readonly phoneNumberId: string
    readonly person: Person
    readonly at: Date
    /** Asks the database: remembered ids may be those of a contact that was erased or merged since. */
    readonly isFresh?: boolean
  }): Promise<CallParties | undefined>
  /** Learns that all addresses of the person are of one, where one of them is known. */
  learn(
    workspaceId: WorkspaceId,
    claim: {
      readonly person: Person
      readonly also: readonly string[]
      readonly at: Date
      readonly proof: 'element'
    },
  ): Promise<void>
}

/** A call's first row, its first `call.status` and its first notes. */
export interface Beginning {
  readonly row: CallRow
  readonly body: string
  readonly notes: readonly Note[]
}

export interface InboundCall {
  readonly ringing: Beginning
  /** When the customer called, by the provider's clock: it opens the 24 hours. */
  readonly calledAt: Date
  /** `wake_at` of a call that is being forwarded. */
  readonly forwardCheckAt: Date
  readonly session: SessionDescription | null
}

/** The content of a terminate webhook that arrived before its connect. */
export interface EarlyTerminate extends TerminateFacts {
  /** When the terminate arrived. */
  readonly toldAt: Date
  /** When the call ended, by the provider's clock. */
  readonly endedAt: Date
}

export interface NewEarlyTerminate extends TerminateFacts {
  readonly wacid: string
  readonly workspaceId: WorkspaceId
  /** When the call ended, by the provider's clock. */
  readonly at: Date
}

export interface BegunCall {
  readonly type: 'begun'
  readonly row: CallRow
  readonly route: readonly EndpointId[]
  readonly epoch: number
  /** The clock before the statement: it tells how fresh the ownership is that was written with the row. */
  readonly asked: { readonly mono: number; readonly wall: number }
  /** The 24 hours are open. Otherwise they still have to be opened. */
  readonly isOpen: boolean
  /** The answer of the ownership directory, where it was asked while the statement ran. */
  readonly claimed?: Promise<Claim>
}

export type Begun =
  | BegunCall
  /** The provider repeated the update, or another update created the call first. */
  | { readonly type: 'exists' }
  /** An early terminate shows that the call has ended already. Nothing was written. */
  | { readonly type: 'endedBeforeStart' }
  /** The contact was erased or merged since its ids were read. Nothing was written. */
  | { readonly type: 'gone' }

export interface Dialled extends CallParties {
  readonly contactName: string | null
  /** Null: whether the contact permits calls is not known. */
  readonly callPermission: StoredPermission | null
  /** What the provider has stopped the account or the number from; null: placing calls is not stopped. */
  readonly stopped?: Stopped | null
}

/** The result of a statement that begins a call. */
export type BegunHere =
  | (Omit<BegunCall, 'asked'> & { readonly deliveries: readonly WrittenDelivery[] })
  | Exclude<Begun, BegunCall>

export interface PlacedBy {
  readonly apiKeyId: KeyId | null
  /** Null: a repeat of the request places another call. */
  readonly key: RequestKey | null
}

/** The statements that begin calls. Each writes the row, the event and the first owner. */
export interface CallBeginRows {
  inbound(call: InboundCall, sid: string): Promise<BegunHere>
  ended(call: Beginning): Promise<BegunHere>
  /** `exists`: a request with the same key was faster. `gone`: the contact was erased or merged. */
  outbound(call: Beginning, by: PlacedBy & { readonly sid: string }): Promise<BegunHere>
  earlier(workspaceId: WorkspaceId, key: string): Promise<EarlierRequest | undefined>
  dialled(workspaceId: WorkspaceId, id: ConversationId): Promise<Dialled | undefined>
}

/** The rows of calls, for updates and commands. */
export interface CallRows
  extends Pick<CallLedger, 'find' | 'findByWacid' | 'findPlaced' | 'addEarlyTerminate'> {
  earlyTerminatesOf(wacids: readonly string[]): Promise<ReadonlyMap<string, EarlyTerminate>>
  /** Remembers the id of a call that this process owns, so that its wacid is found without a query. */
  remember(wacid: string, id: CallId): void
}

/**
 * The rows of calls. When a promise of `begin...` or `recordEnded` resolves, the call is durable and its
 * deliveries are scheduled for dispatch.
 */
export interface CallLedger {
  beginInbound(call: InboundCall): Promise<Begun>
  /** Writes a call that ended before its connect was handled: its row and one event, without an owner. */
  recordEnded(call: Beginning): Promise<Begun>
  /** `exists`: a request with the same key was faster. `gone`: the contact was erased or merged. */
  beginOutbound(call: Beginning, by: PlacedBy): Promise<Begun>
  /** The call that the request with this Idempotency-Key has placed. */
  earlier(workspaceId: WorkspaceId, key: string): Promise<EarlierRequest | undefined>
  dialled(workspaceId: WorkspaceId, id: ConversationId): Promise<Dialled | undefined>
  find(workspaceId: WorkspaceId, id: CallId): Promise<CallRow | undefined>
  findByWacid(wacid: string): Promise<CallId | undefined>
  findPlaced(
    id: CallId,
    update: { readonly wacid: string; readonly phoneNumberId: string },
  ): Promise<CallId | undefined>
  addEarlyTerminate(tombstone: NewEarlyTerminate): Promise<void>
  earlyTerminateOf(wacid: string): Promise<EarlyTerminate | undefined>
  /** The same, batched and therefore later: for the check after each inbound call, which delays nothing. */
  earlyTerminateSoon(wacid: string): Promise<EarlyTerminate | undefined>
}

/** The owners of calls, on this node or another. */
export interface CallOwners {
  /** True: this process takes no calls in any more. One that begins all the same is as one that `adopt` refuses. */
  isLeaving(): boolean
  /** Of a call that lives in this process. */
  workspaceOf(id: CallId): WorkspaceId | undefined
  /**
   * Takes in, at once, a call that this process has just begun; `first` is its first message, if there is
   * one. Resolves when the SDP for a later owner is saved or could not be saved. Never rejects. False: this
   * process took it in no more; then another got the first message, and without one the call has ended.
   */
  adopt(call: BegunCall, first?: CallMessage): Promise<boolean>
  /**
   * Throws AppError NOT_FOUND, OVERLOADED, or UNAVAILABLE where no owner answers in time: the outcome is
   * unknown then.
   */
  ask(id: CallId, message: CallMessage, deadlineMs: number): Promise<CallReply>
}

/** Direct delivery: one attempt, and no delivery row. */
export interface DirectSender {
  send(event: {
    readonly endpointId: EndpointId
    readonly workspaceId: WorkspaceId
    readonly kind: 'call.ringing' | 'call.accepted'
    readonly body: string
    readonly headers?: Readonly<Record<string, string>>
  }): Promise<
    { readonly type: 'delivered' } | Omit<Extract<ForwardOutcome, { type: 'failed' }>, 'endpointId'>
  >
}

/** The offers of calls that are about to begin. Neither fails: a call rings without a saved offer, too. */
export interface CallOffers {
  /** Whoever takes the call in can wait for it. */
  keep(id: CallId, session: SessionDescription): void
  forget(id: CallId): void
}

/** The SDP for a later owner. Every method may fail; the call then continues without the saved SDP. */
export interface CallSessions {
  save(id: string, epoch: number, saved: SavedSdp): Promise<void>
  drop(id: string, epoch: number): Promise<void>
  read(id: string): Promise<SavedSdp>
}

export interface CallClock {
  now(): number
}
