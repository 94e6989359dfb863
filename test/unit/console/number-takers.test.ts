import assert from 'node:assert/strict'
import { consequenceOf, takersOf } from '../../../src/console/web/pages/numbers/takers.ts'
import type { EndpointRecord } from '../../../src/contract/records/console.ts'
import { describe, test } from '../../support/harness.ts'

const endpoint = (name: string, rest: Partial<EndpointRecord> = {}) =>
  ({ id: `end_${name}`, name, enabled: true, events: ['message.received'], ...rest }) as EndpointRecord

const shop = endpoint('Shop')
const crm = endpoint('CRM')
const off = endpoint('Off', { enabled: false })
const log = endpoint('Log', { events: ['message.status'] })

describe('where replies to a number go', () => {
  test('without a choice: to all endpoints that take them and are on', () => {
    assert.deepEqual(takersOf([shop, off, crm, log]), [shop, crm])
    assert.equal(
      consequenceOf([shop, crm, log], ''),
      'Replies go to every endpoint that takes them: Shop, CRM.',
    )
    assert.match(consequenceOf([log, off], ''), /^No endpoint takes replies now\./)
  })

  test('a choice says what it takes from the others', () => {
    assert.equal(consequenceOf([shop, log], shop.id), 'Replies to this number go to this endpoint alone.')
    assert.match(consequenceOf([shop, crm], shop.id), /alone: CRM gets them no more\.$/)
    assert.match(consequenceOf([shop, crm, endpoint('BI')], shop.id), /: CRM, BI get them no more\.$/)
  })
})
