import assert from 'node:assert/strict'
import { createInboundElementStore } from '../../../../src/platform/postgres/inbound-elements.store.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'

test('elements find their call or message by index, also on a plan made while there were none', async () => {
  const one = testPool(await testDatabase(), 1)
  const scans = async () => {
    await one`select pg_stat_force_next_flush()`
    return one`select relname, seq_scan from pg_stat_user_tables where relname in ('calls', 'messages') order by 1`
  }
  await one`analyze calls, messages`
  const before = await scans()
  await createInboundElementStore(one).keepLinked([
    {
      id: newId('element'),
      field: 'calls',
      part: 'calls',
      phoneNumberId: '100000000000001',
      body: '{}',
      fullBytes: null,
      subject: { kind: 'call', providerId: 'wacid.unknown', id: newId('call') },
    },
  ])
  assert.deepEqual(await scans(), before)
})
