// Operators, their sessions and memberships: what is known of them, and the ports that keep it.
import type { Author } from '../contract/administration.ts'
import type { MemberRecord } from '../contract/records/console.ts'
import type { OperatorId, SessionId, WorkspaceId } from '../shared/ids.ts'
import type { Role } from './roles.ts'

export interface OperatorCredentials {
  readonly id: OperatorId
  readonly email: string
  readonly name: string
  readonly passwordHash: string
  /** Sealed; null without a second factor. */
  readonly totpSeed: Buffer | null
}

/** Whose credentials change, and who changes them: null is the command line. */
export interface CredentialChange {
  readonly operatorId: OperatorId
  readonly by: OperatorId | null
  readonly ip: string | null
}

export interface OperatorDirectory {
  findByEmail(email: string): Promise<OperatorCredentials | undefined>
  find(id: OperatorId): Promise<OperatorCredentials | undefined>
  /** Ends every session: whoever knew the password before is out. */
  setPassword(change: CredentialChange, passwordHash: string): Promise<void>
  /** The recovery codes of before go with it. */
  setTotp(change: CredentialChange, seed: Buffer | null, recoveryHashes?: readonly Buffer[]): Promise<void>
  /** In place of all there were; false where there is no second factor to stand in for. */
  setRecoveryCodes(change: CredentialChange, hashes: readonly Buffer[]): Promise<boolean>
  /** Of two uses of one code, on any nodes, one gets how many are left; whoever gets undefined had no code. */
  useRecoveryCode(change: CredentialChange, hash: Buffer): Promise<number | undefined>
  /** Of two sign-ins with the same code, on any nodes, one gets true. */
  advanceTotp(id: OperatorId, from: Buffer, to: Buffer): Promise<boolean>
}

export interface SignedIn {
  readonly operatorId: OperatorId
  readonly email: string
  readonly name: string
  readonly platformOwner: boolean
  readonly hasTotp: boolean
  readonly recoveryCodesLeft: number
  readonly sessionId: SessionId
  /** The password was given in this session a short while ago. */
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

export interface Membership {
  readonly workspaceId: WorkspaceId
  readonly name: string
  readonly status: 'ACTIVE' | 'SUSPENDED'
  readonly role: Role
}

export interface NewSession {
  readonly tokenHash: Buffer
  readonly operatorId: OperatorId
  readonly ip: string
  readonly userAgent: string | null
  /** The session that this sign-in replaces, where the browser still had one. */
  readonly replaces: Buffer | undefined
}

export interface Sessions {
  open(session: NewSession): Promise<void>
  /** Using a session lengthens it, up to its total. */
  find(tokenHash: Buffer): Promise<SignedIn | undefined>
  end(tokenHash: Buffer): Promise<void>
  /** Those of an operator, the last used first. */
  list(operatorId: OperatorId): Promise<OpenSession[]>
  /** False where the operator has no such session. */
  endOne(change: CredentialChange, id: SessionId): Promise<boolean>
  /** Every session of the operator but one; answers with how many. */
  endOthers(change: CredentialChange, kept: SessionId): Promise<number>
  /** Of many sessions at once: whether each still stands, and whether its operator still belongs to the workspace. */
  standings(
    of: readonly { readonly sessionHash: Buffer; readonly workspaceId: WorkspaceId }[],
  ): Promise<readonly { readonly isSignedIn: boolean; readonly isMember: boolean }[]>
  /** The password was given again. */
  prove(tokenHash: Buffer): Promise<void>
  memberships(operatorId: OperatorId): Promise<Membership[]>
  membership(
    operatorId: OperatorId,
    workspaceId: WorkspaceId,
  ): Promise<Pick<Membership, 'role' | 'status'> | undefined>
}

export type MemberChange =
  | { readonly type: 'changed'; readonly operatorId: OperatorId }
  /** There is no such operator, or none who is a member. */
  | { readonly type: 'notFound' }
  /** A workspace keeps an owner, or nobody could ever change its members again. */
  | { readonly type: 'lastOwner' }

/** The command line writes without a session: then the operator and the address are null. */
export type MemberAuthor = Pick<Author, 'workspaceId'> & {
  readonly [Key in 'operatorId' | 'ip']: Author[Key] | null
}

export interface Members {
  list(workspaceId: WorkspaceId): Promise<MemberRecord[]>
  /** Adds the operator of that e-mail, or changes the role: for the command line, which knows who that is. */
  grant(author: MemberAuthor, email: string, role: Role): Promise<MemberChange>
  /** Of who is a member already. */
  change(author: Author, operatorId: OperatorId, role: Role): Promise<MemberChange>
  remove(author: Author, operatorId: OperatorId): Promise<MemberChange>
  /** False where there is no such workspace. */
  setStatus(author: Author, status: 'ACTIVE' | 'SUSPENDED'): Promise<boolean>
}
