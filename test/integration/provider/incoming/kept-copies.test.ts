import assert from 'node:assert/strict'
import { createInboundElementStore } from '../../../../src/platform/postgres/inbound-elements.store.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'
import { addTenant, type Tenant } from '../../../support/rows.ts'
import { openKept } from './kept-world.ts'

const { deliver, keptOf, sql, store } = await openKept()

const textOf = (id: string, body: string) => ({
  ...{ id, type: 'text', text: { body }, from: '351910000088' },
  timestamp: String(Math.floor(Date.now() / 1000)),
})

const webhookOf = ({ phoneNumberId, number }: Tenant, messages: readonly object[]) => {
  const metadata = { display_phone_number: number.slice(1), phone_number_id: phoneNumberId }
  return { field: 'messages', value: { messaging_product: 'whatsapp', metadata, messages } }
}

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

test('whatever is in a text, each copy is of its own message', async () => {
  const tenant = await addTenant(sql)
  const texts = ['a\u001fb', 'She says "no" \\ {1,NULL}', '\u001f', 'new\nline', '']
  const messages = texts.map((body, index) => textOf(`wamid.COPY${index}`, body))
  await deliver(webhookOf(tenant, messages))
  const kept = (await keptOf(tenant.workspaceId)).map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    kept.map(({ value }) => value.messages[0]),
    messages,
  )
})

test('not even a copy with what separates them in a statement reaches another one', async () => {
  const tenant = await addTenant(sql)
  const { workspaceId, phoneNumberId } = tenant
  const messages = ['wamid.APART1', 'wamid.APART2'].map((id) => textOf(id, id))
  await deliver(webhookOf(tenant, messages))
  await store.keepLinked(
    messages.map(({ id }) => ({
      ...{ id: newId('element'), field: 'messages', part: 'messages', fullBytes: null },
      ...{
        phoneNumberId,
        body: `"\u001f${id}"`,
        subject: { kind: 'message' as const, providerId: id, id: null },
      },
    })),
  )
  const copies = (await keptOf(workspaceId)).slice(-2).map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    copies,
    messages.map(({ id }) => `\u001f${id}`),
  )
})
