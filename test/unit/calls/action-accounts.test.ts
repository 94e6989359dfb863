import assert from 'node:assert/strict'
import { createActionAccounts } from '../../../src/calls/host/action-accounts.ts'
import type { ProviderAccount } from '../../../src/contract/provider.ts'
import { describe, test } from '../../support/harness.ts'
import { ringingRow } from './driver.ts'

const pending = (actionId: string) => ringingRow({ pendingAction: 'ANSWER', actionId })

/** The token of each read says which one it was; those in `failing` are rejected. */
function counted(failing: readonly number[] = []) {
  let reads = 0
  return createActionAccounts(async (workspaceId, phoneNumberId) => {
    reads += 1
    if (failing.includes(reads)) throw new Error('no connection')
    return {
      workspaceId,
      phoneNumberId,
      wabaId: null,
      accessToken: `read ${reads}`,
    } satisfies ProviderAccount
  })
}

describe('the account of an action', () => {
  test('is read while its intent is committed, once for all of its requests', async () => {
    const accounts = counted()
    accounts.begin(pending('first'))
    accounts.begin(pending('first'))
    for (let request = 0; request < 2; request += 1)
      assert.equal((await accounts.of(pending('first'), 'first'))?.accessToken, 'read 1')
  })

  test('is read anew for another action, one that is resumed, and a request of none', async () => {
    const accounts = counted()
    accounts.begin(pending('first'))
    accounts.begin(pending('second'))
    assert.equal((await accounts.of(pending('second'), 'second'))?.accessToken, 'read 2')
    assert.equal((await accounts.of(pending('first'), 'first'))?.accessToken, 'read 3')
    assert.equal((await accounts.of(ringingRow(), null))?.accessToken, 'read 4')
  })

  test('is forgotten when the action is settled', async () => {
    const accounts = counted()
    accounts.begin(pending('first'))
    accounts.begin(ringingRow())
    assert.equal((await accounts.of(pending('first'), 'first'))?.accessToken, 'read 2')
  })

  test('that could not be read in advance is read when it is needed', async () => {
    const accounts = counted([1, 3, 4])
    accounts.begin(pending('first'))
    assert.equal((await accounts.of(pending('first'), 'first'))?.accessToken, 'read 2')
    accounts.begin(pending('second'))
    await assert.rejects(accounts.of(pending('second'), 'second'), /no connection/)
  })
})
