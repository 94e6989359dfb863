// The figures of a workspace's overview: the port between the console and its store.
import type { CampaignId, EndpointId, NumberId, TemplateId, WorkspaceId } from '../shared/ids.ts'

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
    readonly held: number
  }[]
  readonly numbers: readonly {
    readonly id: NumberId
    readonly number: string
    readonly isDefault: boolean
    readonly isRouted: boolean
  }[]
  /** Templates that the provider paused, disabled or rejected: they cannot be sent. */
  readonly templates: readonly {
    readonly id: TemplateId
    readonly name: string
    readonly language: string
    readonly status: string
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
  }[]
  /** Campaigns that paused automatically, or that have recipients with an unknown outcome. */
  readonly campaigns: readonly {
    readonly id: CampaignId
    readonly name: string
    /** Null unless the campaign paused automatically. */
    readonly pauseReason: string | null
    readonly unknown: number
  }[]
}

export interface OverviewStore {
  /** `today`: the start of the day. */
  figures(workspaceId: WorkspaceId, today: Date): Promise<OverviewFigures>
  /** The number of messages in each of these minutes. `minutesMs` are the starts of the minutes. */
  messagesIn(workspaceId: WorkspaceId, minutesMs: readonly number[]): Promise<readonly number[]>
}
