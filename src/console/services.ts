// Everything the console's routes act on; the wiring provides it.
import type { Invitations } from '../auth/invitation.ts'
import type { KeyEnvironment } from '../auth/key-format.ts'
import type { Members, OperatorDirectory, Sessions } from '../auth/operator.ts'
import type { PasswordHasher } from '../auth/password.ts'
import type { SecretBox } from '../auth/secret-box.ts'
import type { CallAction } from '../calls/commands.ts'
import type { UnknownChoice } from '../campaigns/settle-unknown.ts'
import type {
  AuditLog,
  DeliveryAdministration,
  DeliveryLog,
  EndpointAdministration,
  EndpointHealthReader,
  KeyAdministration,
  NumberAdministration,
  WorkspaceAdministration,
} from '../contract/administration.ts'
import type { Sender } from '../contract/caller.ts'
import type { DirectEventKind } from '../contract/events.ts'
import type { CallRecord } from '../contract/records/call.ts'
import type { MessagePreview } from '../contract/records/message.ts'
import type { ReadMarks } from '../conversations/mark-read.ts'
import type { FindAttachment } from '../messages/find-attachment.ts'
import type { PreviewInput } from '../messages/preview-message.ts'
import type { SendInput, Sent } from '../messages/send-message.ts'
import type { UploadMedia } from '../messages/upload-media.ts'
import type { Clock } from '../shared/clock.ts'
import type { CallId, CampaignId, EndpointId, WorkspaceId } from '../shared/ids.ts'
import type { TargetPolicy } from '../webhooks/address-rule.ts'
import type { ReadOverview } from './overview.ts'
import type { ConsoleReads, TemplateSubmissions } from './reads.ts'
import type { SignInLimit } from './sign-in-limit.ts'

export interface ConsoleServices {
  readonly settings: ConsoleSettings
  readonly clock: Clock
  readonly passwords: PasswordHasher
  readonly secrets: SecretBox
  readonly operators: OperatorDirectory
  readonly sessions: Sessions
  readonly members: Members
  readonly invitations: Invitations
  readonly workspace: WorkspaceAdministration
  readonly signInLimit: SignInLimit
  readonly keys: KeyAdministration
  readonly endpoints: EndpointAdministration
  readonly numbers: NumberAdministration
  readonly deliveryLog: DeliveryLog
  readonly deliveries: DeliveryAdministration
  readonly audit: AuditLog
  readonly reads: ConsoleReads
  readonly templates: TemplateSubmissions
  readonly names: EndpointNames
  readonly engine: DeliveryEngine
  readonly direct: DirectTest
  readonly unknown: UnknownRecipients
  readonly acting: Acting
  readonly overview: ReadOverview
  readonly health: EndpointHealthReader
}

/** What reaches customers: the very services behind the public API. */
export interface Acting {
  send(sender: Sender, input: SendInput): Promise<Sent>
  preview(sender: Pick<Sender, 'workspaceId'>, input: PreviewInput): Promise<MessagePreview>
  /** A file for the header of a template. */
  readonly upload: UploadMedia
  readonly media: FindAttachment
  readonly reading: ReadMarks
  act(workspaceId: WorkspaceId, id: CallId, action: CallAction): Promise<CallRecord>
}

/** Recipients whose outcome nobody knows, and an operator decides. */
export interface UnknownRecipients {
  resendUnknown(workspaceId: WorkspaceId, id: CampaignId, choice: UnknownChoice): Promise<{ count: number }>
  assumeSent(workspaceId: WorkspaceId, id: CampaignId, choice: UnknownChoice): Promise<{ count: number }>
}

export interface ConsoleSettings {
  /** How browsers reach the console, where that is known. */
  readonly publicUrl: string | undefined
  readonly production: boolean
  readonly targets: TargetPolicy
  readonly keyEnvironment: KeyEnvironment
  readonly retentionDays: number
}

/** The host part of an endpoint's address, asked of the resolver. */
export interface EndpointNames {
  judgeHost(host: string): Promise<HostVerdict>
}

export type HostVerdict =
  | { readonly type: 'ok' }
  /** It does not exist, or leads to an address that is not public; the reason is for a person. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The resolver gives no answer at all. */
  | { readonly type: 'unresolvable' }

/** Hints to the owners of endpoints, after the commit. Losing one costs a moment: owners look for themselves. */
export interface DeliveryEngine {
  configChanged(endpointId: EndpointId): void
  wake(endpointIds: readonly EndpointId[]): void
}

/** Sends a direct event that stands in no log, and says what came of it. */
export interface DirectTest {
  send(event: {
    readonly endpointId: EndpointId
    readonly workspaceId: WorkspaceId
    readonly kind: DirectEventKind
    readonly body: Uint8Array
  }): Promise<
    | { readonly type: 'delivered' }
    | { readonly type: 'failed'; readonly code: string; readonly message: string }
  >
}
