// Inbound calls that begin together, for tests of the statements.
import assert from 'node:assert/strict'
import { inboundCall } from '../../../src/calls/begin-call.ts'
import type { BegunHere, InboundCall } from '../../../src/calls/ports.ts'
import { createCallBeginStore } from '../../../src/calls/store/call-begin.store.ts'
import { personAt } from '../../../src/contract/person.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { testContacts } from '../../support/message-store.ts'
import { connectUpdate } from './gateway.ts'
import { addWorkspace, type Workspace } from './rows.ts'

const timing = { ringTimeoutMs: 90_000, callTimeoutMs: 1, reforwardOnCrash: true }
const at = new Date()

export type Begun = Extract<BegunHere, { type: 'begun' }>

export async function callsOf(
  sql: Pool,
  workspace: Workspace,
  count: number,
  people = 3,
): Promise<InboundCall[]> {
  const contacts = testContacts(sql)
  const calls: InboundCall[] = []
  for (let index = 0; index < count; index += 1) {
    const person = personAt(`1555123000${index % people}`, 'I')
    const parties = await contacts.resolveParties({ phoneNumberId: workspace.phoneNumberId, person })
    if (!parties) throw new Error('no such number')
    // It came late.
    const update = connectUpdate(workspace, { at: new Date(at.getTime() - 5_000) })
    calls.push(inboundCall(parties, update, at, timing))
  }
  return calls
}

/** More than may run at the same time, each alone: the rest goes together. */
export async function begun(sql: Pool, count = 12, forward = true) {
  const workspace = await addWorkspace(sql, { forward })
  const begins = createCallBeginStore(sql)
  const calls = await callsOf(sql, workspace, count)
  const results = await Promise.all(calls.map((call) => begins.inbound(call, 'sid-1')))
  return { workspace, calls, results, begins }
}

export const isBegun = (result: BegunHere | undefined): Begun => {
  assert.equal(result?.type, 'begun')
  return result as Begun
}
