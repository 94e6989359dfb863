import assert from 'node:assert/strict'
import { createSignInLimit } from '../../../src/console/sign-in-limit.ts'
import { AppError } from '../../../src/contract/errors.ts'
import type { BucketState } from '../../../src/platform/http/rate-limit.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const full: BucketState = { allowed: true, remaining: 4, retryAfterMs: 0 }
const last: BucketState = { allowed: true, remaining: 0, retryAfterMs: 12_000 }

function world(answers: Record<string, BucketState> = {}) {
  const clock = new SimulatedClock()
  const taken: string[] = []
  const limiter = {
    take: async (key: string, rate: number, burst: number) => {
      taken.push(`${key} ${burst} ${Math.round(rate * 60)}`)
      return answers[key] ?? full
    },
  }
  return { clock, taken, limit: createSignInLimit({ limiter, clock }) }
}

const ann = { email: 'Ann@Example.com ', address: '192.0.2.1' }
const isRefused = (run: () => void) =>
  assert.throws(
    run,
    (error) => error instanceof AppError && error.code === 'RATE_LIMITED' && error.retryAfterSeconds === 12,
  )

describe('sign-in limit', () => {
  test('a failure takes a token of the e-mail, however it is spelt, and of the address', async () => {
    const { limit, taken } = world()
    await limit.failed(ann)
    assert.deepEqual(taken, ['sign-in:email:ann@example.com 5 5', 'sign-in:address:192.0.2.1 5 5'])
    limit.check(ann)
  })

  test('with the last token gone everything of that e-mail or that address waits for the next one', async () => {
    const { limit, clock } = world({ 'sign-in:email:ann@example.com': last })
    await limit.failed(ann)
    isRefused(() => limit.check(ann))
    isRefused(() => limit.check({ ...ann, address: '192.0.2.2' }))
    limit.check({ ...ann, email: 'bob@example.com' })
    await clock.advance(12_000)
    limit.check(ann)
  })

  test('what it remembers is bounded: the oldest is forgotten first', async () => {
    const clock = new SimulatedClock()
    const limit = createSignInLimit({ limiter: { take: async () => last }, clock })
    for (let guess = 0; guess < 10_000; guess += 1)
      await limit.failed({ email: `${guess}@example.com`, address: '192.0.2.9' })
    isRefused(() => limit.check({ email: '9999@example.com', address: '192.0.2.3' }))
    limit.check({ email: '0@example.com', address: '192.0.2.3' })
  })
})
