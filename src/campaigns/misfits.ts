// Recipients whose variables do not fit the template any more fail one by one. So many in a row mean that the template
// was changed, and that nobody on the list fits.
import type { Failure } from '../contract/records/failure.ts'
import { newId } from '../shared/ids.ts'
import { Lru } from '../shared/lru.ts'
import { refusalsInARow } from './count-refusals.ts'
import type { CampaignRendering, Claim, PickedRecipient, RunningCampaign } from './send-ports.ts'

/**
 * Checks the variables again, because the campaign's template may have changed since the recipient was added.
 */
export function judge(
  rendering: Pick<CampaignRendering, 'render'>,
  campaign: RunningCampaign,
  recipient: PickedRecipient,
): Claim {
  const variables = { ...campaign.variables, ...recipient.variables }
  const { text, faults } = rendering.render(campaign.definition, variables)
  if (faults.length > 0)
    return {
      type: 'fail',
      error: {
        code: 'TEMPLATE_VARIABLES_MISMATCH',
        title: `The variables are not those of template ${campaign.template.name}`,
      },
    }
  const { messageId } = recipient
  const isRepeated = messageId !== null
  return { type: 'send', messageId: messageId ?? newId('message'), isRepeated, text, variables }
}

const maxRuns = 10_000

/** Counts them for each run of a campaign. A campaign that is resumed begins anew. */
export class Misfits {
  readonly #inARow = new Lru<number>(maxRuns)

  /** For one claim. It counts when it is written; one that was lost will be judged again. */
  claimOf({ id, epoch }: RunningCampaign): MisfitsOfClaim {
    const run = `${id}:${epoch}`
    return new MisfitsOfClaim(this.#inARow.get(run) ?? 0, (inARow) => this.#inARow.set(run, inARow))
  }
}

class MisfitsOfClaim {
  #inARow: number
  #tooMany: Failure | undefined
  readonly #keep: (inARow: number) => void

  constructor(inARow: number, keep: (inARow: number) => void) {
    this.#inARow = inARow
    this.#keep = keep
  }

  /** Passes the verdict on. Who comes behind too many in a row is left to the run after the pause. */
  pass(claim: Claim): Claim | 'leave' {
    if (this.#tooMany) return 'leave'
    this.#inARow = claim.type === 'send' ? 0 : this.#inARow + 1
    if (claim.type === 'fail' && this.#inARow >= refusalsInARow) this.#tooMany = claim.error
    return claim
  }

  /** The claim is committed. Returns what pauses the campaign, where there were too many. */
  written(): Failure | undefined {
    this.#keep(this.#inARow)
    return this.#tooMany
  }
}
