// What the bot does beside its calls. test/e2e/bot.test.ts has the calls.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { freePort } from '../../../src/dev/embedded/ports.ts'
import { type BotOptions, startBot } from '../../../src/examples/bot/bot.ts'
import type { Switchboard } from '../../../src/examples/bot/switchboard.ts'
import { echo } from '../../../src/examples/bot/voices.ts'
import { after, describe, test } from '../../support/harness.ts'

const secret = 'a secret of these tests'

function switchboard(asked: string[] = []): Switchboard {
  const unasked = () => Promise.reject(new Error('not asked for here'))
  return {
    ...{ answer: unasked, place: unasked, conversationWith: unasked },
    async iceServers() {
      asked.push('for a peer')
      return []
    },
    end: async (callId) => void asked.push(`to end ${callId}`),
  }
}

async function bot(more: Partial<BotOptions> = {}) {
  const port = await freePort()
  const started = await startBot({
    ...{ host: '127.0.0.1', port, secret, voice: echo, maxCalls: 2, switchboard: switchboard() },
    log: () => undefined,
    ...more,
  })
  after(() => started.close())
  return { port, ...started }
}

function dial(port: number, options: object = {}): WebSocket {
  const timestamp = String(Date.now())
  const nonce = 'once'
  const signature = createHmac('sha256', secret).update(`${timestamp}.${nonce}`).digest('hex')
  return new WebSocket(`ws://127.0.0.1:${port}`, {
    ...options,
    headers: {
      'x-communication-timestamp': timestamp,
      'x-communication-nonce': nonce,
      'x-communication-signature-256': `sha256=${signature}`,
    },
  })
}

describe('the bot', () => {
  test('says that its port is taken, and lives on to say it', async () => {
    const { port } = await bot()
    await assert.rejects(bot({ port }), /EADDRINUSE/)
  })

  test('lets go of a socket whose other end is gone without a word', async () => {
    const { port } = await bot({ pingEveryMs: 20 })
    const silent = dial(port, { autoPong: false })
    const closed = once(silent, 'close')
    await once(silent, 'ping')
    const [code] = await closed
    assert.equal(code, 1006)
  })

  test('takes no call any more while it hangs up', async () => {
    const asked: string[] = []
    const { calls } = await bot({ switchboard: switchboard(asked) })
    const closing = calls.close()
    await calls.ring({ id: 'late', from: '15557000021', session: { sdp: '' } })
    await closing
    assert.deepEqual([asked, calls.size], [['to end late'], 0])
    await assert.rejects(calls.place('cnv_1'), /stopping/)
  })
})
