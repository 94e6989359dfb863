import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type Exchange, PendingExchange } from '../../../../src/provider/outgoing/pending-exchange.ts'
import { describe, type TestContext, test } from '../../../support/harness.ts'

const controller = { abort() {} } as never

/** A request with a deadline of 100 ms, of a process whose timers run when the test says. */
function begin(t: TestContext) {
  const later = setTimeout
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const ended: Exchange[] = []
  const pending = new PendingExchange({ timeoutMs: 100, maxAnswerBytes: 1_000 }, (one) => ended.push(one))
  return { pending, ended, later, halt: (ms: number) => t.mock.timers.tick(ms) }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('after its process stood still, a request', () => {
  test('has half of its time left', async (t) => {
    const { pending, ended, halt } = begin(t)
    pending.onRequestStart(controller)
    halt(100_000)
    halt(49)
    await nextTurn()
    assert.deepEqual(ended, [])
    halt(1)
    await nextTurn()
    assert.deepEqual(ended, [{ type: 'failed', code: 'TIMEOUT', written: true, details: null }])
  })

  test('has the answer that came meanwhile, although its time is over', async (t) => {
    const { pending, ended, later, halt } = begin(t)
    pending.onRequestStart(controller)
    halt(50)
    const server = createServer((socket) => {
      socket.write('answer')
      // The answer is in the kernel, unread, when the timers run.
      later(() => halt(50), 1)
      const until = performance.now() + 5
      while (performance.now() < until);
    })
    t.after(() => server.close())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    t.after(() => socket.destroy())
    await once(socket, 'data')
    pending.onResponseStart(controller, 200, {})
    pending.onResponseEnd()
    assert.equal(ended[0]?.type, 'answered')
  })

  test('that was not written is given up at once, before a connection can take it', (t) => {
    const { ended, halt } = begin(t)
    halt(50)
    halt(50)
    assert.deepEqual(ended, [{ type: 'failed', code: 'TIMEOUT', written: false, details: null }])
  })
})
