import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { DeadlineExceeded, withDeadline } from '../../../src/shared/deadline.ts'
import { digestOf } from '../../../src/shared/digest.ts'
import { parseDuration } from '../../../src/shared/duration.ts'
import { Generations } from '../../../src/shared/generations.ts'
import { Lru } from '../../../src/shared/lru.ts'
import { canMove, isTerminal, sourcesOf } from '../../../src/shared/machine.ts'
import { isE164, toDigits, toE164 } from '../../../src/shared/phone.ts'
import { describe, test } from '../../support/harness.ts'

describe('durations', () => {
  test('are read in every unit, and nothing else is', () => {
    assert.deepEqual(
      ['250ms', '10s', '1.5m', '2h', '1d'].map(parseDuration),
      [250, 10_000, 90_000, 7_200_000, 86_400_000],
    )
    assert.deepEqual(['', '10', 's', '-1s', '1w', '1s2m'].map(parseDuration), Array(6).fill(undefined))
  })
})

describe('the digest of a value', () => {
  test('does not depend on the order of fields, and on everything else it does', () => {
    const at = new Date(0)
    assert.equal(digestOf({ a: 1, b: { c: [1, 2], d: at } }), digestOf({ b: { d: at, c: [1, 2] }, a: 1 }))
    const all = [{ a: 1 }, { a: '1' }, { a: null }, {}, [], [1, 2], [2, 1], { a: [1] }, { a: { 0: 1 } }]
    assert.equal(new Set(all.map(digestOf)).size, all.length)
  })
})

describe('phone numbers', () => {
  test('need a plus, no leading zero, and 7 to 15 digits', () => {
    assert.ok(isE164('+15557000001'))
    for (const text of ['15557000001', '+0155570001', '+1555', '+1234567890123456', '+1 555 700', '']) {
      assert.equal(isE164(text), false, text)
    }
  })

  test('lose and regain their plus', () => {
    assert.equal(toDigits('+1 (555) 700-0001'), '15557000001')
    assert.equal(toE164('15557000001'), '+15557000001')
  })
})

describe('a state machine as a table', () => {
  const machine = { open: ['closed', 'lost'], closed: ['lost'], lost: [] } as const
  test('knows what may follow, what ends and what may come before', () => {
    assert.equal(canMove(machine, 'open', 'closed'), true)
    assert.equal(canMove(machine, 'closed', 'open'), false)
    assert.equal(isTerminal(machine, 'lost'), true)
    assert.deepEqual(sourcesOf(machine, 'lost'), ['open', 'closed'])
  })
})

describe('a bounded map', () => {
  test('forgets what was used longest ago', () => {
    const map = new Lru<number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('c', 3)
    map.get('a')
    map.set('d', 4)
    map.set('e', 5)
    assert.deepEqual(
      ['a', 'b', 'd', 'e'].map((key) => map.get(key)),
      [1, undefined, 4, 5],
    )
    map.delete('a')
    assert.equal(map.get('a'), undefined)
  })

  test('never holds more than twice its limit', () => {
    const map = new Lru<number>(10)
    for (let key = 0; key < 1_000; key += 1) {
      map.set(`${key}`, key)
      map.get('0')
    }
    const kept = Array.from({ length: 1_000 }, (_, key) => `${key}`).filter(
      (key) => map.get(key) !== undefined,
    )
    assert.ok(kept.includes('0') && kept.length >= 10 && kept.length <= 20, kept.join(' '))
  })
})

describe('a map of what was set lately', () => {
  test('keeps each entry for its time at least, and forgets what is twice as old', () => {
    const map = new Generations<number>({ limit: 100, keepMs: 1_000 })
    map.set('a', 1, 5_000)
    map.set('b', 2, 5_999)
    map.set('c', 3, 6_998)
    assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, 2, 3])
    map.set('d', 4, 8_000)
    assert.deepEqual([map.get('a'), map.get('b'), map.get('c'), map.get('d')], [undefined, undefined, 3, 4])
    map.set('e', 5, 99_000)
    assert.deepEqual([map.get('d'), map.get('e')], [undefined, 5])
  })

  test('of one key, the value that was set last holds', () => {
    const map = new Generations<number>({ limit: 2 })
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    map.set('c', 4)
    assert.equal(map.get('a'), 3)
    map.delete('a')
    assert.equal(map.get('a'), undefined)
  })
})

describe('a deadline', () => {
  test('rejects what takes too long and lets through what does not', async () => {
    const never = new Promise<never>(() => undefined)
    await assert.rejects(withDeadline(never, 5, 'waiting'), DeadlineExceeded)
    assert.equal(await withDeadline(Promise.resolve(1), 1_000, 'waiting'), 1)
    await assert.rejects(withDeadline(Promise.reject(new Error('no')), 1_000, 'waiting'), /no/)
  })

  test('does not count the time in which this process stood still', async () => {
    const stood = new Int32Array(new SharedArrayBuffer(8))
    const code = `const { parentPort, workerData } = require('node:worker_threads')
      parentPort.postMessage('ready')
      Atomics.wait(workerData, 1, 0)
      parentPort.postMessage('an answer that came meanwhile')
      Atomics.store(workerData, 0, 1)
      Atomics.notify(workerData, 0)`
    const other = new Worker(code, { eval: true, workerData: stood })
    await once(other, 'message')
    const answer = withDeadline(
      once(other, 'message').then(([text]) => text),
      50,
      'waiting',
    )
    // From here the loop goes on with its timers, and only then with what has come.
    await new Promise(setImmediate)
    Atomics.store(stood, 1, 1)
    Atomics.notify(stood, 1)
    Atomics.wait(stood, 0, 0)
    Atomics.wait(stood, 0, 1, 200)
    assert.equal(await answer, 'an answer that came meanwhile')
  })
})
