import assert from 'node:assert/strict'
import type { ActorHost } from '../../../../src/platform/actors/actor.ts'
import { outliveRestore } from '../../../../src/platform/actors/outlive-restore.ts'
import { test } from '../../../support/harness.ts'
import {
  type LedgerEffect,
  LedgerHost,
  type LedgerMessage,
  type LedgerState,
  type LedgerTx,
} from './ledger-actor.ts'

test('an epoch that a restore has set back is not told while the row could not be written again', async () => {
  const rows = new LedgerHost()
  rows.seed('x')
  const given = rows.bump('x', 'sid-a')
  let isAway = true
  const { host } = outliveRestore(rowsOf(rows), {
    given: () => undefined,
    async check() {
      if (isAway) throw new Error('no connection')
      rows.seed('x')
      rows.lastEpoch = given - 1
      rows.bump('x', 'sid-a')
      return true
    },
  })
  const signal = new AbortController().signal
  host.activated?.({ id: 'x', epoch: given, post: () => undefined, signal }, false)
  rows.rows.delete('x')
  const owned = [{ id: 'x', epoch: given }]
  await assert.rejects(host.confirm(owned), /no connection/)
  isAway = false
  assert.deepEqual(await host.confirm(owned), new Map())
})

/** An object with the methods of the class, as the hosts of the features are. */
const rowsOf = (rows: LedgerHost): ActorHost<LedgerState, LedgerMessage, LedgerTx, LedgerEffect> => ({
  load: rows.load.bind(rows),
  ownerOf: rows.ownerOf.bind(rows),
  commit: rows.commit.bind(rows),
  run: rows.run.bind(rows),
  confirm: rows.confirm.bind(rows),
  release: rows.release.bind(rows),
  dropped: rows.dropped.bind(rows),
})
