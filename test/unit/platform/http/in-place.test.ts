import assert from 'node:assert/strict'
import { inPlace } from '../../../../src/platform/http/in-place.ts'
import { places } from '../../../../src/platform/http/places.ts'
import { Answer, LinesAnswer, RawAnswer } from '../../../../src/platform/http/route.ts'
import { describe, test } from '../../../support/harness.ts'

async function* two(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('one')
  yield Buffer.from('two')
}

/** One place, and whether it is free. */
function scene() {
  const enter = places({ perOwner: 1, all: 1, words: { perOwner: 'taken', all: 'taken' } })
  const client = new AbortController()
  const isFree = () => {
    try {
      enter('me').leave()
      return true
    } catch {
      return false
    }
  }
  const run = <R>(answer: () => Promise<R>) => inPlace(client, () => enter('me'), answer)
  return { client, isFree, run }
}

async function streamed(answer: () => RawAnswer | LinesAnswer = () => new RawAnswer(two(), {})) {
  const { run, ...rest } = scene()
  const result = await run(async () => answer())
  const body = (result instanceof LinesAnswer ? result.batches : result.body) as AsyncIterable<unknown>
  return { ...rest, result, steps: body[Symbol.asyncIterator]() }
}

describe('a request in a place', () => {
  test('of a client who is gone already takes none', async () => {
    const { client, isFree, run } = scene()
    client.abort()
    await assert.rejects(
      run(async () => assert.fail('nobody waits for it')),
      { name: 'AbortError' },
    )
    assert.ok(isFree())
  })

  test('gives it back as soon as the client is gone, before there is an answer', async () => {
    const { client, isFree, run } = scene()
    const never = run(() => new Promise<never>(() => undefined))
    assert.equal(isFree(), false)
    client.abort()
    assert.ok(isFree())
    void never
  })

  test('gives it back with an answer that is no stream, and with an error', async () => {
    for (const answer of [
      new RawAnswer('text', {}),
      new RawAnswer(Buffer.from('bytes'), {}),
      new Answer(1),
      {},
    ]) {
      const { isFree, run } = scene()
      assert.equal(await run(async () => answer), answer)
      assert.ok(isFree())
    }
    const { isFree, run } = scene()
    await assert.rejects(
      run(() => Promise.reject(new Error('no such list'))),
      /no such list/,
    )
    assert.ok(isFree())
  })

  test('keeps it until the whole body was read, of a stream and of lines', async () => {
    for (const answer of [
      () => new RawAnswer(two(), { etag: 'a' }, 206),
      () => new LinesAnswer(two() as never, { etag: 'a' }),
    ]) {
      const { result, steps, isFree } = await streamed(answer)
      assert.deepEqual(result.headers, { etag: 'a' })
      if (result instanceof RawAnswer) assert.equal(result.status, 206)
      const read: string[] = []
      for (let step = await steps.next(); !step.done; step = await steps.next()) {
        assert.equal(isFree(), false)
        read.push(String(step.value))
      }
      assert.deepEqual(read, ['one', 'two'])
      assert.ok(isFree())
    }
  })

  test('gives it back when the body is given up, before its first piece or after', async () => {
    for (const pieces of [0, 1]) {
      const { steps, isFree } = await streamed()
      for (let piece = 0; piece < pieces; piece += 1) await steps.next()
      assert.equal(isFree(), false)
      await steps.return?.()
      assert.ok(isFree())
    }
  })

  test('gives it back when the body fails, and when the client is gone while it is read', async () => {
    const failing = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the store is gone')) }),
    }
    const { steps, isFree } = await streamed(() => new RawAnswer(failing, {}))
    await assert.rejects(steps.next(), /the store is gone/)
    assert.ok(isFree())
    const reading = await streamed()
    await reading.steps.next()
    reading.client.abort()
    assert.ok(reading.isFree())
  })
})
