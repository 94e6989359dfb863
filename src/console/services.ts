// The services that the routes of the console call. console.module.ts provides them.
import type { Invitations } from '../accounts/invitation.ts'
import type { KeyEnvironment } from '../accounts/key-format.ts'
import type { KnownDevices } from '../accounts/known-device.ts'
import type { Members, OperatorDirectory, Sessions } from '../accounts/operator.ts'
import type { PasswordHasher } from '../accounts/password.ts'
import type { SecretBox } from '../accounts/secret-box.ts'
import type { CallAction } from '../calls/commands.ts'
import type { UnknownChoice } from '../campaigns/settle-unknown.ts'
import type {
  AuditLog,
  Author,
  DeliveryAdministration,
  EndpointAdministration,
  EndpointHealthReader,
  KeyAdministration,
  NumberAdministration,
  WorkspaceAdministration,
} from '../contract/administration.ts'
import type { Sender } from '../contract/caller.ts'
import type { DirectEventKind } from '../contract/events.ts'
import type { CallRecord } from '../contract/records/call.ts'
import type { CampaignPace } from '../contract/records/console.ts'
import type { MessagePreview } from '../contract/records/message.ts'
import type { TargetPolicy } from '../delivery/address-rule.ts'
import type { HostVerdict } from '../delivery/delivery.module.ts'
import type { SendInput } from '../messaging/check-send.ts'
import type { FindAttachment } from '../messaging/find-attachment.ts'
import type { ReadMarks } from '../messaging/mark-read.ts'
import type { PreviewInput } from '../messaging/preview-message.ts'
import type { Sent } from '../messaging/send-message.ts'
import type { StoreUpload } from '../messaging/store-upload.ts'
import type { TemplateSubmissions } from '../messaging/submit-template.ts'
import type { UploadMedia } from '../messaging/upload-media.ts'
import type { UploadSample } from '../messaging/upload-sample.ts'
import type { EnterDownload } from '../platform/http/upload-places.ts'
import type { InboundElements } from '../platform/postgres/inbound-elements.store.ts'
import type { Privacy } from '../privacy/privacy.module.ts'
import type { Clock } from '../shared/clock.ts'
import type { CallId, CampaignId, EndpointId, WorkspaceId } from '../shared/ids.ts'
import type { ExplainedLog } from './deliveries/explained-log.ts'
import type { ReadOverview } from './overview.ts'
import type { ConsoleReads } from './reads.ts'
import type { Search } from './search.ts'
import type { SignInLimit } from './sign-in-limit.ts'
import type { SignInRefusals } from './sign-in-refusals.ts'
import type { MessageLog } from './store/message-log.store.ts'
import type { SubjectNames } from './store/subject-names.store.ts'
import type { ThreadStore } from './store/threads.store.ts'

/** The services that read and write Postgres. */
export interface ConsoleRecords {
  readonly operators: OperatorDirectory
  readonly sessions: Sessions
  readonly members: Members
  readonly invitations: Invitations
  readonly workspace: WorkspaceAdministration
  readonly keys: KeyAdministration
  readonly endpoints: EndpointAdministration
  readonly numbers: NumberAdministration
  readonly deliveries: DeliveryAdministration
  readonly audit: AuditLog
  readonly reads: ConsoleReads
  readonly health: EndpointHealthReader
}

export interface ConsoleServices extends ConsoleRecords {
  readonly settings: ConsoleSettings
  readonly clock: Clock
  readonly passwords: PasswordHasher
  readonly secrets: SecretBox
  readonly signInLimit: SignInLimit
  readonly devices: KnownDevices
  /** Records sign-ins and confirmations that were refused. */
  readonly refusals: SignInRefusals
  readonly templates: TemplateSubmissions
  readonly uploadSample: UploadSample
  readonly names: EndpointNames
  readonly engine: DeliveryEngine
  readonly direct: DirectTest
  readonly unknown: UnknownRecipients
  /** What a running campaign may send now, and what limits it; null of any other. */
  readonly campaignPace: (workspaceId: WorkspaceId, id: CampaignId) => Promise<CampaignPace | null>
  readonly acting: Acting
  readonly privacy: Privacy
  /** What the provider told and nothing was made of. */
  readonly inbound: Pick<InboundElements, 'list' | 'find'>
  readonly overview: ReadOverview
  readonly search: Search
  /** What the log shows of messages besides their records. */
  readonly messageLog: MessageLog
  readonly subjectNames: SubjectNames
  /** What a thread has beside its messages and calls. */
  readonly threads: ThreadStore
  readonly deliveryLog: ExplainedLog
}

/** The actions that reach customers: the same services as behind the public API. */
export interface Acting {
  send(sender: Sender, input: SendInput): Promise<Sent>
  preview(sender: Pick<Sender, 'workspaceId'>, input: PreviewInput): Promise<MessagePreview>
  /** A file for the header of a template. */
  readonly upload: UploadMedia
  /** A file for a reply. */
  readonly storeUpload: StoreUpload
  readonly media: FindAttachment
  readonly enterDownload: EnterDownload
  readonly reading: ReadMarks
  act(workspaceId: WorkspaceId, id: CallId, action: CallAction): Promise<CallRecord>
}

/** Recipients whose outcome is unknown, so that an operator decides it. */
export interface UnknownRecipients {
  resendUnknown(
    workspaceId: WorkspaceId,
    id: CampaignId,
    choice: UnknownChoice,
    by: Author,
  ): Promise<{ count: number }>
  assumeSent(
    workspaceId: WorkspaceId,
    id: CampaignId,
    choice: UnknownChoice,
    by: Author,
  ): Promise<{ count: number }>
}

export interface ConsoleSettings {
  /** The URL of the console for browsers, if it is known. */
  readonly publicUrl: string | undefined
  readonly production: boolean
  readonly targets: TargetPolicy
  readonly keyEnvironment: KeyEnvironment
  readonly retentionDays: number
  readonly handsetsUrl: string | undefined
}

/** Resolves the host of an endpoint's URL and judges its addresses. */
export interface EndpointNames {
  judgeHost(host: string): Promise<HostVerdict>
}

/** Hints to the owners of endpoints, after the commit. A lost hint only costs time: owners check the rows. */
export interface DeliveryEngine {
  configChanged(endpointId: EndpointId): void
  wake(endpointIds: readonly EndpointId[]): void
}

/** Sends a direct event that is in no log, and returns its outcome. */
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
