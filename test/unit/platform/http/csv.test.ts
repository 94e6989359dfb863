import assert from 'node:assert/strict'
import fc from 'fast-check'
import { AppError } from '../../../../src/contract/errors.ts'
import { csvLine } from '../../../../src/platform/http/csv.ts'
import { anyText } from '../../../support/any-text.ts'
import { cellsOf, csvOf, piecesOf } from '../../../support/csv.ts'
import { describe, test } from '../../../support/harness.ts'

const limits = { rowBytes: 4_096, columns: 10 }
const read = (text: string | Buffer, sizes: readonly number[] = []) =>
  csvOf(piecesOf(Buffer.from(text), sizes), limits)

/** The refusal as `<path> <message>`. */
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
  test('gives the header and the cells of every row with its line', async () => {
    assert.deepEqual(await read('to,name\r\n+1,Ines\r\n+2,Jo'), {
      header: ['to', 'name'],
      rows: [
        { line: 2, cells: ['+1', 'Ines'] },
        { line: 3, cells: ['+2', 'Jo'] },
      ],
    })
  })

  test('takes LF, a byte order mark, blank lines, and spaces around the names of columns', async () => {
    assert.deepEqual(await cellsOf('\ufeff\r\nto , name\n\n+1,Ines\n\r\n\n+2, Jo \n'), {
      header: ['to', 'name'],
      rows: [
        ['+1', 'Ines'],
        ['+2', ' Jo '],
      ],
    })
  })

  test('takes commas, quotes and line ends within quotes, and empty cells', async () => {
    const { rows } = await cellsOf('a,b\r\n"x, y","say ""hi""\r\nthere"\r\n,""\r\n"",\r\n')
    assert.deepEqual(rows, [
      ['x, y', 'say "hi"\r\nthere'],
      ['', ''],
      ['', ''],
    ])
  })

  test('takes semicolons and tabs where the header has them, not those within quotes', async () => {
    for (const by of [';', '\t']) {
      const { header, rows } = await cellsOf(`to${by}"a, b, c"\n1${by}"x${by}y"\n2,3${by}z`)
      assert.deepEqual(
        [header, rows],
        [
          ['to', 'a, b, c'],
          [
            ['1', `x${by}y`],
            ['2,3', 'z'],
          ],
        ],
      )
    }
  })

  const fatal: readonly [name: string, text: string | Buffer, refused: RegExp][] = [
    ['nothing', '', /^line 1 must be a header row/],
    ['nothing but blank lines', '\n\r\n', /^line 1 must be a header row/],
    ['a header with a quote within a cell', 'a,x"y\n1,2\n', /^line 1 has a quote within a cell/],
    ['a header that ends in CR', 'a,b\r1,2\r', /^line 1 has a line that ends in CR/],
    ['a header that is not UTF-8', Buffer.from('jos\xe9\n1\n', 'latin1'), /^line 1 must be CSV in UTF-8/],
    ['UTF-16', Buffer.from('\ufeffto\n1\n', 'utf16le'), /^line 1 must be CSV in UTF-8/],
    ['a quote that is never closed', 'a\nx\n"y\n', /^line 3 has a quote that is not closed/],
    ['a column without a name', 'a, ,b\n', /^line 1 must name every column$/],
    ['two columns of one name', 'a, a\n', /^line 1 must name every column differently/],
    ['more columns than there may be', `${[...'abcdefghijk'].join()}\n`, /^line 1 must have at most 10/],
    ['a row longer than there may be', `a\n${'x'.repeat(4_097)}\n`, /^line 2 must not be longer than 4096/],
    ['a quote that swallows the rest', `a\n"${'x\n'.repeat(4_097)}`, /^line 2 must not be longer than 4096/],
  ]
  for (const [name, text, refused] of fatal) {
    test(`refuses ${name}, with the line`, async () => assert.match(await refusal(read(text)), refused))
  }

  const faults: readonly [name: string, row: string | Buffer, fault: RegExp][] = [
    ['too few cells', '3', /^must have 2 cells like the header, not 1/],
    ['too many cells', '1,2,3', /^must have 2 cells like the header, not 3/],
    ['a quote within a cell', 'x"y,1', /^has a quote within a cell/],
    ['text behind a quote', '"x"y,1', /^must have a comma or the end of the line behind/],
    ['a carriage return behind a quote', '"x"\ry,1', /^must have a comma or the end of the line behind/],
    ['a lone carriage return', 'a\rb,1', /^has a line that ends in CR/],
    ['bytes that are not UTF-8', Buffer.from('jos\xe9,1', 'latin1'), /^must be CSV in UTF-8/],
  ]
  for (const [name, row, fault] of faults) {
    test(`goes on behind a row with ${name}`, async () => {
      const bytes = Buffer.concat([Buffer.from('a,b\n"x\ny",1\n'), Buffer.from(row), Buffer.from('\n5,6\n')])
      const { rows } = await read(bytes)
      assert.deepEqual(
        rows.map(({ line, fault }) => [line, fault !== undefined]),
        [
          [2, false],
          [4, true],
          [5, false],
        ],
      )
      assert.match(rows[1]?.fault ?? '', fault)
      assert.deepEqual(rows[2]?.cells, ['5', '6'])
    })
  }

  test('takes a row of exactly the most bytes, plain or quoted', async () => {
    assert.equal((await read(`a\n${'x'.repeat(4_096)}\r\n`)).rows[0]?.cells[0]?.length, 4_096)
    assert.equal((await read(`a\n"${'""'.repeat(2_047)}"\r\n`)).rows[0]?.cells[0]?.length, 2_047)
    assert.match(await refusal(read(`a\n"${'""'.repeat(2_048)}"`)), /^line 2 /)
  })

  test('gives the same of the same bytes, in whatever pieces they come', async () => {
    const unit = fc.constantFrom('a', 'é', '𝒳', ',', ';', '"', '"', '\r', '\n', '\r\n', '\xff')
    const text = fc
      .array(unit, { maxLength: 60 })
      .map((parts) =>
        Buffer.concat(parts.map((part) => (part === '\xff' ? Buffer.from([0xff]) : Buffer.from(part)))),
      )
    const few = { rowBytes: 24, columns: 4 }
    const outcome = async (bytes: Buffer, sizes: readonly number[]) => {
      const rows: unknown[] = []
      try {
        const { header, rows: all } = await csvOf(collecting(piecesOf(bytes, sizes)), few)
        rows.push(header, ...all)
      } catch (error) {
        assert.ok(error instanceof AppError, String(error))
        rows.push(error.message)
      }
      return rows
    }
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 }),
        async (body, sizes) => {
          const bytes = Buffer.concat([Buffer.from('a,b\n'), body])
          assert.deepEqual(await outcome(bytes, sizes), await outcome(bytes, []))
          assert.deepEqual(await outcome(body, sizes), await outcome(body, []))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

/** Overwrites each piece after it was read, because a socket reuses its memory, too. */
async function* collecting(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const own = Buffer.from(piece)
    yield own
    own.fill(0x22)
  }
}

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
      anyText({ maxLength: 20 }),
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
        assert.deepEqual(await cellsOf(hasMark ? `\ufeff${text}` : text), { header, rows: guarded })
      }),
    )
  })
})
