// What the calls domain needs of the world; the wiring provides it.
import type { Claim } from '../actors/ownership.ts'
import type { CallPermissionDetails } from '../contract/events.ts'
import type { CallId, ConversationId, EndpointId, KeyId, NumberId, Uuid, WorkspaceId } from '../shared/ids.ts'
import type {
  CallMessage,
  CallReply,
  ForwardOutcome,
  KeptSession,
  Note,
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
  readonly waId: string
}

export interface Contacts {
  findNumber(phoneNumberId: string): Promise<CallNumber | undefined>
  resolveParties(from: {
    readonly phoneNumberId: string
    readonly waId: string
    readonly name: string | null
  }): Promise<CallParties | undefined>
}

/** A call's first row, its first `call.status` and its first notes. */
export interface Beginning {
  readonly row: CallRow
  readonly body: string
  readonly notes: readonly Note[]
}

export interface InboundCall {
  readonly ringing: Beginning
  /** `wake_at` of a call that is being forwarded. */
  readonly forwardCheckAt: Date
}

/** What a terminate said of a call that was not known yet. */
export interface ForetoldEnd extends TerminateFacts {
  /** When it came in. */
  readonly toldAt: Date
}

export interface Tombstone extends TerminateFacts {
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
  /** The clock before its statement: how fresh the ownership is that came with the row. */
  readonly asked: { readonly mono: number; readonly wall: number }
  /** The directory's answer, where it was asked beside the statement. */
  readonly claimed?: Promise<Claim>
}

export type Begun =
  | BegunCall
  /** The provider repeats itself, or another update made it first. */
  | { readonly type: 'exists' }
  /** It has ended already: its tombstone says how. Nothing was written. */
  | { readonly type: 'entombed' }

export interface Dialled extends CallParties {
  readonly contactName: string | null
  /** Null: the contact has never said anything about calls. */
  readonly callPermission: CallPermissionDetails | null
}

/** The rows of calls. What begins is durable, and its deliveries are handed over, when the promise resolves. */
export interface CallLedger {
  beginInbound(call: InboundCall): Promise<Begun>
  /** A call that had ended before we heard of it: its row and its one event, and nobody to own it. */
  recordEnded(call: Beginning): Promise<Begun>
  beginOutbound(call: Beginning, apiKeyId: KeyId | null): Promise<Begun>
  dialled(workspaceId: WorkspaceId, id: ConversationId): Promise<Dialled | undefined>
  find(workspaceId: WorkspaceId, id: CallId): Promise<CallRow | undefined>
  findByWacid(wacid: string): Promise<CallId | undefined>
  findPlaced(
    id: CallId,
    update: { readonly wacid: string; readonly phoneNumberId: string },
  ): Promise<CallId | undefined>
  addTombstone(tombstone: Tombstone): Promise<void>
  tombstoneOf(wacid: string): Promise<ForetoldEnd | undefined>
  /** The same a moment later, with others: for a look that follows every call and that nobody waits for. */
  tombstoneSoon(wacid: string): Promise<ForetoldEnd | undefined>
}

/** The owners of calls, wherever they are. */
export interface CallOwners {
  /**
   * Takes in a call that this process has just begun, at once; `first` is told to it where there is something to tell.
   * Resolves when a successor has what it needs. Never rejects.
   */
  adopt(call: BegunCall, first?: CallMessage): Promise<void>
  /** Throws AppError UNAVAILABLE or OVERLOADED where no owner answers in time: the outcome is unknown then. */
  ask(id: CallId, message: CallMessage, deadlineMs: number): Promise<CallReply>
}

/** Direct delivery: one attempt, no row (specification, Ringing and accepted calls). */
export interface DirectSender {
  send(event: {
    readonly endpointId: EndpointId
    readonly workspaceId: WorkspaceId
    readonly kind: 'call.ringing' | 'call.accepted'
    readonly body: Uint8Array
    readonly headers?: Readonly<Record<string, string>>
  }): Promise<
    { readonly type: 'delivered' } | Omit<Extract<ForwardOutcome, { type: 'failed' }>, 'endpointId'>
  >
}

/** SDP for the owner that takes over. Every method may fail: the call goes on without. */
export interface CallSessions {
  keep(id: string, epoch: number, kept: KeptSession): Promise<void>
  drop(id: string, epoch: number): Promise<void>
  read(id: string): Promise<KeptSession>
}

export interface CallClock {
  now(): number
}

export interface CallLog {
  info(fields: object, event: string): void
  warn(fields: object, event: string): void
}
