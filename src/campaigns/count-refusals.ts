// Counts refusals in a row. Many answers of the provider are written together: each batch is reduced to what a
// stored count needs, so that the count goes on over all workers. Pure.
import { personalCodes } from '../contract/provider-errors.ts'
import { type Failure, failureOf } from '../contract/records/failure.ts'
import type { CampaignId, WorkspaceId } from '../shared/ids.ts'
import type { CampaignRun, SendOutcome } from './send-ports.ts'

/** This many refusals with one code, without an acceptance or another code between them, pause a campaign. */
export const refusalsInARow = 20

/** The answers of one run of a campaign in one batch, in their order. */
export interface RefusalRun {
  readonly campaignId: CampaignId
  readonly workspaceId: WorkspaceId
  readonly epoch: number
  /** The code of the first answers and how many they are; an accepted message has an empty code. */
  readonly headCode: string
  readonly head: number
  readonly headError: Failure | null
  /** The same of the last answers. */
  readonly tailCode: string
  readonly tail: number
  /** All answers have one code. */
  readonly isWhole: boolean
  /** The error that repeats often enough within the batch; null: none. */
  readonly tripped: Failure | null
}

interface Streak {
  readonly code: string
  readonly error: Failure | null
  count: number
}

/**
 * Counted are answers that end a send: an acceptance, or a refusal for good. A send that is tried again, whose outcome
 * is unknown, or that the person did not want neither counts nor interrupts.
 */
export function refusalRuns(outcomes: readonly SendOutcome[]): RefusalRun[] {
  const byRun = new Map<string, { readonly run: CampaignRun; readonly streaks: Streak[] }>()
  for (const { campaign: run, verdict } of outcomes) {
    const error = verdict.type === 'failed' ? verdict.error : null
    if (!run || !(error ? !personalCodes.includes(error.code) : verdict.type === 'accepted')) continue
    const key = `${run.id}:${run.epoch}`
    const known = byRun.get(key) ?? { run, streaks: [] }
    byRun.set(key, known)
    count(known.streaks, error && failureOf(error))
  }
  return [...byRun.values()].flatMap(({ run, streaks }) => runOf(run, streaks) ?? [])
}

function count(streaks: Streak[], error: Failure | null): void {
  const code = error?.code ?? ''
  const last = streaks.at(-1)
  if (last?.code === code) last.count += 1
  else streaks.push({ code, error, count: 1 })
}

function runOf({ id, workspaceId, epoch }: CampaignRun, streaks: readonly Streak[]): RefusalRun | undefined {
  const [first, last] = [streaks[0], streaks.at(-1)]
  if (!first || !last) return undefined
  return {
    ...{ campaignId: id, workspaceId, epoch },
    ...{ headCode: first.code, head: first.count, headError: first.error },
    ...{ tailCode: last.code, tail: last.count },
    isWhole: streaks.length === 1,
    tripped: streaks.find(({ error, count }) => error && count >= refusalsInARow)?.error ?? null,
  }
}
