// Start, pause and cancel, and schedules whose time has come. Each raises the campaign's epoch: what was claimed under
// an older one is the last that can still go out, and the answer waits until none of it can begin any more.
import { AppError } from '../contract/errors.ts'
import type { CampaignRecord, CampaignStatus, PauseReason } from '../contract/records/campaign.ts'
import type { Clock } from '../shared/clock.ts'
import type { CampaignId, NumberId, WorkspaceId } from '../shared/ids.ts'
import { allows, alreadyHolds } from './campaign.machine.ts'
import type { TemplateName } from './ports.ts'
import { noCampaign, noTemplate, wrongState } from './refusals.ts'
import type { Pace } from './sending.ts'

/** A campaign and what it needs to send, read while nobody else can change it. */
export interface CampaignState {
  readonly status: CampaignStatus
  readonly startAt: Date | null
  /** By the clock of the database, which all processes share. */
  readonly now: Date
  readonly template: TemplateName
  /** Null where the workspace has no such template. */
  readonly templateStatus: string | null
  /** False without a number, or without a token to send with. */
  readonly canSend: boolean
  readonly isSuspended: boolean
  readonly hasRecipients: boolean
}

export interface Transition {
  readonly to: CampaignStatus
  readonly pauseReason: PauseReason | null
}

export interface CampaignLifeStore {
  /** Moves the campaign where `decide` says, and its epoch with it; null leaves it. Undefined: there is none. */
  move(
    workspaceId: WorkspaceId | null,
    id: CampaignId,
    decide: (state: CampaignState) => Transition | null,
  ): Promise<
    | { readonly record: CampaignRecord; readonly epoch: number; readonly numberId: NumberId | null }
    | undefined
  >
  find(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord | undefined>
  /** How many recipients' requests may be under way. */
  inFlight(id: CampaignId): Promise<number>
  /** Takes those who wait out of a campaign that is over, up to some; true where more may be left. */
  cancelWaiting(id: CampaignId): Promise<boolean>
  /** SCHEDULED campaigns whose time has come. */
  dueSchedules(limit: number): Promise<CampaignId[]>
}

/** The clock of campaigns. Best effort: a sweep makes up for what gets lost. */
export interface CampaignClock {
  /** Somebody should send for this number now. */
  wake(numberId: NumberId, delayMs?: number): void
  beginAt(id: CampaignId, at: Date): void
}

export interface RunPorts {
  readonly life: CampaignLifeStore
  readonly pace: Pick<Pace, 'fence'>
  readonly queue: CampaignClock
  readonly clock: Clock
}

/** A claim must begin its requests within this time; see send-claimed.ts. */
export const claimGuardMs = 2_000
/** A schedule missed by more than this needs somebody to say whether it should still be sent. */
const overdueAfterMs = 3_600_000

export interface Halted extends CampaignRecord {
  /** Requests that were with the provider when this was answered; no other one will begin. */
  inFlight: number
}

export const startCampaign = (ports: RunPorts) =>
  async function startCampaign(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord> {
    const moved = await ports.life.move(workspaceId, id, (state) => {
      if (alreadyHolds.start.includes(state.status)) return null
      if (!allows('start', state.status)) throw wrongState('start', state.status)
      refuseUnfit(state)
      const isLater = state.status === 'DRAFT' && isAfter(state.startAt, state.now.getTime())
      return { to: isLater ? 'SCHEDULED' : 'RUNNING', pauseReason: null }
    })
    if (!moved) throw noCampaign()
    announce(ports, id, moved)
    return moved.record
  }

export const pauseCampaign = (ports: RunPorts) =>
  async function pauseCampaign(workspaceId: WorkspaceId, id: CampaignId): Promise<Halted> {
    await halt(ports, workspaceId, id, (state) => {
      if (alreadyHolds.pause.includes(state.status)) return null
      if (!allows('pause', state.status)) throw wrongState('pause', state.status)
      return { to: state.status === 'SCHEDULED' ? 'DRAFT' : 'PAUSED', pauseReason: null }
    })
    return halted(ports, workspaceId, id)
  }

export const cancelCampaign = (ports: RunPorts) =>
  async function cancelCampaign(workspaceId: WorkspaceId, id: CampaignId): Promise<Halted> {
    await halt(ports, workspaceId, id, (state) => {
      if (alreadyHolds.cancel.includes(state.status)) return null
      if (!allows('cancel', state.status)) throw wrongState('cancel', state.status)
      return { to: 'CANCELLED', pauseReason: null }
    })
    const until = ports.clock.mono() + longestCancelMs
    // What is left after this time the workers take out; nobody of them can be claimed.
    while (ports.clock.mono() < until && (await ports.life.cancelWaiting(id)));
    return halted(ports, workspaceId, id)
  }

const longestCancelMs = 3_000

/** The time of a SCHEDULED campaign has come, or may have: whoever asks need not be sure. */
export const beginScheduled = (ports: RunPorts) =>
  async function beginScheduled(id: CampaignId): Promise<void> {
    const moved = await ports.life.move(null, id, (state) => {
      const now = state.now.getTime()
      if (state.status !== 'SCHEDULED' || isAfter(state.startAt, now)) return null
      const pauseReason = isLate(state.startAt, now) ? 'OVERDUE' : unfitFor(state)
      return { to: pauseReason ? 'PAUSED' : 'RUNNING', pauseReason }
    })
    if (moved) announce(ports, id, moved)
  }

const isAfter = (at: Date | null, nowMs: number): boolean => at !== null && at.getTime() > nowMs
const isLate = (at: Date | null, nowMs: number): boolean =>
  at !== null && nowMs - at.getTime() > overdueAfterMs

type Moved = NonNullable<Awaited<ReturnType<CampaignLifeStore['move']>>>

function announce({ pace, queue }: RunPorts, id: CampaignId, { record, epoch, numberId }: Moved): void {
  void pace.fence(id, epoch)
  if (record.status === 'RUNNING' && numberId) queue.wake(numberId)
  if (record.status === 'SCHEDULED' && record.startAt) queue.beginAt(id, new Date(record.startAt))
}

async function halt(
  ports: RunPorts,
  workspaceId: WorkspaceId,
  id: CampaignId,
  decide: (state: CampaignState) => Transition | null,
): Promise<void> {
  const moved = await ports.life.move(workspaceId, id, decide)
  if (!moved) throw noCampaign()
  await ports.pace.fence(id, moved.epoch)
}

/**
 * Waits until nothing is under way, and no longer than a claim's guard: a claim that was committed before the epoch
 * rose may still begin its requests until then.
 */
async function halted(ports: RunPorts, workspaceId: WorkspaceId, id: CampaignId): Promise<Halted> {
  const until = ports.clock.mono() + claimGuardMs + 250
  let inFlight = await ports.life.inFlight(id)
  for (let pauseMs = 20; inFlight > 0 && ports.clock.mono() < until; pauseMs = Math.min(pauseMs * 2, 200)) {
    await new Promise<void>((resolve) => ports.clock.after(pauseMs, resolve))
    inFlight = await ports.life.inFlight(id)
  }
  const record = await ports.life.find(workspaceId, id)
  if (!record) throw noCampaign()
  return { ...record, inFlight }
}

function refuseUnfit(state: CampaignState): void {
  if (!state.hasRecipients)
    throw new AppError('INVALID_STATE', 'the campaign has no recipients; add some first')
  if (!state.canSend)
    throw new AppError('NO_SENDER_NUMBER', 'the campaign has no number to send from; set its numberId')
  if (state.templateStatus === null) throw noTemplate(state.template)
  if (state.templateStatus !== 'APPROVED')
    throw new AppError(
      'TEMPLATE_NOT_APPROVED',
      `template ${state.template.name} (${state.template.language}) is ${state.templateStatus}; only APPROVED ones can be sent`,
    )
}

/** Why a campaign cannot send, where it cannot. */
export function unfitFor(
  state: Pick<CampaignState, 'templateStatus' | 'canSend' | 'isSuspended'>,
): PauseReason | null {
  if (state.isSuspended) return 'WORKSPACE_SUSPENDED'
  if (!state.canSend) return 'NUMBER_UNAVAILABLE'
  if (state.templateStatus === 'APPROVED') return null
  return state.templateStatus === 'PAUSED' ? 'TEMPLATE_PAUSED' : 'TEMPLATE_UNAVAILABLE'
}
