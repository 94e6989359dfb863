// Starts, pauses and cancels campaigns, and begins scheduled ones. Each transition raises the campaign's
// epoch. Recipients claimed under an older epoch may still be sent; pause and cancel answer only when no such
// request can begin any more.
import { type Stopped, stoppedText } from '../contract/account-health.ts'
import type { Author } from '../contract/administration.ts'
import { AppError } from '../contract/errors.ts'
import type { CampaignRecord, CampaignStatus, PauseReason } from '../contract/records/campaign.ts'
import type { Clock } from '../shared/clock.ts'
import type { CampaignId, NumberId, WorkspaceId } from '../shared/ids.ts'
import { allows, alreadyHolds } from './campaign.machine.ts'
import type { TemplateName } from './ports.ts'
import { noCampaign, refuseTemplate, wrongState } from './refusals.ts'
import type { NumberRateLimit } from './send-ports.ts'

/** A campaign and what it needs for sending, read while the campaign is locked. */
export interface CampaignState {
  readonly status: CampaignStatus
  /** Raised by every change of status, and by nothing else. */
  readonly epoch: number
  readonly startAt: Date | null
  /** By the clock of the database, which all processes share. */
  readonly now: Date
  readonly template: TemplateName
  /** Null when the workspace has no such template. */
  readonly templateStatus: string | null
  /** False without a number, or without a token to send with. */
  readonly canSend: boolean
  readonly isSuspended: boolean
  readonly hasRecipients: boolean
  /** Its start time was before Postgres was restored: it may have begun, in the time that is missing. */
  readonly isRestored: boolean
  /** What the provider has stopped the account from; null: nothing. */
  readonly stopped: Stopped | null
}

export interface Transition {
  readonly to: CampaignStatus
  readonly pauseReason: PauseReason | null
  /** Takes its start time away, in the same statement. */
  readonly dropsStartAt?: boolean
}

export interface CampaignLifeStore {
  /**
   * Moves the campaign as `decide` says, and raises its epoch. When `decide` returns null, nothing changes.
   * Undefined: no such campaign. `by`: the operator who moves it, for the audit.
   */
  move(
    workspaceId: WorkspaceId | null,
    id: CampaignId,
    decide: Decide,
    by?: Author,
  ): Promise<
    | { readonly record: CampaignRecord; readonly epoch: number; readonly numberId: NumberId | null }
    | undefined
  >
  find(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord | undefined>
  /** The number of recipients whose request may be under way. */
  inFlight(id: CampaignId): Promise<number>
  /**
   * Ends the PENDING recipients of an ended campaign, a bounded number per call. True when more may be left.
   */
  cancelWaiting(id: CampaignId): Promise<boolean>
  /** SCHEDULED campaigns whose time has come. */
  dueSchedules(limit: number): Promise<CampaignId[]>
}

/** Starts work on campaigns when it is time. Best effort: the sweep repeats what gets lost. */
export interface CampaignScheduler {
  /** Makes a worker send for this number, now or after the delay. */
  wake(numberId: NumberId, delayMs?: number): void
  beginAt(id: CampaignId, at: Date): void
}

export interface RunPorts {
  readonly life: CampaignLifeStore
  readonly rateLimit: Pick<NumberRateLimit, 'fence'>
  readonly queue: CampaignScheduler
  readonly clock: Clock
}

/** A claim must begin its requests within this time; see send-claimed.ts. */
export const claimGuardMs = 2_000
/** A start that is later than this pauses the campaign: a person must decide whether to send it. */
const overdueAfterMs = 3_600_000

export interface Halted extends CampaignRecord {
  /** Requests that were with the provider when this was answered. No other request will begin. */
  inFlight: number
}

type Decide = (state: CampaignState) => Transition | null

export const startCampaign = (ports: RunPorts) =>
  /** `isNow`: whatever its start time, also if it is SCHEDULED. */
  async function startCampaign(
    workspaceId: WorkspaceId,
    id: CampaignId,
    { isNow = false, by }: { readonly isNow?: boolean; readonly by?: Author | undefined } = {},
  ): Promise<CampaignRecord> {
    const operation = isNow ? 'startNow' : 'start'
    const decide: Decide = (state) => {
      if (alreadyHolds[operation].includes(state.status)) return null
      if (!allows(operation, state.status)) throw wrongState(operation, state.status)
      refuseUnfit(state)
      return isNow ? { to: 'RUNNING', pauseReason: null, dropsStartAt: true } : started(state)
    }
    const moved = await ports.life.move(workspaceId, id, decide, by)
    if (!moved) throw noCampaign()
    announce(ports, id, moved)
    return moved.record
  }

function started({ status, startAt, now }: CampaignState): Transition {
  const isLater = status === 'DRAFT' && isAfter(startAt, now.getTime())
  return { to: isLater ? 'SCHEDULED' : 'RUNNING', pauseReason: null }
}

export const pauseCampaign = (ports: RunPorts) =>
  async function pauseCampaign(workspaceId: WorkspaceId, id: CampaignId, by?: Author): Promise<Halted> {
    const decide: Decide = (state) => {
      if (alreadyHolds.pause.includes(state.status) || isTakenBack(state)) return null
      if (!allows('pause', state.status)) throw wrongState('pause', state.status)
      return { to: state.status === 'SCHEDULED' ? 'DRAFT' : 'PAUSED', pauseReason: null }
    }
    await halt(ports, id, await ports.life.move(workspaceId, id, decide, by))
    return halted(ports, workspaceId, id)
  }

/** A draft that was scheduled: its pause has happened. One that was never started cannot be paused. */
const isTakenBack = ({ status, epoch }: CampaignState): boolean => status === 'DRAFT' && epoch > 0

export const cancelCampaign = (ports: RunPorts) =>
  async function cancelCampaign(workspaceId: WorkspaceId, id: CampaignId, by?: Author): Promise<Halted> {
    const decide: Decide = (state) => {
      if (alreadyHolds.cancel.includes(state.status)) return null
      if (!allows('cancel', state.status)) throw wrongState('cancel', state.status)
      return { to: 'CANCELLED', pauseReason: null }
    }
    await halt(ports, id, await ports.life.move(workspaceId, id, decide, by))
    const until = ports.clock.mono() + longestCancelMs
    // A worker ends the recipients that are left after this time. None of them can be claimed.
    while (ports.clock.mono() < until && (await ports.life.cancelWaiting(id)));
    return halted(ports, workspaceId, id)
  }

const longestCancelMs = 3_000

/** Begins a SCHEDULED campaign when its time has come. A call that is too early changes nothing. */
export const beginScheduled = (ports: RunPorts) =>
  async function beginScheduled(id: CampaignId): Promise<void> {
    const moved = await ports.life.move(null, id, dueTransition)
    if (moved) announce(ports, id, moved)
  }

function dueTransition(state: CampaignState): Transition | null {
  const now = state.now.getTime()
  if (state.status !== 'SCHEDULED' || isAfter(state.startAt, now)) return null
  // It would complete at once, for good.
  if (!state.hasRecipients) return { to: 'DRAFT', pauseReason: null }
  const pauseReason = missedReason(state, now) ?? unfitFor(state) ?? stoppedReason(state)
  return { to: pauseReason ? 'PAUSED' : 'RUNNING', pauseReason }
}

function missedReason({ startAt, isRestored }: CampaignState, now: number): PauseReason | null {
  if (isLate(startAt, now)) return 'OVERDUE'
  return isRestored ? 'DATABASE_RESTORED' : null
}

const stoppedReason = ({ stopped }: CampaignState): PauseReason | null => stopped && 'ACCOUNT_RESTRICTED'

const isAfter = (at: Date | null, nowMs: number): boolean => at !== null && at.getTime() > nowMs
const isLate = (at: Date | null, nowMs: number): boolean =>
  at !== null && nowMs - at.getTime() > overdueAfterMs

type Moved = NonNullable<Awaited<ReturnType<CampaignLifeStore['move']>>>

function announce({ rateLimit, queue }: RunPorts, id: CampaignId, { record, epoch, numberId }: Moved): void {
  void rateLimit.fence(id, epoch)
  if (record.status === 'RUNNING' && numberId) queue.wake(numberId)
  if (record.status === 'SCHEDULED' && record.startAt) queue.beginAt(id, new Date(record.startAt))
}

async function halt(ports: RunPorts, id: CampaignId, moved: Moved | undefined): Promise<void> {
  if (!moved) throw noCampaign()
  await ports.rateLimit.fence(id, moved.epoch)
}

/**
 * Waits until no request is under way, but not longer than the guard of a claim: a claim that was committed
 * before the epoch rose may begin its requests until then.
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
  refuseStopped(state)
  refuseTemplate(state.template, state.templateStatus)
}

/**
 * Only where the end is known. The provider does not report each end: then a person decides, and a campaign that starts
 * too early pauses again at the first refusal, without failing anybody.
 */
function refuseStopped({ stopped }: CampaignState): void {
  if (!stopped?.until) return
  throw new AppError('ACCOUNT_RESTRICTED', stoppedText(stopped))
}

/** Why a campaign cannot send; null when it can. */
export function unfitFor(
  state: Pick<CampaignState, 'templateStatus' | 'canSend' | 'isSuspended'>,
): PauseReason | null {
  if (state.isSuspended) return 'WORKSPACE_SUSPENDED'
  if (!state.canSend) return 'NUMBER_UNAVAILABLE'
  if (state.templateStatus === 'APPROVED') return null
  return state.templateStatus === 'PAUSED' ? 'TEMPLATE_PAUSED' : 'TEMPLATE_UNAVAILABLE'
}
