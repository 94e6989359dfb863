// A process that has no file descriptor left, and makes an attempt: for a test that runs it under a low limit.
import { openSync } from 'node:fs'
import { createConnector } from '../../../src/outbound/connect.ts'
import { createHttpsSender } from '../../../src/outbound/https-sender.ts'
import { createResolver } from '../../../src/outbound/resolve.ts'
import { systemClock } from '../../../src/shared/clock.ts'

const policy = 'any' as const
const clock = systemClock
const connect = createConnector({ policy, resolver: createResolver({ policy, clock }) })
const sender = createHttpsSender({ policy, connect, clock, userAgent: 'starved' })
const request = {
  url: String(process.argv[2]),
  headers: {},
  body: Buffer.from('{}'),
  deadlineMs: 5_000,
  lane: 'x',
}

function starve(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {
    // None is left: that is what was wanted.
  }
}

process.stdout.write('')
starve()
const { outcome } = await sender.send(request)
process.stdout.write(JSON.stringify(outcome))
process.exit(0)
