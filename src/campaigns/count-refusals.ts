// Which answers of the provider count towards refusals in a row. Pure; campaign-refusals.store.ts counts them.
import { personalCodes } from '../contract/provider-errors.ts'
import { type Failure, failureOf } from '../contract/records/failure.ts'
import type { CampaignId, MessageId, WorkspaceId } from '../shared/ids.ts'
import type { SendOutcome } from './send-ports.ts'

/** This many refusals with one code, without an acceptance or another code between them, pause a campaign. */
export const refusalsInARow = 20

export interface CountedAnswer {
  readonly messageId: MessageId
  readonly campaignId: CampaignId
  readonly workspaceId: WorkspaceId
  /** The run of the campaign that sent the message. */
  readonly epoch: number
  /** An accepted message has an empty code. */
  readonly code: string
  readonly error: Failure | null
}

/**
 * Counted are answers that end a send: an acceptance, or a refusal for good. A send that is tried again, whose outcome
 * is unknown, or that the person did not want neither counts nor interrupts.
 */
export const countedAnswers = (outcomes: readonly SendOutcome[]): CountedAnswer[] =>
  outcomes.flatMap(({ messageId, campaign: run, verdict }) => {
    const error = verdict.type === 'failed' ? verdict.error : null
    if (!run || !(error ? !personalCodes.includes(error.code) : verdict.type === 'accepted')) return []
    const failure = error && failureOf(error)
    return [
      {
        ...{ messageId, campaignId: run.id, workspaceId: run.workspaceId, epoch: run.epoch },
        ...{ code: failure?.code ?? '', error: failure },
      },
    ]
  })
