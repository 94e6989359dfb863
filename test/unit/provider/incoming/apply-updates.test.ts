import assert from 'node:assert/strict'
import type { ProviderUpdate } from '../../../../src/contract/provider-updates.ts'
import { applyInOrder } from '../../../../src/provider/incoming/apply-updates.ts'
import { parseWebhook } from '../../../../src/provider/incoming/parse.ts'
import { describe, test } from '../../../support/harness.ts'
import { calls, change, envelope, messages, parse, statuses, USER } from './fixtures.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const fromUsers = (count: number): ProviderUpdate[] =>
  parse(
    change('messages', {
      messages: Array.from({ length: count }, (_, index) => ({
        ...messages['text'],
        id: `wamid.${index}`,
        from: String(351_910_000_000 + index),
      })),
    }),
  ).updates

describe('a batch of updates', () => {
  test('of one call is applied one after the other, by its time', async () => {
    const { updates } = parse(
      change('calls', {
        calls: [calls['outboundConnect'], calls['completed']],
        statuses: [calls['accepted']],
      }),
    )
    const log: string[] = []
    await applyInOrder(updates, {
      timeoutMs: 10_000,
      apply: async ({ type }) => {
        log.push(`${type} begins`)
        await turn()
        log.push(`${type} ends`)
      },
    })
    assert.deepEqual(log, [
      'callConnect begins',
      'callConnect ends',
      'callStatus begins',
      'callStatus ends',
      'callTerminate begins',
      'callTerminate ends',
    ])
  })

  test('with a call declined and ended within one second applies the end last', async () => {
    const { timestamp } = calls['declined'] ?? {}
    const content = { calls: [{ ...calls['rejected'], timestamp }], statuses: [calls['declined']] }
    // The time of a status that arrives within its second is that of its arrival.
    for (const afterMs of [400, 60_000]) {
      const receivedAt = new Date(Number(timestamp) * 1_000 + afterMs)
      const { updates } = parseWebhook(envelope(change('calls', content)), receivedAt)
      const applied: string[] = []
      await applyInOrder(updates, {
        timeoutMs: 10_000,
        apply: async ({ type }) => {
          applied.push(type)
        },
      })
      assert.deepEqual(applied, ['callStatus', 'callTerminate'])
    }
  })

  test('of one conversation keeps its order over messages and statuses', async () => {
    const { updates } = parse(
      change('messages', { messages: [messages['text'], messages['image']], statuses: [statuses['sent']] }),
    )
    let running = 0
    const seen: string[] = []
    await applyInOrder(updates, {
      timeoutMs: 10_000,
      apply: async (update) => {
        running += 1
        assert.equal(running, 1)
        await turn()
        seen.push(update.type)
        running -= 1
      },
    })
    assert.deepEqual(seen, ['inboundMessage', 'inboundMessage', 'messageStatus'])
    assert.equal(
      updates.every((update) => !('from' in update) || update.from.phone === USER),
      true,
    )
  })

  test('of many users is applied side by side, but not all at once', async () => {
    let running = 0
    let most = 0
    await applyInOrder(fromUsers(500), {
      timeoutMs: 10_000,
      apply: async () => {
        running += 1
        most = Math.max(most, running)
        await turn()
        running -= 1
      },
    })
    assert.equal(most, 64)
  })

  test('goes on after a failure, also for the same conversation, and counts it', async () => {
    const { updates } = parse(change('messages', { messages: [messages['text'], messages['image']] }))
    const applied: string[] = []
    const errors = await applyInOrder([...updates, ...fromUsers(3)], {
      timeoutMs: 10_000,
      apply: (update) => {
        if (update === updates[0]) throw new Error('the database is away')
        applied.push(update.type)
        return Promise.resolve()
      },
    })
    assert.deepEqual([errors.length, applied.length], [1, 4])
  })

  test('of one that fails, or is not over in time, counts it', async () => {
    const [one] = fromUsers(1)
    assert(one)
    const applied = (apply: () => Promise<unknown>) => applyInOrder([one], { timeoutMs: 20, apply })
    assert.deepEqual(await applied(() => Promise.resolve()), [])
    for (const apply of [
      () => Promise.reject(new Error('the database is away')),
      () => new Promise(() => {}),
      () => {
        throw new Error('the database is away')
      },
    ])
      assert.equal((await applied(apply)).length, 1)
  })

  test('is given up when its time is over, without beginning what is left', async () => {
    let begun = 0
    const errors = await applyInOrder(fromUsers(200), {
      timeoutMs: 20,
      apply: () => {
        begun += 1
        return new Promise(() => {})
      },
    })
    assert.deepEqual([errors.length, begun], [200, 64])
  })
})
