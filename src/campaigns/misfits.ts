// Recipients whose variables do not fit the template any more fail one by one. So many in a row mean that the template
// was changed, and that nobody on the list fits.
import type { Failure } from '../contract/records/failure.ts'
import { Lru } from '../shared/lru.ts'
import { refusalsInARow } from './count-refusals.ts'
import type { Claim, RunningCampaign } from './send-ports.ts'

/** Thrown while a claim judges its recipients: nothing of that claim is written. */
export class TooManyMisfits extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super('the template fits nobody')
    this.failure = failure
  }
}

const maxRuns = 10_000

/** Counts them for each run of a campaign. A campaign that is resumed begins anew. */
export class Misfits {
  readonly #inARow = new Lru<number>(maxRuns)

  /** Passes the verdict on, or throws TooManyMisfits. */
  count({ id, epoch }: RunningCampaign, claim: Claim): Claim {
    const run = `${id}:${epoch}`
    if (claim.type === 'send') {
      this.#inARow.delete(run)
      return claim
    }
    const inARow = (this.#inARow.get(run) ?? 0) + 1
    this.#inARow.set(run, inARow)
    if (inARow >= refusalsInARow) throw new TooManyMisfits(claim.error)
    return claim
  }
}
