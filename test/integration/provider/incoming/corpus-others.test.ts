// The samples of which neither a message, nor a status, nor a call is made: the account, and what is kept only.
import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'
import { addTenant } from '../../../support/rows.ts'
import { filled, intake, isoAt, type Sample, samplesIn, shownUpdate, WABA } from './corpus.ts'

const sql = testPool(await testDatabase())
const { phoneNumberId } = await addTenant(sql)
const { post, others } = intake(sql)

async function checkKept({ field = 'messages', value, expect }: Sample): Promise<void> {
  const [[before], from] = [await rows(), others.length]
  const { status, record } = await post(field, filled(value, { $number: phoneNumberId }))
  assert.deepEqual([status, record.skipped, record.kinds], [200, expect.skipped, {}])
  assert.deepEqual([(await rows())[0], others.length], [before, from])
}

/** What every change of an account has unless its sample says otherwise. */
const change = {
  ...{ key: '', severity: 'INFO', number: null, template: null, advice: null, until: null, stops: [] },
}

async function checkAccount({ field = '', value, expect }: Sample): Promise<void> {
  const from = others.length
  const { status, record } = await post(field, value)
  assert.deepEqual([status, record.skipped, record.kinds], [200, {}, { accountUpdate: 1 }])
  const [update] = others.slice(from).map(shownUpdate)
  assert.match(update.digest, /^[0-9a-f]{64}$/)
  assert.deepEqual(update, {
    ...{ type: 'accountUpdate', wabaId: WABA, at: isoAt(0), digest: update.digest },
    changes: [{ ...change, details: value, ...filled(expect, {}) }],
  })
}

const rows = () => sql`
  select (select count(*) from messages) as messages, (select count(*) from contacts) as contacts,
    (select count(*) from contacts where opt_state is not null) as opted, (select count(*) from events) as events`

const single = { account: checkAccount, kept: checkKept }
for (const [file, check] of Object.entries(single))
  describe(`the corpus of ${file}`, () => {
    for (const sample of samplesIn(file)) test(sample.name, () => check(sample))
  })
