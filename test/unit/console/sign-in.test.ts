import assert from 'node:assert/strict'
import type { ConsoleServices } from '../../../src/console/services.ts'
import { confirmPassword, proveOperator } from '../../../src/console/sign-in.ts'
import { createSignInLimit } from '../../../src/console/sign-in-limit.ts'
import { newId } from '../../../src/shared/ids.ts'
import { test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const credentials = { id: newId('operator'), email: 'ann@example.com', passwordHash: '', totpSeed: null }

/** Each password check ends when the test says so, because the real hasher delays checks, too. */
function world() {
  let failures = 0
  const limiter = {
    take: async () => {
      failures += 1
      return { allowed: failures <= 5, remaining: 5 - failures, retryAfterMs: 12_000 }
    },
  }
  const judge: ((isRight: boolean) => void)[] = []
  const services = {
    signInLimit: createSignInLimit({ limiter, clock: new SimulatedClock() }),
    operators: { findByEmail: async () => credentials, find: async () => credentials },
    passwords: { verify: () => new Promise<boolean>((resolve) => judge.push(resolve)) },
  }
  return { services: services as unknown as ConsoleServices, judge }
}

const code = (error: unknown) => (error as { code: string }).code

for (const [what, guess] of [
  [
    'signing in',
    (services: ConsoleServices) =>
      proveOperator(services, { email: 'ann@example.com', password: '', factor: {}, address: '::1' }),
  ],
  [
    'confirming a password',
    (services: ConsoleServices) =>
      confirmPassword(
        services,
        { operatorId: credentials.id, email: 'ann@example.com' },
        { password: '', address: '::1' },
      ),
  ],
] as const)
  test(`${what}: of guesses sent side by side, a right one behind five wrong ones is refused`, async () => {
    const { services, judge } = world()
    const answers = Array.from({ length: 9 }, () => guess(services).then(() => 'in', code))
    while (judge.length < 9) await new Promise(setImmediate)
    for (const say of judge.slice(0, 5)) say(false)
    const wrong = await Promise.all(answers.slice(0, 5))
    assert.ok(wrong.every((answer) => answer === 'UNAUTHORIZED' || answer === 'FORBIDDEN'))
    for (const say of judge.slice(5)) say(true)
    assert.deepEqual(await Promise.all(answers.slice(5)), Array(4).fill('RATE_LIMITED'))
  })
