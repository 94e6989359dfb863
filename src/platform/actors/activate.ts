// Makes this process the owner of an actor: claims it in the directory, then loads it and raises its epoch.
// Only the epoch makes the process the owner.
import type { Clock } from '../../shared/clock.ts'
import type { ActorHost, ActorKind, Loaded } from './actor.ts'
import { Guard, readClock } from './guard.ts'
import type { Refusal } from './mailbox-entry.ts'
import type { Claim, Ownership } from './ownership.ts'
import { within } from './timed.ts'

export interface Activated<State> {
  readonly type: 'activated'
  readonly loaded: Loaded<State>
  readonly guard: Guard
}

export interface ActivateOptions<State> {
  readonly kind: ActorKind
  readonly ownership: Ownership
  readonly load: ActorHost<State, never, never, never>['load']
  readonly clock: Clock
  readonly guardMs: number
}

const loadLimitMs = 3_000

export async function activate<State>(
  id: string,
  options: ActivateOptions<State>,
): Promise<Activated<State> | Refusal> {
  const { kind, ownership, clock } = options
  const claim = await ownership.claim(kind, id)
  if (claim.type === 'theirs') return claim
  const asked = readClock(clock)
  const outcome = await within(clock, loadLimitMs, () => options.load(id, loadOptions(ownership.sid, claim)))
  if (outcome.type !== 'done' || !outcome.value) {
    // Otherwise other nodes keep sending its messages to this process, which cannot load it.
    if (claim.type === 'mine') void ownership.release(kind, [id])
    return outcome.type === 'done' && claim.type === 'mine' ? { type: 'notFound' } : { type: 'unavailable' }
  }
  const loaded = outcome.value
  ownership.recordEpoch(kind, id, loaded.epoch)
  const guard = new Guard(clock, options.guardMs)
  guard.confirmed(asked)
  guard.stayQuiet(loaded.silentMs)
  return { type: 'activated', loaded, guard }
}

// Without the directory, another owner may still be alive: take only a row that is free or ours.
const loadOptions = (sid: string, claim: Exclude<Claim, { type: 'theirs' }>) =>
  claim.type === 'mine'
    ? { sid, exclusive: false, deadSid: claim.deadSid }
    : { sid, exclusive: true, deadSid: undefined }
