// Adds recipients to a campaign, batch by batch. Commits the valid rows of a batch together, then returns a
// verdict for each row.
import { AppError } from '../contract/errors.ts'
import { addressOf } from '../shared/address.ts'
import { type CampaignId, newId, type WorkspaceId } from '../shared/ids.ts'
import { AddressSet } from './address-set.ts'
import { campaignOperations } from './campaign.machine.ts'
import { judgeOf, type RecipientRow } from './judge-recipients.ts'
import type { CampaignPorts, CampaignTarget, Exceptions, NewRecipient } from './ports.ts'
import { noCampaign } from './refusals.ts'

export interface RowVerdict {
  /** Position of the row in the call, from 0. */
  readonly index: number
  readonly to: string
  readonly verdict: 'added' | 'duplicate' | 'skipped' | 'invalid'
  /** Why the row is invalid. */
  readonly message?: string
}

export interface AdditionInput {
  readonly workspaceId: WorkspaceId
  readonly id: CampaignId
  /** Each batch is added as a whole or not at all. */
  readonly batches: AsyncIterable<readonly RecipientRow[]>
  /** Judge the rows, but add no recipient. */
  readonly isDryRun: boolean
}

export const addRecipients = (ports: CampaignPorts) =>
  async function* addRecipients(input: AdditionInput): AsyncGenerator<readonly RowVerdict[]> {
    const addition = new Addition(ports, input)
    // Report problems of the campaign before reading any row.
    await addition.prepare()
    try {
      for await (const batch of input.batches) yield await addition.settle(batch)
    } catch (error) {
      throw addition.kept > 0 && !input.isDryRun && error instanceof AppError
        ? brokenOff(error, addition)
        : error
    }
  }

const tries = 3

class Addition {
  /** Recipients that are committed. */
  kept = 0
  /** Rows that have their verdict. */
  settled = 0
  readonly #ports: CampaignPorts
  readonly #input: AdditionInput
  #target: CampaignTarget | undefined
  readonly #seen = new AddressSet()

  constructor(ports: CampaignPorts, input: AdditionInput) {
    this.#ports = ports
    this.#input = input
  }

  async prepare(): Promise<void> {
    const target = await this.#ports.recipients.target(this.#input.workspaceId, this.#input.id)
    if (!target) throw noCampaign()
    judgeOf(target, this.#ports.variableComparer)
    this.#target = target
  }

  async settle(rows: readonly RecipientRow[]): Promise<readonly RowVerdict[]> {
    // Judge again when the campaign was changed between judging and adding.
    for (let round = 0; round < tries; round += 1) {
      if (!this.#target) await this.prepare()
      const target = this.#target
      if (!target) continue
      const judged = await judge(rows, judgeOf(target, this.#ports.variableComparer))
      const exceptions = await this.#apply(target, judged.recipients)
      if (exceptions) return this.#verdicts(rows, judged, exceptions)
      this.#target = undefined
    }
    throw new AppError('UNAVAILABLE', 'the campaign is being changed at the same time; try again', {
      retryAfterSeconds: 1,
    })
  }

  #apply({ campaign }: CampaignTarget, recipients: readonly NewRecipient[]): Promise<Exceptions | undefined> {
    const { workspaceId, isDryRun } = this.#input
    const store = this.#ports.recipients
    if (!isDryRun) return store.add(workspaceId, campaign, campaignOperations.addRecipients, recipients)
    return store.known(
      workspaceId,
      campaign.id,
      recipients.map(({ waId }) => waId),
    )
  }

  #verdicts(
    rows: readonly RecipientRow[],
    { messages, recipients }: Judged,
    { duplicates, skipped }: Exceptions,
  ): RowVerdict[] {
    const first = this.settled
    this.settled += rows.length
    this.kept += recipients.length - duplicates.length
    const verdictOf = new Map<string, 'added' | 'duplicate' | 'skipped'>(
      recipients.map(({ waId }) => [waId, this.#isRepeated(waId) ? 'duplicate' : 'added']),
    )
    for (const waId of skipped) if (verdictOf.get(waId) === 'added') verdictOf.set(waId, 'skipped')
    for (const waId of duplicates) verdictOf.set(waId, 'duplicate')
    return rows.map(({ to }, at) => {
      const index = first + at
      const message = messages[at]
      if (message !== undefined) return { index, to: to.slice(0, shownLength), verdict: 'invalid', message }
      const waId = addressOf(to) ?? to
      const verdict = verdictOf.get(waId) ?? 'duplicate'
      // The first row with this address got its verdict; later ones are duplicates.
      verdictOf.delete(waId)
      return { index, to, verdict }
    })
  }

  /**
   * Whether the address came earlier in this call. Only a dry run needs this: its recipients are not in the
   * database, which detects all other duplicates.
   */
  #isRepeated(waId: string): boolean {
    return this.#input.isDryRun && !this.#seen.add(waId)
  }
}

const shownLength = 40
const rowsAtOnce = 500

interface Judged {
  /** What is wrong with each row; undefined for a valid row. */
  readonly messages: readonly (string | undefined)[]
  /** The valid rows; of several rows with one address, the first. */
  readonly recipients: readonly NewRecipient[]
}

async function judge(
  rows: readonly RecipientRow[],
  faultOf: (row: RecipientRow) => string | undefined,
): Promise<Judged> {
  const messages: (string | undefined)[] = []
  const recipients = new Map<string, NewRecipient>()
  for (const row of rows) {
    const message = faultOf(row)
    messages.push(message)
    const waId = addressOf(row.to) ?? row.to
    if (message === undefined && !recipients.has(waId))
      recipients.set(waId, { id: newId('recipient'), waId, variables: row.variables })
    // Let other work of the process run: it must not wait for thousands of rows.
    if (messages.length % rowsAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return { messages, recipients: [...recipients.values()] }
}

const brokenOff = (error: AppError, { kept, settled }: Addition): AppError =>
  new AppError(
    error.code,
    `${error.message}; of the first ${settled} rows ${kept} were added and stay: send the rest, or all again, which adds none twice`,
    {
      ...(error.details && { details: error.details }),
      ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
      cause: error,
    },
  )
