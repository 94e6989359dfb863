// The figures of a workspace's overview: the port between the console and its store.
import type { CampaignId, EndpointId, KeyId, NumberId, TemplateId, Uuid, WorkspaceId } from '../shared/ids.ts'
import type { ForwardError } from './records/call.ts'
import type { PauseReason } from './records/campaign.ts'
import type { Failure } from './records/failure.ts'
import type { AttemptQuarter } from './records/overview.ts'

export interface OverviewFigures {
  readonly callsLive: number
  readonly messagesFailed: number
  readonly deliveriesPending: number
  readonly deliveriesRetrying: number
  readonly deliveriesFailed: number
  readonly campaignsRunning: number
  readonly endpoints: readonly {
    readonly id: EndpointId
    readonly name: string
    readonly enabled: boolean
    readonly receivesMessages: boolean
    readonly consecutiveFailures: number
    readonly byFailures: boolean
    readonly disabledAt: string | null
    readonly turnedOffBy: string | null
    readonly held: number
    /** Of an endpoint that is off or failing. */
    readonly lastAttempt: {
      readonly at: string
      readonly statusCode: number | null
      readonly error: string | null
    } | null
  }[]
  readonly numbers: readonly {
    readonly id: NumberId
    readonly number: string
    readonly isDefault: boolean
    readonly isRouted: boolean
    readonly status: string
    /** Of its latest 20 inbound calls within a day, if calls are forwarded. */
    readonly calls: number
    readonly lost: number
    /** Of the latest call; null: that was taken. */
    readonly lastError: ForwardError | null
    readonly endpointName: string | null
  }[]
  /** Templates that the provider paused, disabled or rejected: they cannot be sent. */
  readonly templates: readonly {
    readonly id: TemplateId
    readonly name: string
    readonly language: string
    readonly status: string
    readonly reason: string | null
    readonly since: string | null
  }[]
  /** What the provider reports of the account and what holds now, without news that need nobody. */
  readonly account: readonly {
    readonly topic: string
    readonly key: string
    readonly isCritical: boolean
    readonly message: string
    readonly advice: string | null
    /** ISO 8601; null: no known end. */
    readonly until: string | null
    readonly at: string
  }[]
  /** Campaigns that paused automatically, or that have recipients with an unknown outcome. */
  readonly campaigns: readonly {
    readonly id: CampaignId
    readonly name: string
    /** Null unless the campaign paused automatically. */
    readonly pauseReason: PauseReason | null
    readonly pauseError: Failure | null
    readonly pausedAt: string | null
    readonly pending: number
    readonly unknown: number
  }[]
  /** Keys that expire within 14 days, or have within the last 3. */
  readonly keys: readonly {
    readonly id: KeyId
    readonly name: string
    readonly expiresAt: string
    readonly lastUsedAt: string | null
  }[]
  /** What came within 24 hours and could not be made into anything. */
  readonly notUnderstood: { readonly count: number; readonly lastId: Uuid | null }
}

export interface OverviewStore {
  /** `since`: from when what failed counts. */
  figures(
    workspaceId: WorkspaceId,
    times: { readonly now: Date; readonly since: Date },
  ): Promise<OverviewFigures>
  /** The number of messages in each of these minutes. `minutesMs` are the starts of the minutes. */
  messagesIn(workspaceId: WorkspaceId, minutesMs: readonly number[]): Promise<readonly number[]>
}

/** The tally of attempts, which gateways write every few seconds. */
export interface AttemptRates {
  /** From this time on, oldest first. */
  since(workspaceId: WorkspaceId, from: Date): Promise<readonly AttemptQuarter[]>
}
