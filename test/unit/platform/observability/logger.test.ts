import assert from 'node:assert/strict'
import { createLogger } from '../../../../src/platform/observability/logger.ts'
import { test } from '../../../support/harness.ts'

/** What one log line contains for these fields. */
function logged<Fields = unknown>(fields: object): Record<string, unknown> & Fields {
  const lines: string[] = []
  const log = createLogger({ LOG_LEVEL: 'info' }, 'test', { write: (line) => void lines.push(line) })
  log.info(fields, 'something.happened')
  assert.equal(lines.length, 1)
  return JSON.parse(lines[0] ?? '')
}

test('a line has its level, its time, its process and its event', () => {
  const { time, pid, hostname, ...rest } = logged({ callId: 'call_1', counts: { text: 1, failed: 2 } })
  assert.deepEqual(rest, {
    level: 'info',
    name: 'test',
    event: 'something.happened',
    callId: 'call_1',
    counts: { failed: 2 },
  })
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  assert.ok(pid !== undefined && hostname !== undefined)
})

test('secrets, SDP and texts are cut out of a line and of what it holds', () => {
  const secrets = {
    authorization: 'Bearer ck_live_hidden',
    apiKey: 'ck_live_hidden',
    secret: 'whsec_hidden',
    password: 'hidden',
    sdp: 'v=0 hidden',
    text: 'hidden',
    body: Buffer.from('hidden'),
  }
  const { callId, request, error } = logged<{ error: Record<string, unknown> }>({
    ...secrets,
    callId: 'call_1',
    request: { ...secrets, status: 200 },
    error: Object.assign(new Error('failed'), secrets, { code: 'E_FAILED' }),
  })
  const { stack, ...named } = error
  assert.match(String(stack), /^ +at /)
  assert.deepEqual(
    { callId, request, named },
    {
      callId: 'call_1',
      request: { status: 200 },
      named: { type: 'Error', message: 'failed', code: 'E_FAILED' },
    },
  )
  const line = JSON.stringify(logged({ ...secrets, request: { ...secrets } }))
  assert.doesNotMatch(line, /hidden/)
  for (const name of Object.keys(secrets)) assert.ok(!line.includes(`"${name}"`), name)
})

test('what is logged is not changed', () => {
  const fields = { sdp: 'v=0', request: { text: 'hello', status: 200 } }
  logged(fields)
  assert.deepEqual(fields, { sdp: 'v=0', request: { text: 'hello', status: 200 } })
})
