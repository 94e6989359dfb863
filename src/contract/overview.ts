// The figures behind a workspace's overview: the port between the console and the store.
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
  /** Those that cannot be sent although they could once, or were refused. */
  readonly templates: readonly {
    readonly id: TemplateId
    readonly name: string
    readonly language: string
    readonly status: string
  }[]
  /** Those that paused by themselves, or do not know of some recipients. */
  readonly campaigns: readonly {
    readonly id: CampaignId
    readonly name: string
    /** Null unless it is paused by itself. */
    readonly pauseReason: string | null
    readonly unknown: number
  }[]
}

export interface OverviewStore {
  /** `today` is when the day began. */
  figures(workspaceId: WorkspaceId, today: Date): Promise<OverviewFigures>
  /** How many messages there were in each of these minutes, given by when they begin. */
  messagesIn(workspaceId: WorkspaceId, minutesMs: readonly number[]): Promise<readonly number[]>
}
