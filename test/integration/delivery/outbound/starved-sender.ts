// A process that has no file descriptor left and makes an attempt. A test runs it with a low limit.
import { openSync } from 'node:fs'
import { createConnector } from '../../../../src/delivery/outbound/connect.ts'
import { createHttpsSender } from '../../../../src/delivery/outbound/https-sender.ts'
import { createResolver } from '../../../../src/delivery/outbound/resolve.ts'
import { systemClock } from '../../../../src/shared/clock.ts'

const policy = 'any' as const
const clock = systemClock
const connect = createConnector({ policy, resolver: createResolver({ policy, clock }) })
const sender = createHttpsSender({ policy, connect, clock, userAgent: 'starved' })
const request = {
  url: String(process.argv[2]),
  headers: {},
  body: Buffer.from('{}'),
  deadlineMs: 5_000,
  pool: 'x',
}

function starve(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {
    // No descriptor is left, as intended.
  }
}

process.stdout.write('')
starve()
const { outcome } = await sender.send(request)
process.stdout.write(JSON.stringify(outcome))
process.exit(0)
