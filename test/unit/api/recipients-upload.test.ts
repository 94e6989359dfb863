import assert from 'node:assert/strict'
import fc from 'fast-check'
import { csvType, uploadBatches } from '../../../src/api/recipients-upload.ts'
import type { RecipientRow } from '../../../src/campaigns/judge-recipients.ts'
import { limits } from '../../../src/contract/limits.ts'
import { csvLine } from '../../../src/platform/http/csv.ts'
import { linesType } from '../../../src/platform/http/lines-answer.ts'
import { anyText } from '../../support/any-text.ts'
import { piecesOf } from '../../support/csv.ts'
import { describe, test } from '../../support/harness.ts'

const batchesOf = (type: string, text: string, sizes: readonly number[] = []) =>
  uploadBatches({ type, pieces: piecesOf(Buffer.from(text), sizes) })

async function rowsOf(type: string, text: string, sizes?: readonly number[]): Promise<RecipientRow[]> {
  const rows: RecipientRow[] = []
  for await (const batch of batchesOf(type, text, sizes)) rows.push(...batch)
  return rows
}

const csv = (text: string) => rowsOf(csvType, text)
const lines = (text: string) => rowsOf(linesType, text)
const ok = (to: string, variables: object = {}) => ({ to, variables, fault: undefined })

describe('an upload as CSV', () => {
  test('is a row a recipient; an empty cell says nothing', async () => {
    assert.deepEqual(await csv('code,to,first_name\nA1,+15551230001,Ines\n,+15551230002,\n'), [
      ok('+15551230001', { code: 'A1', first_name: 'Ines' }),
      ok('+15551230002'),
    ])
  })

  test('has its numbers in to, or in the one column of another name for it', async () => {
    for (const name of ['to', 'phone', 'Phone Number', 'phone_number', 'Number', 'MSISDN', 'mobile'])
      assert.deepEqual(await csv(`a,${name}\nx,+1\n`), [ok('+1', { a: 'x' })], name)
    for (const name of ['user_id', 'userId', 'User ID'])
      assert.deepEqual(await csv(`a,${name}\nx,PT.44100928\n`), [ok('PT.44100928', { a: 'x' })], name)
    // Each cell is taken for itself, and the second column where the first is empty.
    assert.deepEqual(await csv('phone,user_id\n+1,PT.1\n,PT.2\n" ",PT.3\nPT.4,\n'), [
      ...[ok('+1', {}), ok('PT.2', {}), ok('PT.3', {}), ok('PT.4', {})],
    ])
    assert.deepEqual(await csv('user_id,to\nx,PT.1\n'), [ok('PT.1', { user_id: 'x' })])
    assert.deepEqual(await csv('phone,to\nx,+1\n'), [ok('+1', { phone: 'x' })])
    for (const header of ['name', 'phone,mobile', 'To'])
      await assert.rejects(csv(`${header}\n1\n`), { code: 'VALIDATION_ERROR', message: /^line 1 must have/ })
  })

  test('cannot name a column so that it leaves its row, or longer than a variable', async () => {
    for (const name of ['__proto__', 'constructor', 'x'.repeat(limits.variableNameLength + 1)])
      await assert.rejects(csv(`to,${name}\n+15551230001,x\n`), /line 1 must not name a column/)
  })

  test('says of a row what is wrong with it, and goes on', async () => {
    const rows = await csv('to,a\n+1,x,y\n+2,\0\n+3,z\n')
    assert.deepEqual(
      rows.map(({ to, fault }) => [to, fault]),
      [
        ['+1', 'line 2 must have 2 cells like the header, not 3'],
        ['+2', 'line 3 holds a character that is not text'],
        ['+3', undefined],
      ],
    )
  })

  test('gives back what was written, whatever the variables hold', async () => {
    const value = anyText({ minLength: 1, maxLength: 12 }).filter((text) => !/^[=+\-@\t\r\n]|\0/.test(text))
    const written = fc.array(fc.record({ to: fc.stringMatching(/^\d{3,9}$/), a: value, b: value }), {
      maxLength: 20,
    })
    await fc.assert(
      fc.asyncProperty(written, fc.array(fc.integer({ min: 0, max: 50 })), async (recipients, sizes) => {
        const table = [['to', 'a', 'b'], ...recipients.map(({ to, a, b }) => [to, a, b])]
        assert.deepEqual(
          await rowsOf(csvType, table.map(csvLine).join(''), sizes),
          recipients.map(({ to, ...variables }) => ok(to, variables)),
        )
      }),
    )
  })
})

describe('an upload as JSON a line', () => {
  test('is a recipient a line', async () => {
    const text = '{"to":"+1"}\n\n{"to":"+2","variables":{"a":"x"}}'
    assert.deepEqual(await lines(text), [
      { to: '+1', variables: {} },
      { to: '+2', variables: { a: 'x' } },
    ])
  })

  const faults: readonly [line: string, to: string, fault: RegExp][] = [
    ['{"to":', '', /^must be JSON/],
    ['[]', '', /^the line must be an object/],
    ['null', '', /^the line must be an object/],
    ['{"variables":{}}', '', /^to is required/],
    ['{"to":1}', '', /^to must be a string/],
    ['{"to":"+1","variables":{"a":1}}', '+1', /^variables must be an object of up to/],
    ['{"to":"+1","variables":{"__proto__":"x"}}', '+1', /^variables must be an object of up to/],
    ['{"to":"+1","name":"Ines"}', '+1', /^name is not a known field/],
    ['{"to":"+1","variables":{"a":"\\u0000"}}', '+1', /^variables.a holds a character that is not text/],
  ]
  for (const [line, to, fault] of faults) {
    test(`says what is wrong with ${line}, and goes on`, async () => {
      const [bad, good] = await lines(`${line}\n{"to":"+2"}\n`)
      assert.deepEqual([bad?.to, good?.to, good?.fault], [to, '+2', undefined])
      assert.match(bad?.fault ?? '', fault)
    })
  }
})

describe('the batches of an upload', () => {
  test('are of so many rows, or of so many bytes', async () => {
    const sizes: number[] = []
    const rows = limits.recipientsPerBatch * 2 + 1
    for await (const batch of batchesOf(csvType, `to\n${'+1\n'.repeat(rows)}`)) sizes.push(batch.length)
    assert.deepEqual(sizes, [limits.recipientsPerBatch, limits.recipientsPerBatch, 1])
    const long = `+1,${'x'.repeat(60_000)}\n`
    for await (const batch of batchesOf(csvType, `to,a\n${long.repeat(40)}`))
      assert.ok(batch.length <= Math.ceil(limits.recipientsBatchBytes / 60_000))
  })

  test('hold what came before a fault that ends the reading', async () => {
    const got: number[] = []
    const reading = async () => {
      for await (const batch of batchesOf(csvType, 'to\n+1\n+2\n"+3')) got.push(batch.length)
    }
    await assert.rejects(reading(), { code: 'VALIDATION_ERROR', message: /^line 4 has a quote/ })
    assert.deepEqual(got, [2])
  })

  test('hold a million rows, and then no more', async () => {
    let count = 0
    async function* endless() {
      const piece = Buffer.from('+1\n'.repeat(20_000))
      yield Buffer.from('to\n')
      for (;;) yield piece
    }
    const reading = async () => {
      for await (const batch of uploadBatches({ type: csvType, pieces: endless() })) count += batch.length
    }
    await assert.rejects(reading(), { code: 'PAYLOAD_TOO_LARGE' })
    assert.equal(count, limits.recipientsPerUpload)
  })
})
