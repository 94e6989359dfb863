// The samples of which no message and no status of a message is made: calls, and what is kept only.
import assert from 'node:assert/strict'
import type { ProviderUpdate } from '../../../../src/contract/provider-updates.ts'
import { describe, test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'
import { addTenant } from '../../../support/rows.ts'
import { filled, intake, type Json, type Sample, samplesIn } from './corpus.ts'

const sql = testPool(await testDatabase())
const { phoneNumberId } = await addTenant(sql)
const { post, others } = intake(sql)
const metadata = { display_phone_number: '15550003333', phone_number_id: phoneNumberId }

/** On once the records and events of people without a number are compared too. */
const isOn = { people: false }

const shown = ({ phoneNumberId: _, ...update }: Json): Json => {
  const { class: __, ...error } = update.error ?? {}
  return JSON.parse(JSON.stringify({ ...update, ...(update.error && { error }) }))
}

async function checkCall({ value, expect }: Sample): Promise<void> {
  const from = others.length
  const { status, record } = await post('calls', { metadata, ...value })
  assert.deepEqual([status, record.skipped], [200, expect.skipped ?? {}])
  const updates: readonly ProviderUpdate[] = others.slice(from)
  assert.deepEqual(updates.map(shown), filled(expect.updates, {}))
}

async function checkKept({ field = 'messages', value, expect }: Sample): Promise<void> {
  const [[before], from] = [await rows(), others.length]
  const { status, record } = await post(field, filled(value, { $number: phoneNumberId }))
  assert.deepEqual([status, record.skipped, record.kinds], [200, expect.skipped, {}])
  assert.deepEqual([(await rows())[0], others.length], [before, from])
}

const rows = () => sql`
  select (select count(*) from messages) as messages, (select count(*) from contacts) as contacts,
    (select count(*) from contacts where opt_state is not null) as opted, (select count(*) from events) as events`

const single = { calls: checkCall, kept: checkKept }
for (const [file, check] of Object.entries(single))
  describe(`the corpus of ${file}`, () => {
    for (const sample of samplesIn(file)) test(sample.name, () => check(sample))
  })

test('a sample of a person without a number is answered, and takes nothing else with it', async () => {
  assert.equal(isOn.people, false, 'assert these field by field once people are known by their ids')
  for (const { field = 'messages', value } of samplesIn('people')) {
    const words = { $number: phoneNumberId, $out: 'wamid.out', $ourOut: 'msg_' }
    assert.equal((await post(field, filled(value, words))).status, 200)
  }
})
