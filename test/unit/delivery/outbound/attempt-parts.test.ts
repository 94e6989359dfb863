import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { answerOf, BodyHead } from '../../../../src/delivery/outbound/answer.ts'
import { startDeadline } from '../../../../src/delivery/outbound/deadline.ts'
import { answeredReport } from '../../../../src/delivery/outbound/report.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

describe('the head of a body', () => {
  for (const sizes of [[], [0], [1, 2, 3], [5_000, 5_000, 5_000, 5_000], [16_384, 1], [40_000]]) {
    test(`keeps the first 16 KiB of pieces of ${sizes.join(', ') || 'nothing'}`, () => {
      const all = Buffer.concat(sizes.map((size, index) => Buffer.alloc(size, index + 1)))
      const head = new BodyHead()
      for (let at = 0, index = 0; index < sizes.length; index += 1) {
        const size = sizes[index] ?? 0
        head.add(all.subarray(at, at + size))
        at += size
      }
      assert.deepEqual(Buffer.from(head.bytes()), all.subarray(0, 16_384))
      assert.equal(head.seenBytes, all.byteLength)
    })
  }
})

describe('the deadline of an attempt', () => {
  test('tells its listener and its signal of an interruption, once, whenever the signal was asked for', () => {
    for (const isEarly of [true, false]) {
      const outer = new AbortController()
      const deadline = startDeadline(60_000, outer.signal)
      let told = 0
      deadline.onOver = () => (told += 1)
      const early = isEarly ? deadline.signal : undefined
      assert.equal(deadline.isOver, false)
      outer.abort()
      assert.deepEqual([told, deadline.isOver, deadline.isInterrupted()], [1, true, true])
      assert.equal((early ?? deadline.signal).aborted, true)
      deadline.clear()
    }
  })

  test('is over from the beginning where the attempt was interrupted before', () => {
    const deadline = startDeadline(60_000, AbortSignal.abort())
    assert.deepEqual([deadline.isOver, deadline.isInterrupted()], [true, true])
    deadline.clear()
  })

  test('ends with its time, and was not interrupted then', async () => {
    const deadline = startDeadline(1)
    await new Promise<void>((resolve) => {
      deadline.onOver = resolve
    })
    assert.deepEqual(
      [deadline.isOver, deadline.isInterrupted(), deadline.signal.aborted],
      [true, false, true],
    )
    deadline.clear()
  })
})

test('a process that stood still reads the answer that came meanwhile before it looks at the deadline', async () => {
  const server = createServer((socket) => void socket.once('data', () => socket.write('answer')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1', () => socket.write('question'))
  const deadline = startDeadline(100)
  const first = new Promise<string>((resolve) => {
    deadline.onOver = () => resolve('deadline')
    socket.once('data', () => resolve('answer'))
  })
  // The answer is in the kernel when the time is over.
  socket.once('connect', () =>
    setImmediate(() =>
      setImmediate(() => {
        const until = performance.now() + 150
        while (performance.now() < until);
      }),
    ),
  )
  assert.equal(await first, 'answer')
  deadline.clear()
  socket.destroy()
  server.close()
})

describe('a report', () => {
  const clock = new SimulatedClock()
  const report = (headers: Record<string, string>) =>
    answeredReport(answerOf(503, headers, new BodyHead()), { durationMs: 1 }, clock)

  test('has the wait that the receiver asks for by its own clock, and none where it asks for none', () => {
    const date = 'Sun, 22 Nov 2026 10:00:00 GMT'
    assert.equal(report({ date, 'retry-after': 'Sun, 22 Nov 2026 10:00:30 GMT' }).retryAfterMs, 30_000)
    assert.equal(report({ date }).retryAfterMs, null)
  })
})
