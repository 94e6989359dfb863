import assert from 'node:assert/strict'
import { takersOf } from '../../../src/console/web/pages/numbers/takers.ts'
import type { EndpointRecord } from '../../../src/contract/records/console.ts'
import { test } from '../../support/harness.ts'

const endpoint = (name: string, rest: Partial<EndpointRecord> = {}) =>
  ({ id: `end_${name}`, name, enabled: true, events: ['message.received'], ...rest }) as EndpointRecord

test('replies to a number without an endpoint go to all that take them and are on', () => {
  const [shop, crm] = [endpoint('Shop'), endpoint('CRM')]
  const off = endpoint('Off', { enabled: false })
  const log = endpoint('Log', { events: ['message.status'] })
  assert.deepEqual(takersOf([shop, off, crm, log]), [shop, crm])
  assert.deepEqual(takersOf([log, off]), [])
})
