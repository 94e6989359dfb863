// Applies what the provider told of a number before it was known here: it is new, or was registered again.
import type { Clock } from '../../shared/clock.ts'
import { idFloor } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import { type ApplyAgainOptions, applyAgain } from './apply-again.ts'

interface Due {
  readonly id: string
  readonly phoneNumberId: string
}

export interface ApplyForNumberPorts<Number extends Due> {
  readonly numbers: {
    /** So that no other process takes it. Undefined: there is none. */
    take(): Promise<Number | undefined>
    done(number: Number): Promise<void>
  }
  readonly store: ApplyAgainOptions['store']
  readonly post: ApplyAgainOptions['post']
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info'>
}

/** As long as the provider repeats a webhook. What is older tells nobody anything new. */
const longestMs = 7 * 86_400_000

/** One number. True: there may be another one. What could not be applied leaves it due. */
export async function applyForNumber<Number extends Due>(
  { numbers, store, post, clock, log }: ApplyForNumberPorts<Number>,
  signal: AbortSignal,
): Promise<boolean> {
  const number = await numbers.take()
  if (!number) return false
  const nowMs = clock.now()
  const { applied, failed } = await applyAgain({
    ...{ store, post, signal, isDryRun: false },
    filter: {
      reasons: ['unknownNumber'],
      from: idFloor(nowMs - longestMs),
      until: idFloor(nowMs),
      phoneNumberId: number.phoneNumberId,
    },
  })
  log.info({ numberId: number.id, applied, failed: failed.size > 0 }, 'ingest.applied_again')
  if (failed.size === 0 && !signal.aborted) await numbers.done(number)
  return true
}
