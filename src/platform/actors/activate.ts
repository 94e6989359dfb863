// Makes this process the owner of an actor: claims it in the directory, then loads it and raises its epoch.
// Only the epoch makes the process the owner.
import type { Clock } from '../../shared/clock.ts'
import type { ActorHost, ActorKind, Loaded, LoadOptions } from './actor.ts'
import { Guard, readClock } from './guard.ts'
import type { Refusal } from './mailbox-entry.ts'
import type { Claim, Ownership } from './ownership.ts'
import { within } from './timed.ts'

export interface Activated<State> {
  readonly type: 'activated'
  readonly loaded: Loaded<State>
  readonly guard: Guard
  /** What the directory has said of the actor, or will say. */
  readonly claim: Claim | Promise<Claim>
}

export interface ActivateOptions<State> {
  readonly kind: ActorKind
  readonly ownership: Ownership
  readonly host: Pick<ActorHost<State, never, never, never>, 'load' | 'ownerOf' | 'dropped'>
  readonly clock: Clock
  readonly guardMs: number
}

const loadLimitMs = 3_000

type Taken<State> = Loaded<State> | Refusal

export async function activate<State>(
  id: string,
  options: ActivateOptions<State>,
): Promise<Activated<State> | Refusal> {
  const { kind, ownership, clock } = options
  const claim = await ownership.claim(kind, id)
  if (claim.type === 'theirs') return claim
  const asked = readClock(clock)
  const loading = take(id, claim, options)
  const outcome = await within(clock, loadLimitMs, () => loading)
  if (outcome.type === 'timedOut') void dropLate(id, loading, options)
  const taken: Taken<State> = outcome.type === 'done' ? outcome.value : { type: 'unavailable' }
  if ('type' in taken) {
    // Otherwise other nodes keep sending its messages to this process, which cannot load it.
    if (claim.type === 'mine') void ownership.release(kind, [id])
    return taken
  }
  const guard = new Guard({ clock, validMs: options.guardMs, resumedAt: ownership.resumedAt })
  guard.confirmed(asked)
  guard.stayQuiet(taken.silentMs)
  return { type: 'activated', loaded: taken, guard, claim }
}

/** Nobody waits for it any more, and what the host holds for it would be held for as long as this process lives. */
const dropLate = <State>(id: string, loading: Promise<Taken<State>>, { host }: ActivateOptions<State>) =>
  loading.then(
    (taken) => 'type' in taken || host.dropped(id, taken.epoch),
    () => undefined,
  )

async function take<State>(
  id: string,
  claim: Exclude<Claim, { type: 'theirs' }>,
  { ownership, host }: ActivateOptions<State>,
): Promise<Taken<State>> {
  const { sid } = ownership
  if (claim.type === 'mine')
    return (await host.load(id, { sid, exclusive: false, deadSid: claim.deadSid })) ?? { type: 'notFound' }
  const free = await host.load(id, { sid, exclusive: true })
  return free ?? takeByRow(id, ownership, host)
}

// Without the directory the row says who the owner is, and this process remembers which sessions were alive.
async function takeByRow<State>(
  id: string,
  ownership: Ownership,
  host: ActivateOptions<State>['host'],
): Promise<Taken<State>> {
  const owner = await host.ownerOf(id)
  if (owner === undefined) return { type: 'notFound' }
  const known = owner === null ? undefined : ownership.recall(owner)
  if (known?.type === 'alive') return { type: 'theirs', owner: known.owner }
  const options: LoadOptions = { sid: ownership.sid, exclusive: false }
  const isOver = owner !== null && known?.type === 'ended'
  const loaded = await host.load(id, isOver ? { ...options, deadSid: owner } : options)
  return loaded ?? { type: 'notFound' }
}
