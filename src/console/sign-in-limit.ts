// Slows down guessing. A guess takes a token from the buckets of whoever makes it before the secret is looked at, and
// gets it back unless it was wrong: so right answers are never limited, and of guesses sent side by side, on any
// gateways, only as many are looked at as there are tokens.
//
// Strangers are counted by account and network together. Whoever guesses at an account from elsewhere therefore
// neither slows its operator down nor learns whether the account exists.
import { createHash } from 'node:crypto'
import { AppError } from '../contract/errors.ts'
import type { OperatorId, SessionId } from '../shared/ids.ts'
import { networkOf } from '../shared/ip.ts'

/** Token buckets that all gateways share. Neither method rejects. */
export interface GuessBuckets {
  take(
    key: string,
    ratePerSecond: number,
    burst: number,
  ): Promise<{ readonly allowed: boolean; readonly retryAfterMs: number }>
  giveBack(key: string, ratePerSecond: number, burst: number): Promise<void>
}

/** Who guesses at a password. */
export type Guesser =
  /** A session of the operator. */
  | { readonly sessionId: SessionId }
  /** A browser in which the operator has signed in before, by its id. */
  | { readonly deviceId: string }
  /** Anybody else. `email` is that of the account, or what was typed where there is none. */
  | { readonly email: string; readonly address: string }

export interface SignInLimit {
  /** Runs `isRight`, and counts it where it answers false. Throws RATE_LIMITED instead where nothing is left. */
  password(guesser: Guesser, isRight: () => Promise<boolean>): Promise<boolean>
  /** The same for the second factor: whoever guesses at it knows the password. */
  factor(guesser: Guesser, operatorId: OperatorId, isRight: () => Promise<boolean>): Promise<boolean>
  /** The same for the token of an invitation. */
  invitation(address: string, isRight: () => Promise<boolean>): Promise<boolean>
}

interface Bucket {
  readonly key: string
  readonly burst: number
  readonly perSecond: number
}

/** Five wrong answers, then one every twelve seconds. */
const five = (key: string): Bucket => ({ key: `guess:${key}`, burst: 5, perSecond: 5 / 60 })

/** All accounts together, from one network: an office behind one address mistypes more than one person does. */
const ofNetwork = (address: string): Bucket => ({
  key: `guess:network:${networkOf(address)}`,
  burst: 20,
  perSecond: 20 / 60,
})

/** Six digits are few. At twenty an hour, a year of guessing finds a code with a chance of about two in five. */
const twentyAnHour = (key: string): Bucket => ({
  key: `guess:factor:${key}`,
  burst: 20,
  perSecond: 20 / 3_600,
})

export function createSignInLimit(buckets: GuessBuckets): SignInLimit {
  return {
    password: (guesser, isRight) => counted(buckets, passwordBuckets(guesser), isRight),
    factor: (guesser, operatorId, isRight) =>
      counted(buckets, [...passwordBuckets(guesser), twentyAnHour(factorKey(guesser, operatorId))], isRight),
    invitation: (address, isRight) => counted(buckets, [ofNetwork(address)], isRight),
  }
}

function passwordBuckets(guesser: Guesser): readonly Bucket[] {
  if ('sessionId' in guesser) return [five(`session:${guesser.sessionId}`)]
  if ('deviceId' in guesser) return [five(`device:${guesser.deviceId}`)]
  const { email, address } = guesser
  return [five(`account:${accountKey(email)}:${networkOf(address)}`), ofNetwork(address)]
}

/** Strangers share one bucket for each account, whatever their networks: six digits cannot stand many networks. */
function factorKey(guesser: Guesser, operatorId: OperatorId): string {
  if ('sessionId' in guesser) return `session:${guesser.sessionId}`
  return 'deviceId' in guesser ? `device:${guesser.deviceId}` : `account:${operatorId}`
}

/**
 * Hashed, because Redis need not know at which addresses somebody guesses. Other spellings share the bucket of the
 * account, although they do not find it: two buckets would tell that there is one.
 */
const accountKey = (email: string): string =>
  createHash('sha256').update(email.normalize('NFKC').trim().toLowerCase()).digest('base64url')

async function counted(
  buckets: GuessBuckets,
  of: readonly Bucket[],
  isRight: () => Promise<boolean>,
): Promise<boolean> {
  await takeAll(buckets, of)
  let keeps = false
  try {
    const right = await isRight()
    keeps = !right
    return right
  } finally {
    // Also after a fault of our own, such as too many sign-ins at once: it was no guess.
    if (!keeps) await giveBack(buckets, of)
  }
}

async function takeAll(buckets: GuessBuckets, of: readonly Bucket[]): Promise<void> {
  const taken = await Promise.all(of.map(({ key, perSecond, burst }) => buckets.take(key, perSecond, burst)))
  if (taken.every(({ allowed }) => allowed)) return
  await giveBack(
    buckets,
    of.filter((_, place) => taken[place]?.allowed),
  )
  const waitMs = Math.max(...taken.map(({ retryAfterMs }) => retryAfterMs))
  throw new AppError('RATE_LIMITED', 'Too many failed sign-ins; wait as long as Retry-After says.', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}

const giveBack = (buckets: GuessBuckets, of: readonly Bucket[]): Promise<unknown> =>
  Promise.all(of.map(({ key, perSecond, burst }) => buckets.giveBack(key, perSecond, burst)))
