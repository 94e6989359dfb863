// Invitations: a link that is shown once and admits one person to one workspace. The link proves nothing
// about the e-mail address in the invitation, so an existing account is admitted only with its own password.
import type { Author } from '../contract/administration.ts'
import type { InvitationRecord } from '../contract/records/console.ts'
import type { InvitationId, OperatorId, WorkspaceId } from '../shared/ids.ts'
import type { Proven, Whence } from './operator.ts'
import type { Role } from './roles.ts'

export const invitationLimits = {
  lifetimeDays: 7,
  /** Open invitations, expired ones included. */
  perWorkspace: 100,
} as const

export interface NewInvitation {
  readonly id: InvitationId
  readonly email: string
  readonly role: Role
  readonly tokenHash: Buffer
}

export type Invited =
  | { readonly type: 'invited'; readonly invitation: InvitationRecord }
  | { readonly type: 'isMember' }
  | { readonly type: 'full' }
  /** The author is not an owner any more. */
  | { readonly type: 'notOwner' }

/** What the invited person sees. Not whether the address has an account: the inviter has the link, too. */
export interface OpenInvitation {
  readonly workspaceId: WorkspaceId
  readonly workspace: string
  readonly email: string
  readonly role: Role
  readonly invitedBy: string
  readonly expiresAt: Date
}

/** Who accepts the invitation: an existing account, or a new account that is created with the acceptance. */
export type Invitee = Proven | { readonly name: string; readonly passwordHash: string }

export type Acceptance =
  | { readonly type: 'accepted'; readonly operatorId: OperatorId; readonly workspaceId: WorkspaceId }
  | { readonly type: 'notFound' }
  /** The address has an account. */
  | { readonly type: 'taken' }
  /** What the operator proved has changed. */
  | { readonly type: 'changed' }

export interface Invitations {
  list(workspaceId: WorkspaceId): Promise<InvitationRecord[]>
  /** Replaces an open invitation to the same address. */
  invite(author: Author, invitation: NewInvitation): Promise<Invited>
  /** False where the invitation is not open any more. */
  revoke(author: Author, id: InvitationId): Promise<boolean>
  /** Undefined where the invitation is unknown, used, revoked or expired. */
  find(tokenHash: Buffer): Promise<OpenInvitation | undefined>
  /** When two requests accept one invitation, on any nodes, only one succeeds. */
  accept(tokenHash: Buffer, invitee: Invitee, from: Whence): Promise<Acceptance>
}
