// Invitations: a link that is shown once and lets one person into one workspace. Whoever has it has proved nothing
// about the address it names, so an account that there is already is let in by its own password alone.
import type { Author } from '../contract/administration.ts'
import type { InvitationRecord } from '../contract/records/console.ts'
import type { InvitationId, OperatorId, WorkspaceId } from '../shared/ids.ts'
import type { Role } from './roles.ts'

export const invitationLimits = {
  lifetimeDays: 7,
  /** Those that are open, expired ones included. */
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
  /** Whoever invites has just stopped being an owner. */
  | { readonly type: 'notOwner' }

/** What the person who was invited gets to see. */
export interface OpenInvitation {
  readonly workspaceId: WorkspaceId
  readonly workspace: string
  readonly email: string
  readonly role: Role
  readonly invitedBy: string
  readonly expiresAt: Date
  readonly hasAccount: boolean
}

/** As whom the invitation is accepted: an account that there is, or one that comes into being with it. */
export type Invitee =
  | { readonly operatorId: OperatorId }
  | { readonly name: string; readonly passwordHash: string }

export type Acceptance =
  | { readonly type: 'accepted'; readonly operatorId: OperatorId; readonly workspaceId: WorkspaceId }
  | { readonly type: 'notFound' }
  /** Since it was looked at, its address has got an account. */
  | { readonly type: 'taken' }

export interface Invitations {
  list(workspaceId: WorkspaceId): Promise<InvitationRecord[]>
  /** Takes the place of an open one to the same address. */
  invite(author: Author, invitation: NewInvitation): Promise<Invited>
  /** False where it is not open any more. */
  revoke(author: Author, id: InvitationId): Promise<boolean>
  /** Undefined for one that is unknown, used, revoked or expired. */
  find(tokenHash: Buffer): Promise<OpenInvitation | undefined>
  /** Of two who accept one, on any nodes, one is let in. */
  accept(tokenHash: Buffer, invitee: Invitee, ip: string): Promise<Acceptance>
}
