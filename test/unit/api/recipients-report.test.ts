import assert from 'node:assert/strict'
import fc from 'fast-check'
import { recipientReport } from '../../../src/api/recipients-report.ts'
import { type RecipientRecord, recipientStatuses } from '../../../src/contract/records/campaign.ts'
import { cellsOf } from '../../support/csv.ts'
import { describe, test } from '../../support/harness.ts'

describe('the report', () => {
  const recipient = (row: Partial<RecipientRecord> = {}): RecipientRecord => ({
    id: 'rcp_1',
    to: '15551230001',
    userId: null,
    variables: {},
    status: 'PENDING',
    messageId: null,
    error: null,
    skippedReason: null,
    repliedAt: null,
    updatedAt: '2026-11-20T10:00:00.000Z',
    ...row,
  })

  async function textOf(batches: readonly (readonly RecipientRecord[])[]): Promise<string> {
    const chunks = []
    for await (const chunk of recipientReport(asyncOf(batches))) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }

  async function* asyncOf<T>(items: readonly T[]) {
    yield* items
  }

  test('of nobody is its header', async () => {
    const header =
      'id,to,status,messageId,errorCode,errorTitle,skippedReason,repliedAt,updatedAt,variables,' +
      'errorSubcode,errorDetails,errorTraceId\r\n'
    assert.equal(await textOf([[]]), header)
  })

  test('holds every field of every recipient', async () => {
    const failed = recipient({
      status: 'FAILED',
      messageId: 'msg_1',
      error: { code: '131026', title: 'not, deliverable', subcode: '7', details: '=why', traceId: 'T1' },
      skippedReason: 'NONE',
      repliedAt: '2026-11-20T11:00:00.000Z',
      variables: { name: 'Ines "I"' },
    })
    const { rows } = await cellsOf(await textOf([[recipient()], [failed]]))
    assert.deepEqual(rows, [
      ['rcp_1', '15551230001', 'PENDING', '', '', '', '', '', '2026-11-20T10:00:00.000Z', '{}', '', '', ''],
      [
        ...['rcp_1', '15551230001', 'FAILED', 'msg_1', '131026', 'not, deliverable', 'NONE'],
        ...['2026-11-20T11:00:00.000Z', '2026-11-20T10:00:00.000Z', '{"name":"Ines \\"I\\""}'],
        ...['7', "'=why", 'T1'],
      ],
    ])
  })

  test('begins no cell as a spreadsheet begins a formula', async () => {
    const hostile = fc.constantFrom('=1+1', '+1', '-1', '@x', '\t=1', '"=1', ',=1', '\r\n=1')
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom(...recipientStatuses), async (title, status) => {
        const row = recipient({ status, error: { code: title, title }, variables: { [title]: title } })
        const { rows } = await cellsOf(await textOf([[row]]))
        for (const cell of rows[0] ?? []) assert.doesNotMatch(cell, /^[=+\-@\t\r\n]/)
      }),
    )
  })

  test('reads no batch before the one before is taken', async () => {
    let asked = 0
    async function* batches() {
      for (;;) {
        asked += 1
        yield [recipient()]
      }
    }
    const report = recipientReport(batches())
    await report.next()
    assert.equal(asked, 0)
    await report.next()
    assert.equal(asked, 1)
    await report.return(undefined)
    assert.equal(asked, 1)
  })
})
