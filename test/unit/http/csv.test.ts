import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../../src/contract/errors.ts'
import { csvLine, readCsv } from '../../../src/http/csv.ts'

const limits = { rows: 1_000, rowBytes: 4_096, columns: 10 }
const read = (text: string, changed: Partial<typeof limits> = {}) =>
  readCsv(Buffer.from(text), { ...limits, ...changed })

/** The path and words of the refusal. */
async function refusal(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => assert.fail('it was taken'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof AppError && error.code === 'VALIDATION_ERROR')
  const [detail] = error.details ?? []
  return `${detail?.path} ${detail?.message}`
}

describe('reading CSV', () => {
  test('gives the header and the cells of every row', async () => {
    assert.deepEqual(await read('to,name\r\n+1,Ines\r\n+2,Jo'), {
      header: ['to', 'name'],
      rows: [
        ['+1', 'Ines'],
        ['+2', 'Jo'],
      ],
    })
  })

  test('takes LF, a byte order mark, blank lines, and spaces around the names of columns', async () => {
    assert.deepEqual(await read('\ufeffto , name\n\n+1,Ines\n\r\n\n+2, Jo \n'), {
      header: ['to', 'name'],
      rows: [
        ['+1', 'Ines'],
        ['+2', ' Jo '],
      ],
    })
  })

  test('takes commas, quotes and line ends within quotes, and empty cells', async () => {
    const { rows } = await read('a,b\r\n"x, y","say ""hi""\r\nthere"\r\n,""\r\n"",\r\n')
    assert.deepEqual(rows, [
      ['x, y', 'say "hi"\r\nthere'],
      ['', ''],
      ['', ''],
    ])
  })

  const faults: readonly [name: string, text: string, refused: RegExp][] = [
    ['nothing', '', /^line 1 must be a header row/],
    ['nothing but blank lines', '\n\r\n', /^line 1 must be a header row/],
    ['a row with too few cells', 'a,b\n1,2\n3\n', /^line 3 must have 2 cells like the header, not 1/],
    ['a row with too many cells', 'a,b\n1,2,3\n', /^line 2 must have 2 cells like the header, not 3/],
    ['a semicolon file', 'a\n"x";"y"\n', /^line 2 must have a comma or the end of the line/],
    ['a quote within a cell', 'a\nx"y\n', /^line 2 has a quote within a cell/],
    ['a quote that is never closed', 'a\nx\n"y\n', /^line 3 has a quote that is not closed/],
    ['text behind a quote', 'a\n"x"y\n', /^line 2 must have a comma or the end of the line/],
    ['a lone carriage return', 'a\rb\n', /^line 1 must have a comma or the end of the line/],
    ['a column without a name', 'a, ,b\n', /^line 1 must name every column$/],
    ['two columns of one name', 'a, a\n', /^line 1 must name every column differently/],
    [
      'more columns than there may be',
      `${'abcdefghijk'.split('').join(',')}\n`,
      /^line 1 must have at most 10/,
    ],
    ['a fault behind a cell of two lines', 'a\n"x\ny"\nz"\n', /^line 4 has a quote within/],
    [
      'a row longer than there may be',
      `a\n${'x'.repeat(4_097)}\n`,
      /^line 2 must not be longer than 4096 bytes/,
    ],
  ]
  for (const [name, text, refused] of faults) {
    test(`refuses ${name}, with the line`, async () => assert.match(await refusal(read(text)), refused))
  }

  test('takes a row of exactly the most bytes, plain or quoted', async () => {
    assert.equal((await read(`a\n${'x'.repeat(4_096)}\r\n`)).rows[0]?.[0]?.length, 4_096)
    assert.equal((await read(`a\n"${'""'.repeat(2_047)}"\r\n`)).rows[0]?.[0]?.length, 2_047)
    assert.match(await refusal(read(`a\n"${'""'.repeat(2_048)}"`)), /^line 2 /)
  })

  test('refuses bytes that are not UTF-8', async () => {
    const latin1 = Buffer.from('name\nJos\xe9\n', 'latin1')
    assert.match(await refusal(readCsv(latin1, limits)), /must be CSV in UTF-8/)
  })

  test('stops one row behind the most there may be, whatever follows', async () => {
    const { rows } = await read(`a\n${'1\n'.repeat(5)}"never closed`, { rows: 3 })
    assert.equal(rows.length, 4)
  })
})

describe('a line of CSV', () => {
  test('quotes what needs it and nothing else', () => {
    assert.equal(csvLine(['a', 'b c', 'd,e', 'f"g', 'h\ni', ' j', '']), 'a,b c,"d,e","f""g","h\ni"," j",\r\n')
  })

  test('puts an apostrophe before what a spreadsheet would run', () => {
    const dangerous = ['=1+1', '+1', '-1', '@a', '\tx', '\rx', '\nx', '=cmd|"/c calc"!A1']
    for (const text of dangerous) assert.match(csvLine([text]), /^"?'/, JSON.stringify(text))
    for (const text of ['1', 'a=b', "'", '(1)']) assert.equal(csvLine([text]), `${text}\r\n`)
  })

  test('reads back as it was, but for the apostrophe', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: fc.constantFrom(',', '"', '\r', '\n', ' ', '=', 'é', '𝒳', 'a'), maxLength: 8 }),
    )
    const tables = fc.integer({ min: 2, max: 6 }).chain((width) =>
      fc.record({
        header: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: width, maxLength: width }),
        rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 10 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(tables, fc.boolean(), async ({ header, rows }, hasMark) => {
        const text = [header, ...rows].map(csvLine).join('')
        const guarded = rows.map((row) =>
          row.map((text) => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)),
        )
        assert.deepEqual(await read(hasMark ? `\ufeff${text}` : text, { rowBytes: 100_000 }), {
          header,
          rows: guarded,
        })
      }),
    )
  })

  test('whatever bytes come, they are read or refused as a request is', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n'), maxLength: 60 })
        .map((text) => Buffer.from(text)),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        const outcome = await readCsv(body, limits).catch((error: unknown) => error)
        if (outcome instanceof Error) assert.ok(outcome instanceof AppError, String(outcome))
        else {
          const { header, rows } = outcome as Awaited<ReturnType<typeof readCsv>>
          assert.ok(rows.every((row) => row.length === header.length))
        }
      }),
      { numRuns: 500 },
    )
  })
})
