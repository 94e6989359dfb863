import assert from 'node:assert/strict'
import type { ConsoleServices } from '../../../src/console/services.ts'
import { confirmPassword, proveOperator } from '../../../src/console/sign-in.ts'
import { createSignInLimit } from '../../../src/console/sign-in-limit.ts'
import { newId } from '../../../src/shared/ids.ts'
import { guessBuckets } from '../../support/guess-buckets.ts'
import { test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const credentials = { id: newId('operator'), email: 'ann@example.com', passwordHash: '', totpSeed: null }
const sessionId = newId('session')

/** Each password check ends when the test says so, because the real hasher delays checks, too. */
function world() {
  const judge: ((isRight: boolean) => void)[] = []
  const services = {
    signInLimit: createSignInLimit(guessBuckets(new SimulatedClock()).limiter),
    devices: { idOf: () => undefined },
    settings: { production: false },
    operators: { findByEmail: async () => credentials, find: async () => credentials },
    passwords: { verify: () => new Promise<boolean>((resolve) => judge.push(resolve)) },
  }
  return { services: services as unknown as ConsoleServices, judge }
}

const code = (error: unknown) => (error as { code: string }).code
const attempt = {
  email: 'ann@example.com',
  password: '',
  factor: {},
  from: { ip: '::1' },
  cookies: undefined,
}

for (const [what, refusal, guess] of [
  ['signing in', 'UNAUTHORIZED', (services: ConsoleServices) => proveOperator(services, attempt)],
  [
    'confirming a password',
    'FORBIDDEN',
    (services: ConsoleServices) =>
      confirmPassword(services, { operatorId: credentials.id, sessionId }, { password: '' }),
  ],
] as const)
  test(`${what}: of guesses sent side by side, those behind five are refused unseen`, async () => {
    const { services, judge } = world()
    const answers = Array.from({ length: 9 }, () => guess(services).then(() => 'in', code))
    const refused = await Promise.all(answers.slice(5))
    assert.deepEqual(refused, Array(4).fill('RATE_LIMITED'))
    assert.equal(judge.length, 5)
    for (const say of judge) say(false)
    assert.deepEqual(await Promise.all(answers.slice(0, 5)), Array(5).fill(refusal))
  })
