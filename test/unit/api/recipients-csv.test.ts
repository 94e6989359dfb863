import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readRecipients, recipientReport } from '../../../src/api/recipients-csv.ts'
import { recipientsBody } from '../../../src/api/schemas/campaigns.ts'
import { limits } from '../../../src/contract/limits.ts'
import { type RecipientRecord, recipientStatuses } from '../../../src/contract/records/campaign.ts'
import { csvLine, readCsv } from '../../../src/http/csv.ts'
import { check } from '../../../src/http/validate.ts'

const upload = (text: string) => readRecipients(Buffer.from(text))

describe('an upload', () => {
  test('has the shape of the JSON body; an empty cell says nothing', async () => {
    assert.deepEqual(await upload('code,to,first_name\nA1,+15551230001,Ines\n,+15551230002,\n'), {
      recipients: [
        { to: '+15551230001', variables: { code: 'A1', first_name: 'Ines' } },
        { to: '+15551230002', variables: {} },
      ],
    })
  })

  test('needs a column named to', async () => {
    await assert.rejects(upload('phone\n+1\n'), {
      code: 'VALIDATION_ERROR',
      message: /line 1 must have a column/,
    })
  })

  test('of a row too many is refused like JSON of a row too many', async () => {
    const body = (await upload(`to\n${'+15551230001\n'.repeat(limits.recipientsPerCall + 5)}`)) as object
    const checked = check(recipientsBody, body)
    assert.deepEqual(checked.ok || checked.details, [
      { path: 'recipients', message: 'must hold at most 10000 rows a call' },
    ])
  })

  test('cannot name a column so that it leaves its row', async () => {
    for (const name of ['__proto__', 'constructor']) {
      const checked = check(recipientsBody, await upload(`to,${name}\n+15551230001,x\n`))
      assert.equal(checked.ok || checked.details[0]?.path, 'recipients.0.variables')
    }
  })

  test('gives back what was written, whatever the variables hold', async () => {
    const value = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 12 })
      .filter((text) => !/^[=+\-@\t\r\n]/.test(text))
    const rows = fc.array(fc.record({ to: fc.stringMatching(/^\d{3,9}$/), a: value, b: value }), {
      maxLength: 20,
    })
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        const text = [['to', 'a', 'b'], ...written.map(({ to, a, b }) => [to, a, b])].map(csvLine).join('')
        assert.deepEqual(await upload(text), {
          recipients: written.map(({ to, ...variables }) => ({ to, variables })),
        })
      }),
    )
  })
})

describe('the report', () => {
  const recipient = (row: Partial<RecipientRecord> = {}): RecipientRecord => ({
    id: 'rcp_1',
    to: '15551230001',
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
      'id,to,status,messageId,errorCode,errorTitle,skippedReason,repliedAt,updatedAt,variables\r\n'
    assert.equal(await textOf([[]]), header)
  })

  test('holds every field of every recipient', async () => {
    const failed = recipient({
      status: 'FAILED',
      messageId: 'msg_1',
      error: { code: '131026', title: 'not, deliverable' },
      skippedReason: 'NONE',
      repliedAt: '2026-11-20T11:00:00.000Z',
      variables: { name: 'Ines "I"' },
    })
    const { rows } = await readCsv(Buffer.from(await textOf([[recipient()], [failed]])), {
      rows: 10,
      rowBytes: 1_000,
      columns: 10,
    })
    assert.deepEqual(rows, [
      ['rcp_1', '15551230001', 'PENDING', '', '', '', '', '', '2026-11-20T10:00:00.000Z', '{}'],
      [
        ...['rcp_1', '15551230001', 'FAILED', 'msg_1', '131026', 'not, deliverable', 'NONE'],
        ...['2026-11-20T11:00:00.000Z', '2026-11-20T10:00:00.000Z', '{"name":"Ines \\"I\\""}'],
      ],
    ])
  })

  test('begins no cell as a spreadsheet begins a formula', async () => {
    const hostile = fc.constantFrom('=1+1', '+1', '-1', '@x', '\t=1', '"=1', ',=1', '\r\n=1')
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom(...recipientStatuses), async (title, status) => {
        const row = recipient({ status, error: { code: title, title }, variables: { [title]: title } })
        const { rows } = await readCsv(Buffer.from(await textOf([[row]])), {
          rows: 1,
          rowBytes: 999,
          columns: 10,
        })
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
