// Operators, their sessions and memberships: what is known of them, and the ports that keep it.
import type { Author } from '../contract/administration.ts'
import type { MemberRecord } from '../contract/records/console.ts'
import type { OperatorId, WorkspaceId } from '../shared/ids.ts'
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
  setTotp(change: CredentialChange, seed: Buffer | null): Promise<void>
  /** Of two sign-ins with the same code, on any nodes, one gets true. */
  advanceTotp(id: OperatorId, from: Buffer, to: Buffer): Promise<boolean>
}

export interface SignedIn {
  readonly operatorId: OperatorId
  readonly email: string
  readonly name: string
  readonly platformOwner: boolean
  readonly hasTotp: boolean
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
  memberships(operatorId: OperatorId): Promise<Membership[]>
  membership(operatorId: OperatorId, workspaceId: WorkspaceId): Promise<Role | undefined>
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
  /** Adds the operator of that e-mail, or changes the role. */
  grant(author: MemberAuthor, email: string, role: Role): Promise<MemberChange>
  remove(author: Author, operatorId: OperatorId): Promise<MemberChange>
  /** False where there is no such workspace. */
  setStatus(author: Author, status: 'ACTIVE' | 'SUSPENDED'): Promise<boolean>
}
