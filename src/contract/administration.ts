// What operators do with keys, endpoints, numbers and deliveries: the port between the console and the
// stores. Every change writes its audit row in the same transaction.
import type {
  DeliveryId,
  EndpointId,
  EventId,
  IdKind,
  KeyId,
  NumberId,
  OperatorId,
  WorkspaceId,
} from '../shared/ids.ts'
import type { EventKind } from './events.ts'
import type { OneOf } from './filters.ts'
import type { Page, PageRequest } from './page.ts'
import type { NumberRecord } from './records/catalog.ts'
import type {
  AuditRecord,
  DeliveryDetail,
  DeliveryRecord,
  EndpointRecord,
  KeyRecord,
  WorkspaceRecord,
} from './records/console.ts'
import type { DeliveryState } from './records/delivery.ts'
import type { EndpointHealth, EndpointHour } from './records/overview.ts'
import type { Scope } from './scopes.ts'

/** The operator who makes a change, the workspace, and the operator's IP address and browser. */
export interface Author {
  readonly workspaceId: WorkspaceId
  readonly operatorId: OperatorId
  readonly ip: string
  /** The `User-Agent` header; what is longer than 300 characters is cut off. */
  readonly userAgent?: string | null | undefined
}

/** The API key that downloads something, and where the request comes from. */
export interface KeyAuthor {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  readonly ip: string
  readonly userAgent?: string | null | undefined
}

/** Where an account event comes from: a sign-in that is refused has no operator. */
export interface AccountAuthor {
  readonly operatorId: OperatorId | null
  readonly ip: string | null
  readonly userAgent?: string | null | undefined
}

/** An audit entry for a change that other code makes, without knowing the operator. */
export interface AuditNote {
  readonly action: string
  readonly subjectKind: IdKind
  /** Null where nothing of ours is meant, such as by a sign-in with an address that has no account. */
  readonly subjectId: string | null
  readonly before?: unknown
  readonly after?: unknown
}

export interface AuditFilter {
  /** `key.created`, or `key` for every action on keys. */
  readonly action?: string | undefined
  readonly operatorId?: OperatorId | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

/** The audit of a workspace. */
export interface WorkspaceAuditFilter extends AuditFilter {
  /** Without these actions. */
  readonly hidden?: readonly string[] | undefined
}

export interface AuditLog {
  /** Call it after the change. After a crash in between, a repeat of the request writes the entry. */
  note(author: Author, note: AuditNote): Promise<void>
  /** The same, for an action that happens to its subject only once: a second entry is not written. */
  noteOnce(author: Author, note: AuditNote): Promise<void>
  /** The same, for what an operator repeats while reading: at most one entry an hour for each subject. */
  noteHourly(author: Author, note: AuditNote): Promise<void>
  /** What a key downloads: at most one entry an hour for each key and subject. */
  noteOfKey(author: KeyAuthor, note: AuditNote): Promise<void>
  /** An event of an account. The workspaces of its operator get an entry of their own for some: member-events.ts. */
  noteAccount(author: AccountAuthor, note: AuditNote): Promise<void>
  list(workspaceId: WorkspaceId, filter: WorkspaceAuditFilter, page: PageRequest): Promise<Page<AuditRecord>>
  find(workspaceId: WorkspaceId, id: string, hidden: readonly string[]): Promise<AuditRecord | undefined>
  /**
   * Events of accounts, which belong to no workspace: sign-ins, sessions, passwords and second factors.
   * `filter.operatorId` is the account; without it, the events of all accounts and of unknown addresses.
   */
  listAccounts(filter: AuditFilter, page: PageRequest): Promise<Page<AuditRecord>>
}

export interface WorkspacePatch {
  readonly name?: string | undefined
  /** Days that texts and files are kept; null: without an end. */
  readonly contentDays?: number | null | undefined
  readonly secondFactor?: SecondFactorPatch | undefined
  /** Minutes after a sign-in; null: as long as a session lives. */
  readonly sessionMinutes?: number | null | undefined
  /** Minutes without use; null: as long as a session lives. */
  readonly idleMinutes?: number | null | undefined
}

/** `graceDays`: for how long members without a second factor are still let in. */
export type SecondFactorPatch =
  | { readonly required: true; readonly graceDays: number }
  | { readonly required: false }

export interface WorkspaceAdministration {
  find(id: WorkspaceId): Promise<WorkspaceRecord | undefined>
  edit(author: Author, patch: WorkspacePatch): Promise<WorkspaceRecord | undefined>
}

export interface NewKey {
  readonly id: KeyId
  readonly name: string
  readonly prefix: string
  readonly secretHash: Uint8Array
  readonly scopes: readonly Scope[]
  readonly requestsPerSecond: number
  /** Addresses and ranges in CIDR notation that may use the key; empty: all. */
  readonly allowedIps: readonly string[]
  readonly expiresAt: Date | null
}

export interface KeyPatch {
  readonly name?: string | undefined
  readonly scopes?: readonly Scope[] | undefined
  readonly requestsPerSecond?: number | undefined
  readonly allowedIps?: readonly string[] | undefined
}

export type KeyChange =
  | { readonly type: 'changed'; readonly key: KeyRecord }
  | { readonly type: 'notFound' }
  | { readonly type: 'revoked' }

export interface KeyAdministration {
  list(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<KeyRecord>>
  create(author: Author, key: NewKey): Promise<KeyRecord>
  edit(author: Author, id: KeyId, patch: KeyPatch): Promise<KeyChange>
  /** Revoking again changes nothing: the time of the first revocation stays. */
  revoke(author: Author, id: KeyId): Promise<KeyChange>
}

export interface NewEndpoint {
  readonly id: EndpointId
  readonly name: string
  readonly url: string
  readonly events: readonly EventKind[]
  /** Sealed by the SecretBox. */
  readonly secret: Buffer
}

export interface EndpointPatch {
  readonly name?: string | undefined
  readonly url?: string | undefined
  readonly events?: readonly EventKind[] | undefined
}

export interface Rotation {
  /** Sealed by the SecretBox. */
  readonly secret: Buffer
  /** Until when the previous secret stays valid beside the new one; null: it ends at once. */
  readonly previousUntil: Date | null
}

export type EndpointChange =
  | { readonly type: 'changed'; readonly endpoint: EndpointRecord }
  | { readonly type: 'notFound' }
  /** A number needs what this change would remove. The message names the number. */
  | { readonly type: 'inUse'; readonly message: string }

export interface EndpointAdministration {
  list(workspaceId: WorkspaceId): Promise<EndpointRecord[]>
  find(workspaceId: WorkspaceId, id: EndpointId): Promise<EndpointRecord | undefined>
  create(author: Author, endpoint: NewEndpoint): Promise<EndpointChange | { readonly type: 'full' }>
  edit(author: Author, id: EndpointId, patch: EndpointPatch): Promise<EndpointChange>
  rotate(author: Author, id: EndpointId, rotation: Rotation): Promise<EndpointChange>
  /** Resets the counter of failures. HELD deliveries stay HELD. */
  enable(author: Author, id: EndpointId): Promise<EndpointChange>
  disable(author: Author, id: EndpointId): Promise<EndpointChange>
  remove(author: Author, id: EndpointId): Promise<EndpointChange>
}

export interface EndpointHealthReader {
  /** The last 24 hours, oldest first. */
  hours(workspaceId: WorkspaceId, id: EndpointId, until: Date): Promise<EndpointHour[]>
  /** The last attempts of the same time, newest first. */
  last(workspaceId: WorkspaceId, id: EndpointId, until: Date): Promise<EndpointHealth['last']>
}

export interface NumberPatch {
  /** Null removes the assignment, and also Forward, unless `forwardCalls` is set in the same patch. */
  readonly endpointId?: EndpointId | null | undefined
  readonly forwardCalls?: boolean | undefined
  readonly isDefault?: boolean | undefined
}

export type NumberChange =
  /** `endpointIds`: the endpoints of before and after, whose owners must learn of it. */
  | { readonly type: 'changed'; readonly number: NumberRecord; readonly endpointIds: readonly EndpointId[] }
  | { readonly type: 'notFound' }
  | { readonly type: 'endpointNotFound' }
  | { readonly type: 'refused'; readonly message: string }

export interface NumberAdministration {
  list(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<NumberRecord>>
  route(author: Author, id: NumberId, patch: NumberPatch): Promise<NumberChange>
}

export interface DeliveryFilter {
  readonly ids?: readonly DeliveryId[] | undefined
  readonly endpointId?: EndpointId | undefined
  readonly event?: EventKind | undefined
  readonly state?: OneOf<DeliveryState> | undefined
  /** The id of a conversation or call. */
  readonly key?: OneOf<string> | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

/** A delivery before it is known whom its event is about. */
export interface LoggedDelivery extends Omit<DeliveryRecord, 'subject'> {
  /** The conversation or call, and how the body of the event begins; null once it is past its retention. */
  readonly told: { readonly key: string; readonly beginning: string | null }
}

export interface LoggedDetail extends LoggedDelivery, Omit<DeliveryDetail, keyof DeliveryRecord> {}

export interface DeliveryLog {
  list(workspaceId: WorkspaceId, filter: DeliveryFilter, page: PageRequest): Promise<Page<LoggedDelivery>>
  find(workspaceId: WorkspaceId, id: DeliveryId): Promise<LoggedDetail | undefined>
}

export const replayableStates = [
  'DELIVERED',
  'FAILED',
  'HELD',
  'DISCARDED',
  'BLOCKED',
] as const satisfies readonly DeliveryState[]
export type ReplayableState = (typeof replayableStates)[number]

export type Replay =
  | { readonly type: 'replayed'; readonly endpointId: EndpointId }
  | { readonly type: 'notFound' }
  | { readonly type: 'refused'; readonly message: string }

export interface DeliverySelection {
  readonly states: readonly ReplayableState[]
  readonly since?: Date | undefined
}

/** What became of the deliveries that an operator has chosen one by one. */
export interface ChosenReplays {
  readonly replayed: readonly { readonly id: DeliveryId; readonly endpointId: EndpointId }[]
  readonly refused: readonly { readonly id: DeliveryId; readonly reason: RefusedReplay }[]
}

export type RefusedReplay =
  | 'NOT_FOUND'
  | 'ENDPOINT_DELETED'
  | 'ENDPOINT_OFF'
  | 'STILL_WAITING'
  | 'PAST_RETENTION'

export type BulkOutcome =
  | { readonly type: 'done'; readonly count: number }
  /** Another replay or discard of this endpoint is running. */
  | { readonly type: 'busy' }

export interface TestDelivery {
  readonly workspaceId: WorkspaceId
  readonly endpointId: EndpointId
  readonly eventId: EventId
  readonly kind: EventKind
  /** Used in place of the id of a conversation or call. */
  readonly key: string
  readonly body: Uint8Array
}

export interface DeliveryAdministration {
  replay(author: Author, id: DeliveryId): Promise<Replay>
  /** Makes the waiting retry of a delivery due now: its next attempt comes early, and no further one. */
  retry(author: Author, id: DeliveryId): Promise<Replay>
  /** Whether one of them is older than the address of its endpoint: it was never sent there. */
  predateAddress(workspaceId: WorkspaceId, ids: readonly DeliveryId[]): Promise<boolean>
  /** Each of them as `replay`, in one transaction. */
  replayChosen(author: Author, ids: readonly DeliveryId[]): Promise<ChosenReplays>
  replayMany(author: Author, endpointId: EndpointId, selection: DeliverySelection): Promise<BulkOutcome>
  discardHeld(author: Author, endpointId: EndpointId, since: Date | undefined): Promise<BulkOutcome>
  count(workspaceId: WorkspaceId, endpointId: EndpointId, selection: DeliverySelection): Promise<number>
  /** For an endpoint that was switched off or deleted: none of its deliveries waits afterwards. */
  close(endpointId: EndpointId, to: 'HELD' | 'DISCARDED'): Promise<void>
  /** A delivery to this endpoint only, with the same rows as any other; null if the endpoint is off. */
  insertTest(test: TestDelivery): Promise<DeliveryId | null>
}
