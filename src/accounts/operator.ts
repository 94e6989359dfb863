// Types of operators, their sessions and memberships, and the ports that store them.
import type { Author } from '../contract/administration.ts'
import type { MemberRecord } from '../contract/records/console.ts'
import type { OperatorId, SessionId, WorkspaceId } from '../shared/ids.ts'
import type { Role } from './roles.ts'
import type { Barrier, SessionFacts, SessionRules } from './session-rules.ts'

export interface OperatorCredentials {
  readonly id: OperatorId
  readonly email: string
  readonly name: string
  readonly passwordHash: string
  /** Sealed; null without a second factor. */
  readonly totpSeed: Buffer | null
  /** Another with each new second factor, and when it is turned off. */
  readonly totpGeneration: number
  /** May not sign in anywhere. */
  readonly isDisabled: boolean
}

/** The credentials with which an operator was proven. They may be others when something is made of the proof. */
export interface Proven {
  readonly operatorId: OperatorId
  readonly passwordHash: string
  readonly hasTotp: boolean
  readonly totpGeneration: number
}

/** Where an account comes from, and whether its address is known to belong to the person who uses it. */
export interface OperatorOrigin {
  readonly id: OperatorId
  readonly createdAt: Date
  readonly verifiedAt: Date | null
  /** Null for an account of the operator command. */
  readonly invitedTo: { readonly id: WorkspaceId; readonly name: string } | null
  /** Null also after the inviter's account is gone. */
  readonly invitedBy: { readonly name: string; readonly email: string } | null
}

/** Turning the second factor on: what was offered in which session. */
export interface Enrolment {
  readonly recoveryHashes: readonly Buffer[]
  /** The only session of the operator that goes on. */
  readonly sessionId: SessionId
  /** The sealed seed that this session was shown. */
  readonly offer: Buffer
}

/** The operator whose credentials change, and the operator who changes them: null is the command line. */
export interface CredentialChange {
  readonly operatorId: OperatorId
  readonly by: OperatorId | null
  readonly ip: string | null
  readonly userAgent?: string | null | undefined
}

export interface OperatorDirectory {
  findByEmail(email: string): Promise<OperatorCredentials | undefined>
  find(id: OperatorId): Promise<OperatorCredentials | undefined>
  /**
   * Also ends every session, so that anyone who knew the old password is signed out. False where what the operator
   * proved has changed; without `proven`, whoever runs the installation decides.
   */
  setPassword(change: CredentialChange, passwordHash: string, proven?: Proven): Promise<boolean>
  /**
   * Ends every session and lets the operator sign in nowhere, or lets the operator in again. Memberships stay. False
   * where nothing changes.
   */
  setDisabled(change: CredentialChange, isDisabled: boolean): Promise<boolean>
  /** Also takes the recovery codes away. `proven` and the answer are those of `setPassword`. */
  removeTotp(change: CredentialChange, proven?: Proven): Promise<boolean>
  /**
   * Stores the seed and the recovery codes, and ends every other session: whoever is in one of them never gave a code.
   * False where the session has no such offer any more.
   */
  enrolTotp(change: CredentialChange, seed: Buffer, enrolment: Enrolment): Promise<boolean>
  /** Replaces all recovery codes. False where what the operator proved has changed. */
  setRecoveryCodes(change: CredentialChange, hashes: readonly Buffer[], proven: Proven): Promise<boolean>
  /**
   * Returns how many codes are left; undefined where the code does not exist. When one code is used twice at
   * once, on any nodes, only one use succeeds.
   */
  useRecoveryCode(change: CredentialChange, hash: Buffer): Promise<number | undefined>
  /** When two sign-ins use the same code, on any nodes, only one gets true. */
  advanceTotp(id: OperatorId, from: Buffer, to: Buffer): Promise<boolean>
}

export interface SignedIn extends SessionFacts {
  readonly operatorId: OperatorId
  readonly email: string
  readonly name: string
  readonly platformOwner: boolean
  readonly verified: boolean
  readonly recoveryCodesLeft: number
  readonly sessionId: SessionId
  /** The password was given in this session within the last ten minutes. */
  readonly isProven: boolean
}

export interface OpenSession {
  readonly id: SessionId
  readonly ip: string | null
  readonly userAgent: string | null
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly expiresAt: Date
}

export interface Membership extends SessionRules {
  readonly workspaceId: WorkspaceId
  readonly name: string
  readonly status: 'ACTIVE' | 'SUSPENDED'
  readonly role: Role
  /** When a second factor is or will be required. */
  readonly secondFactorFrom: Date | null
}

export interface NewSession {
  readonly tokenHash: Buffer
  readonly proven: Proven
  readonly ip: string
  readonly userAgent: string | null
  /** The session that this sign-in replaces, where the browser still had one. */
  readonly replaces: Buffer | undefined
}

/** Where a request comes from, as the audit records it. */
export type Whence = Pick<Author, 'ip' | 'userAgent'>

export interface Sessions {
  /** False where what was proven has changed. */
  open(session: NewSession): Promise<boolean>
  /** A use also extends the session, up to its total lifetime. */
  find(tokenHash: Buffer, by: { readonly isUse: boolean }): Promise<SignedIn | undefined>
  /** Ends the session of a browser that signs out. */
  end(tokenHash: Buffer, from: Whence): Promise<void>
  /** The open sessions of the operator, the last used first. */
  list(operatorId: OperatorId): Promise<OpenSession[]>
  /** False where the operator has no such session. */
  endOne(change: CredentialChange, id: SessionId): Promise<boolean>
  /** Ends every session of the operator except `kept`. Returns how many it ended. */
  endOthers(change: CredentialChange, kept: SessionId): Promise<number>
  /**
   * For many sessions at once, in the given order: whether each is still open, whether its operator is still a member
   * of the workspace, and what keeps the session out of it.
   */
  standings(
    of: readonly { readonly sessionHash: Buffer; readonly workspaceId: WorkspaceId }[],
  ): Promise<readonly Standing[]>
  /** Keeps a sealed seed that is shown in this session; it replaces an earlier one. */
  offerTotp(id: SessionId, sealed: Buffer): Promise<void>
  offeredTotp(id: SessionId): Promise<Buffer | undefined>
  /** Records that the password was given again. */
  prove(tokenHash: Buffer, from: Whence): Promise<void>
  memberships(operatorId: OperatorId): Promise<Membership[]>
  membership(
    operatorId: OperatorId,
    workspaceId: WorkspaceId,
  ): Promise<(Pick<Membership, 'role' | 'status'> & SessionRules) | undefined>
  /** Undefined where there is no such workspace. */
  rulesOf(workspaceId: WorkspaceId): Promise<SessionRules | undefined>
}

export interface Standing {
  readonly isSignedIn: boolean
  readonly isMember: boolean
  readonly barrier: Barrier | null
}

export type MemberChange =
  | { readonly type: 'changed'; readonly operatorId: OperatorId }
  /** There is no such operator, or the operator is not a member. */
  | { readonly type: 'notFound' }
  /** A workspace must keep an owner, or its members could never be changed again. */
  | { readonly type: 'lastOwner' }

/** The command line writes without a session: then the operator and the address are null. */
export type MemberAuthor = Pick<Author, 'workspaceId' | 'userAgent'> & {
  readonly [Key in 'operatorId' | 'ip']: Author[Key] | null
}

export interface Members {
  list(workspaceId: WorkspaceId): Promise<MemberRecord[]>
  /** Adds the operator with that e-mail, or changes the role. For the command line only. */
  grant(author: MemberAuthor, email: string, role: Role): Promise<MemberChange>
  /** Changes the role of an existing member. */
  change(author: Author, operatorId: OperatorId, role: Role): Promise<MemberChange>
  remove(author: Author, operatorId: OperatorId): Promise<MemberChange>
  /** False where there is no such workspace. */
  setStatus(author: Author, status: 'ACTIVE' | 'SUSPENDED'): Promise<boolean>
}
